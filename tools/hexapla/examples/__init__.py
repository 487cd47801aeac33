"""Snippets are run, and what their runs showed becomes evidence."""
