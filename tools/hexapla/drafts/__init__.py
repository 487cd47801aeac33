"""Machine drafts of sections that nobody has translated yet, by a model on the user's own disk.

`protect` keeps code, links, numbers and terms out of the model's hands and looks at what comes back, `make` puts drafts
into a page as an import would, `model` is the only module of ours that imports transformers, `command` is
`hexapla draft`.
"""
