"""A project for Zensical, which runs no plugins: a tree of Markdown and a configuration for each language."""
