"""Docusaurus: Markdown with admonitions between colons, tabs as components, and lines of JavaScript."""

import posixpath
import re

from hexapla.convert.containers import ContainerLine, ContainerRules
from hexapla.convert.conversion_records import LinkIndex
from hexapla.convert.links import LinkRules
from hexapla.convert.plain_page import PageRules

KINDS = {"note", "tip", "info", "warning", "danger", "caution", "important", "success", "secondary"}
ADMONITION = re.compile(
    r"(?P<colons>:{3,})\s*(?P<kind>[a-z]+)(?:\[(?P<title>[^\[\]\"]*)\]| +(?P<words>[^\[\]{}\"]+?))?(?:\{[^{}]*\})?\s*"
)
CLOSING = re.compile(r"(?P<colons>:{3,})")
TAG = re.compile(r"<(?P<close>/?)(?P<tag>Tabs|TabItem)(?P<attributes>(?:\s[^<>]*)?)>")
LABELS = tuple(re.compile(rf"\b{name}=\"([^\"]+)\"") for name in ("label", "value"))
JAVASCRIPT = re.compile(
    r"import\s.*(?:from\s*)?['\"][^'\"]+['\"];?|export\s+(?:const|default|function)\b.*;|\{/\*.*\*/\}"
)
BEGUN = re.compile(r"import\s*\{|import\s+\w+\s+from\b|export\s+(?:const|default|function)\b")
COMPONENT = re.compile(r"</?(?!Tabs\b|TabItem\b)[A-Z][\w.]*")


def read_line(line: str) -> ContainerLine | None:
    """What a line opens or closes."""
    if match := ADMONITION.fullmatch(line):
        title = match["title"] or match["words"] or ""
        if match["kind"] in KINDS:
            head = f"!!! {match['kind']}" + (f' "{title}"' if title else "")
            return ContainerLine(match["colons"], True, head)
    if match := CLOSING.fullmatch(line):
        return ContainerLine(match["colons"], False)
    match = TAG.fullmatch(line)
    if not match or match["attributes"].endswith("/"):
        return None
    if match["close"] or match["tag"] == "Tabs":
        return ContainerLine(match["tag"], not match["close"])
    title = next((found[1] for label in LABELS if (found := label.search(match["attributes"]))), "")
    return ContainerLine("TabItem", True, f'=== "{title}"', "Tabs") if title else None


def write_head(head: str, group: str) -> tuple[str, str]:
    """The lines that open and close what a head begins."""
    mark, _, rest = head.partition(" ")
    if mark == "===":
        title = rest.strip('"')
        return f'<TabItem value="{title}">', "</TabItem>"
    kind, _, title = rest.partition(" ")
    return f":::{kind}" + (f"[{title.strip(chr(34))}]" if title else ""), ":::"


def resolve_page(page: str, path: str, index: LinkIndex) -> str:
    """The page that a link names: by its file, or by its address below /docs/."""
    bare = re.sub(r"\.mdx?$", "", path).rstrip("/")
    found = bare.removeprefix("/docs/") if path.startswith("/") else posixpath.normpath(
        posixpath.join(posixpath.dirname(page), bare))
    return found if found in index.pages else ""


def unknown_kind(line: str) -> str:
    """The kind of a component that is not known, or of JavaScript that goes on over lines."""
    if match := COMPONENT.match(line):
        return f"{match.group().replace('/', '')}>"
    return "javascript-lines" if BEGUN.match(line) else ""


TABS = r"</?(?:Tabs|TabItem)\b[^<>]*>"
RULES = PageRules(ContainerRules(read_line, write_head, TABS), LinkRules(resolve_page),
                  lambda line: "javascript" if JAVASCRIPT.fullmatch(line) else "", unknown_kind)
