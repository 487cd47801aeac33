"""A page: what the site adds to what its Markdown says, rendered, and noted as what it was made of."""
