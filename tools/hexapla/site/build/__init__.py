"""A build: what is read, rendered, kept and put in the place of the site before."""
