"""Pages and what they stand on become findings; every rule reads the same Page.

A rule is a function `Case -> Iterator[Found]`: pure, given the page, its source, the tree and the settings.
"""

from hexapla.checks.context import Case, Document, Fix, Found, Settings
from hexapla.checks.finding import Finding

__all__ = ["Case", "Document", "Finding", "Fix", "Found", "Settings"]
