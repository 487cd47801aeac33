"""The search index of a language: the words of its pages, and how they are cut."""
