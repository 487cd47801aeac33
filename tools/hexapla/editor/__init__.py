"""The translator's editor: the languages of a page side by side in a browser.

`service` does what the commands do, `view_model` is what a page shows, `text_edit` puts a section into a page, `app`
speaks HTTP, `access` keeps others out, `server` listens.
"""
