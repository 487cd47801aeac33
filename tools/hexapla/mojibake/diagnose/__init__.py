"""Which texts are suspect, and how a text came to be garbled: the encoding chain under which it is likeliest."""
