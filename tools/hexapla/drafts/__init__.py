"""Machine drafts of missing sections, by a translation model on the user's own disk.

`placeholders` replaces code, links, numbers and terms before the model sees them and checks its answers, `drafting`
puts drafts into a page as an import would, `model` is the only module that imports transformers.
"""
