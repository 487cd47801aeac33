"""Rules about links: whether they lead somewhere, and whether both languages lead to the same places."""
