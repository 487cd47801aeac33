"""Machine drafts of what is missing or behind, by a model on disk or behind an address: only this room sends text."""
