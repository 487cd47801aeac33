"""The translator's editor: the languages of a page side by side in a browser."""
