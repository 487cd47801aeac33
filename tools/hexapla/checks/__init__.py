"""Pages and what they stand on become findings; every rule reads the same Page."""

from hexapla.checks.finding import Finding

__all__ = ["Finding"]
