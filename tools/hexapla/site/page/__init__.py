"""Renders a page: its Markdown, what the site adds to it, and a record of the inputs that were read."""
