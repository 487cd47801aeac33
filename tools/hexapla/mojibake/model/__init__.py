"""Language models of characters: counted, stored and looked up."""
