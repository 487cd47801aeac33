"""Names in brackets and links between pages: doc-builder's ``[`~Trainer.train`]`` and `./training`."""

import posixpath
import re
from collections.abc import Mapping

from hexapla.convert.conversion_records import LinkIndex, Take
from hexapla.convert.links import LinkRules
from hexapla.convert.prose import VERBATIM, replace_in_prose

NAME = r"~?[A-Za-z_]\w*(?:\.\w+){0,9}(?:\(\))?"
NAMED = re.compile(rf"\[`(?P<name>{NAME})`\](?![(\[:{{])|\[`(?P<other>[^`\n\]]+)`\](?![(\[:{{])|" + VERBATIM)
API = re.compile(
    rf"\[`(?P<shown>{NAME})`\]\((?P<address>[^()\s]+)\)\{{\.api\}}"
    rf"|`(?P<plain>{NAME})`\{{\.api(?: title=\"(?P<title>{NAME})\")?\}}|" + VERBATIM
)
AUTODOC = re.compile(r"^[ \t]*\[\[autodoc\]\][ \t]+(?P<name>[A-Za-z_][\w.]*)[ \t]*$", re.M)


def documented_objects(texts: Mapping[str, str], package: str) -> dict[str, str]:
    """The page of each object that `[[autodoc]]` names, without the package's name; the first one counts."""
    found: dict[str, str] = {}
    for page, text in texts.items():
        for match in AUTODOC.finditer(text) if "[[autodoc]]" in text else ():
            found.setdefault(match["name"].removeprefix(f"{package}."), page)
    return found


def documented_package(reference: str) -> str:
    """The package that a reference's address names: transformers in `https://huggingface.co/docs/transformers/...`."""
    return reference.partition("/docs/")[2].partition("/")[0]


def reference_address(name: str, index: LinkIndex) -> str:
    """Where the published reference documents an object, "" where it is not known to."""
    parts = name.removesuffix("()").split(".")
    package = documented_package(index.reference)
    if not index.reference:
        return ""
    parts = parts[1:] if parts[0] == package and len(parts) > 1 else parts
    for length in range(len(parts), 0, -1):
        if page := index.documented.get(".".join(parts[:length])):
            return f"{index.reference}/{page}#{package}.{'.'.join(parts)}"
    return ""


def link_names(text: str, index: LinkIndex, note: Take) -> str:
    """A page whose names in brackets are links into the reference, or code where it does not have them."""
    def name_reference(match: re.Match[str], line: int) -> str:
        if match["other"]:
            note("reference-form", line, f"[`{match['other']}`] names no object; it stays as it is")
            return match.group()
        name = match["name"].removeprefix("~")
        shown = name.rpartition(".")[2] if match["name"].startswith("~") else name
        where = reference_address(name, index)
        if where:
            linked = f"[`{shown}`]({where}){{.api}}"
            if replace_in_prose(API, original_name, linked) == match.group():
                return linked
        elif index.reference:
            note("reference-unknown", line, f"the reference has no {name}; it is shown without a link")
        return f"`{shown}`{{.api}}" if match["name"] == shown else f'`{shown}`{{.api title="{match["name"]}"}}'

    return replace_in_prose(NAMED, name_reference, text) if "[`" in text else text


def original_name(match: re.Match[str], line: int) -> str:
    """The name in brackets that a link or code was made from."""
    if match["plain"]:
        return f"[`{match['title'] or match['plain']}`]"
    whole = match["address"].rpartition("#")[2].partition(".")[2]
    whole += "()" if match["shown"].endswith("()") else ""
    return f"[`{whole}`]" if whole == match["shown"] else f"[`~{whole}`]"


def restore_names(text: str) -> str:
    """The page as it was before `link_names`."""
    return replace_in_prose(API, original_name, text) if "{.api" in text else text


def resolve_page(page: str, path: str, index: LinkIndex) -> str | None:
    """The page that a link of `page` names, "" for none, None for an address elsewhere."""
    if ":" in path or path.startswith("/"):
        return None
    found = posixpath.normpath(posixpath.join(posixpath.dirname(page), path))
    return found if found in index.pages else ""


def written_target(page: str, target: str, index: LinkIndex) -> str:
    """The target of a link as doc-builder writes it: a page without its ending, the id that its heading had."""
    path, mark, fragment = target.partition("#")
    named = path.removesuffix(".md")
    found = page if not path else resolve_page(page, named, index) if named != path else ""
    return f"{named}{mark}{index.former.get(found, {}).get(fragment, fragment)}" if found else target


LINKS = LinkRules(resolve_page, lambda page, path, target: f"{path}.md", written_target)
