"""Pages and what they stand on become findings; every rule reads the same Page.

A rule is a function `Case -> Iterator[Found]`: pure, given the page, its source, the tree and the settings.
"""
