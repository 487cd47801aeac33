"""Files that a page shows by the directives of mdx_include and of FastAPI's documentation, which is built on it.

`{* ../../docs_src/a.py ln[1:9] hl[3] *}` stands alone on its line, `{! ../../docs_src/a.py !}` in a fence too.
"""

import re
from collections.abc import Iterable, Iterator

from hexapla.pages.lines import COMMENT, FENCED, Line
from hexapla.pages.model import Inclusion

DIRECTIVE = re.compile(
    r"(?P<lead>[ \t]*)\{(?P<mark>[*!])>?[ \t]*(?P<path>[^\s{}*!]+)(?P<options>[^{}*!\n]*)(?P=mark)\}[ \t]*$"
)


def inclusions(lines: Iterable[Line]) -> Iterator[Inclusion]:
    """The directives of a page in order; one that fetches an address shows no file."""
    for line in lines:
        mark = "{*" if "{*" in line.text else "{!" if "{!" in line.text else ""
        if not mark or line.kind is COMMENT or (mark == "{*" and line.kind is FENCED):
            continue
        found = DIRECTIVE.match(line.text.rstrip("\r\n"))
        if found and "://" not in found["path"]:
            options = " ".join(found["options"].split())
            yield Inclusion(found["path"], options, line.number, len(found["lead"]) + 1)
