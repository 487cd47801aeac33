"""The site's own sentences, and the texts beside its pages, in each language."""
