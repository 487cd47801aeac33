"""How many seeded defects the checks find, and how many findings a clean tree raises."""
