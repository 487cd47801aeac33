"""Translators' own tools at work: the next section with all that its translation needs, and a translation handed in."""
