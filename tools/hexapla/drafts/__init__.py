"""Machine drafts of sections that are missing or behind, by a model on the user's own disk or behind an address.

`placeholders` replaces what must not change before the model sees it and checks its answers, `requests` says what a
model is asked of a section, `draft_run` judges its answers and puts drafts into pages as an import would.
`local_model` is the only module that imports transformers, `endpoint` the only one that sends anything.
"""
