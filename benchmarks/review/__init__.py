"""Errors of meaning put into sound sections, and what `hexapla review` doubts of them and of the others."""
