"""Links between pages become names of files; how a dialect wrote them stays beside them where that does not follow."""

import posixpath
import re
from collections.abc import Callable
from typing import NamedTuple

from hexapla.convert.conversion_records import LinkIndex, Take
from hexapla.convert.prose import VERBATIM, replace_in_prose

LINK = re.compile(
    VERBATIM + r"|(?P<opening>(?<!\\)\]\()(?P<target>[^()\s<>]+)(?P<rest>(?:\s+\"[^\"\n]*\")?\))"
    r"(?:\{data-link=\"(?P<written>[^\"\n]*)\"\})?"
)
ADDRESS = re.compile(r"[a-z][a-z0-9+.-]*:|//", re.I)
PICTURES = {"png", "jpg", "jpeg", "gif", "svg", "webp", "avif"}


def relative_path(page: str, path: str, target: str) -> str:
    """The file of a page as another page names it."""
    return posixpath.relpath(f"{target}.md", posixpath.dirname(page) or ".")


class LinkRules(NamedTuple):
    """The links of a dialect, as functions.

    `resolve` gives the page that a link of a page names by a path, "" for none, None where that is no page's. `name`
    gives the file that stands for it here, `written` the target that the dialect writes for one of ours.
    """

    resolve: Callable[[str, str, LinkIndex], str | None]
    name: Callable[[str, str, str], str] = relative_path
    written: Callable[[str, str, LinkIndex], str] = lambda page, target, index: target


def write_links(text: str, page: str, index: LinkIndex, rules: LinkRules, note: Take) -> str:
    """A page whose links name files, and the ids that headings have here."""
    def write_link(match: re.Match[str], line: int) -> str:
        target = made = match["target"]
        if match["written"] is not None:
            return match.group()
        path, mark, fragment = target.partition("#")
        found = page if not path else None if ADDRESS.match(target) else rules.resolve(page, path, index)
        if found:
            made = rules.name(page, path, found) if path else ""
            made += mark + index.ids.get(found, {}).get(fragment, fragment)
            made = target if made == target.removeprefix("./") else made
        elif found is not None and path.rpartition(".")[2].lower() not in PICTURES:
            note("link-unknown", line, f"{path} names no page of the tree; the link stays as it is")
        kept = "" if rules.written(page, made, index) == target else f'{{data-link="{target}"}}'
        return f"{match['opening']}{made}{match['rest']}{kept}"

    made = replace_in_prose(LINK, write_link, text)
    if restore_links(made, page, index, rules) == text:
        return made
    note("links", 1, "links of this page could not be taken back exactly; they stay as they are")
    return text


def restore_links(text: str, page: str, index: LinkIndex, rules: LinkRules) -> str:
    """The page as it was before `write_links`."""
    def restore_link(match: re.Match[str], line: int) -> str:
        written = match["written"]
        target = rules.written(page, match["target"], index) if written is None else written
        return f"{match['opening']}{target}{match['rest']}"

    return replace_in_prose(LINK, restore_link, text)
