"""Rules about code: listings and inline code of a translation against those of its source."""
