"""Translators' own tools at work: the next section with all that its translation needs, and a translation handed in.

`section_tasks` has both, for the commands and for `mcp_server`, the only module that imports the SDK of MCP.
"""
