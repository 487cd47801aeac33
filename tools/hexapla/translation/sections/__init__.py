"""A page cut into sections, matched with those of its translation, and put together again."""
