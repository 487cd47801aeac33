"""The title of a page whose Markdown has not been rendered, for the navigation of those that have."""

import re
from collections.abc import Mapping

from mkdocs.utils.meta import get_data

# A heading without anything that Markdown or one of its extensions might make something else of.
TITLE = re.compile(r"\s*# +(?P<title>[^\W_]+(?:(?: |, |、|，|: |：|-|/|（|）)[^\W_]+)*[）。！？?!]?)"
                   r" *+(?P<attributes>\{#[\w.-]+\})? *+(?:\n|$)")


def plain_title(text: str, original: str, attributes: bool) -> tuple[str | None, Mapping[str, object]]:
    """The title of a page's text, None where only rendering it tells, and its front matter.

    `original` is the page in the source's language, which gives a translation without that section its title, or the
    text itself. `attributes` is whether `{#id}` behind a heading is no part of it.
    """
    markdown, meta = get_data(text)
    if "title" in meta:
        return str(meta["title"]), meta
    found, theirs = TITLE.match(markdown), TITLE.match(get_data(original)[0])
    same_section = found and theirs and found["attributes"] == theirs["attributes"]
    return (found["title"] if found and same_section and (attributes or not found["attributes"]) else None), meta
