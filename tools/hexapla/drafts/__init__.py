"""Machine drafts of sections that are missing or behind, by a model on the user's own disk or behind an address.

`local_model` is the only module that imports transformers, `endpoint` the only one that sends anything.
"""
