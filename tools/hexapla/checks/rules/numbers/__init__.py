"""Rules about numbers: parsed in every language, matched against those of the source."""
