"""The translation memory: pairs of source and translation, where they are needed now, and what is offered of them."""
