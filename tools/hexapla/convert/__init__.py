"""Other dialects of Markdown documentation become this site's, and go back."""
