"""How well garbled pages come back, channel by channel and language by language, beside ftfy."""
