"""What `residue` finds of machines' words about their own work, in wordings that its lexicon was not made from."""
