"""What a search engine finds on a built site, asked in a real browser; `python -m benchmarks.search --site DIR`."""
