"""The translator's editor: the languages of a page side by side in a browser.

`page_editing` does what the commands do, `view_model` is what a page shows, `app` speaks HTTP and listens, `access`
keeps others out.
"""
