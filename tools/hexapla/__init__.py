"""Hexapla: documentation that stays true in every language."""
