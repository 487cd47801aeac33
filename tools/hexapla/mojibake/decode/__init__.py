"""The characters that were lost: candidates for each slot, and the choice among them."""
