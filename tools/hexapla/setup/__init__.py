"""Set a project up where the user stands: what is there, and what has to be written."""
