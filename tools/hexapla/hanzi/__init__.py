"""Simplified Chinese becomes Traditional, or the reverse: `converter.py`, by the tables and contexts beside it."""
