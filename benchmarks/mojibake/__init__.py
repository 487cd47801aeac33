"""How well garbled pages come back, by encoding chain and by language, beside ftfy."""
