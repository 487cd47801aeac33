"""Encodings and their chains: what bytes and characters become, and how that is undone."""
