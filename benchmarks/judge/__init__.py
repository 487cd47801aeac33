"""The judge of sections on sections that were corrupted, and on sections as they are."""
