"""Doubts about what a translation says, and what somebody has decided about each."""
