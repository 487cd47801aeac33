"""Hugo with Docsy: shortcodes for call-outs and tabs, links by addresses."""

import posixpath
import re

from hexapla.convert.containers import ContainerLine, ContainerRules
from hexapla.convert.conversion_records import LinkIndex
from hexapla.convert.links import LinkRules
from hexapla.convert.plain_page import PageRules
from hexapla.languages import is_code

SHORTCODE = re.compile(
    r"\{\{(?P<mark>[<%])\s*(?P<close>/?)\s*(?P<name>[A-Za-z_][\w./-]*)(?P<rest>(?:\s[^{}]*?)?)\s*[>%]\}\}"
)
NAMED = re.compile(r"(?P<name>\w+)=(?:\"(?P<quoted>[^\"]*)\"|(?P<bare>[^\s\"]+))")
COLORS = {"warning": "warning", "danger": "danger", "caution": "warning", "success": "success", "secondary": "note"}


def read_line(line: str) -> ContainerLine | None:
    """What a line opens or closes."""
    match = SHORTCODE.fullmatch(line)
    if not match or match["name"] not in {"alert", "tabpane", "tab"} or match["rest"].endswith("/"):
        return None
    name = match["name"]
    given = {found["name"]: found["quoted"] or found["bare"] or "" for found in NAMED.finditer(match["rest"])}
    if match["close"]:
        return ContainerLine(name, False)
    if name == "tabpane":
        return ContainerLine(name, True)
    if name == "alert":
        kind, title = COLORS.get(given.get("color", ""), "note"), given.get("title", "")
        return ContainerLine(name, True, f"!!! {kind}" + f' "{title}"' * bool(title))
    title = given.get("header") or NAMED.sub("", match["rest"]).strip().strip('"').strip()
    marked = match["mark"] == "%"  # what stands in the other kind is code, not Markdown
    return ContainerLine(name, True, f'=== "{title}"', "tabpane") if title and marked and '"' not in title else None


def write_head(head: str, group: str) -> tuple[str, str]:
    """The lines that open and close what a head begins."""
    mark, _, rest = head.partition(" ")
    if mark == "===":
        return f"{{{{% tab {rest} %}}}}", "{{% /tab %}}"
    kind, _, title = rest.partition(" ")
    parts = ["alert", *([f"title={title}"] if title else []), *([f'color="{kind}"'] if kind != "note" else [])]
    return f"{{{{% {' '.join(parts)} %}}}}", "{{% /alert %}}"


def resolve_page(page: str, path: str, index: LinkIndex) -> str:
    """The page that a link names: by its address from the site's root or from the page's own, or by its file."""
    bare = re.sub(r"(?:^|/)_?index$", "", path.removesuffix(".md")).rstrip("/")
    if path.startswith("/"):
        found = bare.strip("/")
        first, _, below = found.partition("/")
        found = below if is_code(first) and first not in index.pages else found
    else:
        folder = posixpath.dirname(page) if path.endswith(".md") or page.rpartition("/")[2] == "index" else page
        found = posixpath.normpath(posixpath.join(folder, bare))
    return next((each for each in (found, f"{found}/index".lstrip("/")) if each in index.pages), "")


def kind_of(match: re.Match[str] | None, where: str = "") -> str:
    return f"{where}{{{{{match['name']}}}}}" if match else ""


TAG = r"\{\{[<%]\s*/?\s*(?:tabpane|tab|alert)\b[^{}]*[>%]\}\}"
RULES = PageRules(ContainerRules(read_line, write_head, TAG), LinkRules(resolve_page),
                  lambda line: kind_of(SHORTCODE.fullmatch(line)),
                  lambda line: kind_of(SHORTCODE.search(line), "inline "))
