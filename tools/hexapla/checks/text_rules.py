"""The rules on structure, code and text, for the table of rules."""
