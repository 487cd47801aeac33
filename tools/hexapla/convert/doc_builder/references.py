"""Names in brackets and links between pages: doc-builder's ``[`~Trainer.train`]`` and `./training`."""

import posixpath
import re
from collections.abc import Mapping

from hexapla.convert.conversion_records import LinkIndex, Take
from hexapla.convert.prose import VERBATIM, change_prose, line_at, replace_outside_code

NAME = r"~?[A-Za-z_]\w*(?:\.\w+){0,9}(?:\(\))?"
NAMED = re.compile(rf"\[`(?P<name>{NAME})`\](?![(\[:{{])|\[`(?P<other>[^`\n\]]+)`\](?![(\[:{{])|" + VERBATIM)
API = re.compile(
    rf"\[`(?P<shown>{NAME})`\]\((?P<address>[^()\s]+)\)\{{\.api\}}"
    rf"|`(?P<plain>{NAME})`\{{\.api(?: title=\"(?P<title>{NAME})\")?\}}|" + VERBATIM
)
LINK = re.compile(
    VERBATIM + r"|(?P<opening>(?<!\\)\]\()(?P<path>[^()\s<>#]*)(?P<fragment>#[^()\s<>]*)?"
    r"(?P<rest>(?:\s+\"[^\"\n]*\")?\))"
    r"(?P<as_is>\{\.as-is\})?(?:\{data-fragment=\"(?P<written>[^\"\n]*)\"\})?"
)
AS_IS = "{.as-is}"
AUTODOC = re.compile(r"^[ \t]*\[\[autodoc\]\][ \t]+(?P<name>[A-Za-z_][\w.]*)[ \t]*$", re.M)


def documented_objects(texts: Mapping[str, str], package: str) -> dict[str, str]:
    """The page of each object that `[[autodoc]]` names, without the package's name; the first one counts."""
    found: dict[str, str] = {}
    for page, text in texts.items():
        for match in AUTODOC.finditer(text) if "[[autodoc]]" in text else ():
            found.setdefault(match["name"].removeprefix(f"{package}."), page)
    return found


def reference_address(name: str, index: LinkIndex) -> str:
    """Where the published reference documents an object, "" where it is not known to."""
    parts = name.removesuffix("()").split(".")
    package = index.reference.split("/docs/")[-1].split("/")[0]
    if not index.reference:
        return ""
    parts = parts[1:] if parts[0] == package and len(parts) > 1 else parts
    for length in range(len(parts), 0, -1):
        if page := index.documented.get(".".join(parts[:length])):
            return f"{index.reference}/{page}#{package}.{'.'.join(parts)}"
    return ""


def link_names(text: str, index: LinkIndex, note: Take) -> str:
    """A page whose names in brackets are links into the reference, or code where it does not have them."""
    if "[`" not in text:
        return text

    def named(match: re.Match[str], first: int) -> str:
        line = line_at(match.string, match.start(), first)
        if match["other"]:
            note("reference-form", line, f"[`{match['other']}`] names no object; it stays as it is")
            return match.group()
        name = match["name"].removeprefix("~")
        shown = name.rpartition(".")[2] if match["name"].startswith("~") else name
        where = reference_address(name, index)
        if where:
            linked = f"[`{shown}`]({where}){{.api}}"
            if replace_outside_code(API, original_name, linked) == match.group():
                return linked
        elif index.reference:
            note("reference-unknown", line, f"the reference has no {name}; it is shown without a link")
        return f"`{shown}`{{.api}}" if match["name"] == shown else f'`{shown}`{{.api title="{match["name"]}"}}'

    return change_prose(text, lambda run, first: replace_outside_code(
        NAMED, lambda match: named(match, first), run))


def original_name(match: re.Match[str]) -> str:
    """The name in brackets that a link or code was made from."""
    if match["plain"]:
        return f"[`{match['title'] or match['plain']}`]"
    whole = match["address"].rpartition("#")[2].partition(".")[2]
    whole += "()" if match["shown"].endswith("()") else ""
    return f"[`{whole}`]" if whole == match["shown"] else f"[`~{whole}`]"


def restore_names(text: str) -> str:
    """The page as it was before `link_names`."""
    if "{.api" not in text:
        return text
    return change_prose(text, lambda run, first: replace_outside_code(API, original_name, run))


def resolve_page(page: str, path: str, index: LinkIndex) -> str:
    """The page that a link of `page` names, "" for none."""
    if not path:
        return page
    if "://" in path or path.startswith(("/", "mailto:")):
        return ""
    found = posixpath.normpath(posixpath.join(posixpath.dirname(page), path))
    return found if found in index.pages else ""


def link_pages(text: str, page: str, index: LinkIndex, note: Take) -> str:
    """A page whose links name files, and the ids that headings have here."""
    if "](" not in text:
        return text

    def linked(match: re.Match[str], first: int) -> str:
        path, fragment = match["path"], match["fragment"] or ""
        if not (path or fragment):
            return match.group()
        target = resolve_page(page, path, index)
        if not target:
            looks_dead(match, first)
            return match.group() + (AS_IS if restored_link(match, page, index) != match.group() else "")
        wanted = fragment[1:]
        now = "#" + index.ids.get(target, {}).get(wanted, wanted) if fragment else ""
        made = f"{match['opening']}{path}{'.md' if path else ''}{now}{match['rest']}"
        back = LINK.fullmatch(made)
        same = back is not None and restored_link(back, page, index) == match.group()
        return made if same else f'{made}{{data-fragment="{fragment}"}}'

    def looks_dead(match: re.Match[str], first: int) -> None:
        path = match["path"]
        image = path.rpartition(".")[2].lower() in {"png", "jpg", "jpeg", "gif", "svg", "webp"}
        if path and not image and ":" not in path and not path.startswith("/"):
            note("link-unknown", line_at(match.string, match.start(), first),
                 f"{path} names no page of the tree; the link stays as it is")

    return change_prose(text, lambda run, first: replace_outside_code(
        LINK, lambda match: linked(match, first), run))


def restored_link(match: re.Match[str], page: str, index: LinkIndex) -> str:
    """A link as doc-builder writes it."""
    path, fragment = match["path"], match["fragment"] or ""
    named = path.removesuffix(".md")
    target = resolve_page(page, named, index) if named != path or not path else ""
    if not target:
        return match.group()
    now = "#" + index.former.get(target, {}).get(fragment[1:], fragment[1:]) if fragment else ""
    return f"{match['opening']}{named}{now}{match['rest']}"


def restore_links(text: str, page: str, index: LinkIndex) -> str:
    """The page as it was before `link_pages`."""
    def restored(match: re.Match[str]) -> str:
        if match["as_is"]:
            return match.group().removesuffix(AS_IS)
        if match["written"]:
            return f"{match['opening']}{match['path'].removesuffix('.md')}{match['written']}{match['rest']}"
        return restored_link(match, page, index)

    return change_prose(text, lambda run, first: replace_outside_code(LINK, restored, run)) if "](" in text else text
