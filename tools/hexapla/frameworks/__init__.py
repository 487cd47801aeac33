"""Documentation frameworks: how each is recognised, where its pages lie, its ids, addresses and links."""
