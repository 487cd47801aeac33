"""The records of what each section was translated from, and who has read it: one file a page and language."""
