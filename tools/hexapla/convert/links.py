"""Links between pages become names of files; how a dialect wrote them stays beside them in an attribute."""

import posixpath
import re
from collections.abc import Callable

from hexapla.convert.conversion_records import LinkIndex, Take
from hexapla.convert.prose import VERBATIM, change_prose, line_at, replace_outside_code

LINK = re.compile(
    VERBATIM + r"|(?P<opening>(?<!\\)\]\()(?P<target>[^()\s<>]+)(?P<rest>(?:\s+\"[^\"\n]*\")?\))"
    r"(?:\{data-link=\"(?P<written>[^\"\n]*)\"\})?"
)
ADDRESS = re.compile(r"[a-z][a-z0-9+.-]*:|//", re.I)
PICTURES = {"png", "jpg", "jpeg", "gif", "svg", "webp", "avif"}

Resolve = Callable[[str, str, LinkIndex], str]  # the page that a link of a page names by a path, "" for none


def write_links(text: str, page: str, index: LinkIndex, resolve: Resolve, note: Take) -> str:
    """A page whose links name files, and the ids that headings have here."""
    if "](" not in text:
        return text

    def linked(match: re.Match[str], first: int) -> str:
        if match["written"] is not None or ADDRESS.match(match["target"]):
            return match.group()
        path, _, fragment = match["target"].partition("#")
        target = resolve(page, path, index) if path else page
        if not target:
            if path.rpartition(".")[2].lower() not in PICTURES:
                note("link-unknown", line_at(match.string, match.start(), first),
                     f"{path} names no page of the tree; the link stays as it is")
            return match.group()
        here = posixpath.dirname(page) or "."
        made = posixpath.relpath(f"{target}.md", here) if path else ""
        made += "#" + index.ids.get(target, {}).get(fragment, fragment) if fragment else ""
        if made in (match["target"], match["target"].removeprefix("./")):
            return match.group()
        return f'{match["opening"]}{made}{match["rest"]}{{data-link="{match["target"]}"}}'

    made = change_prose(text, lambda run, first: replace_outside_code(
        LINK, lambda match: linked(match, first), run))
    return made if restore_links(made) == text else text


def restore_links(text: str) -> str:
    """The page as it was before `write_links`."""
    def restored(match: re.Match[str]) -> str:
        written = match["written"]
        return match.group() if written is None else f"{match['opening']}{written}{match['rest']}"

    if "{data-link=" not in text:
        return text
    return change_prose(text, lambda run, first: replace_outside_code(LINK, restored, run))
