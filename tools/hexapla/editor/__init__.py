"""The translator's desk: the pages side by side in a browser, over the same functions as the commands.

`sheet` says what stands on the desk, `edit` what saving does to a text, `work` does both to a tree, `app` speaks HTTP,
`guard` lets nobody else in, `command` is `hexapla translate`.
"""
