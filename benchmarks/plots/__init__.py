"""The guide's plots and their tables, drawn from the evidence alone."""
