"""Builds the site: reads its sources, renders pages or takes them from the cache, and swaps in the output folder."""
