"""Python-Markdown as a tree's own mkdocs.yml sets it up, as far as that can be had without running what it names.

Taken over: the extensions of Markdown and pymdown-extensions with their options. Left out: what opens files or the
network (snippets, b64, pathconverter), and every other extension, because a page is not trusted and neither is the
configuration beside it. Options that hold code (`!!python/name:`) fall back to the extension's own.
"""

from collections.abc import Mapping
from functools import cached_property
from importlib import import_module
from typing import Any
from xml.etree.ElementTree import Element

import markdown
from markdown.extensions import Extension, toc
from pymdownx import slugs  # type: ignore[import-untyped]

from hexapla.pages.html_reader import Event
from hexapla.pages.invisible import HIDDEN
from hexapla.pages.late import late
from hexapla.pages.quick import QuickTocExtension, quicken, serialize
from hexapla.pages.reader import PlainDialect
from hexapla.pages.walk import FENCE, walk

Setup = Mapping[str, Mapping[str, Any]]

SHORT = frozenset(
    [
        "abbr", "admonition", "attr_list", "def_list", "extra", "fenced_code", "footnotes", "legacy_attrs", "legacy_em",
        "md_in_html", "nl2br", "sane_lists", "smarty", "tables", "toc", "wikilinks",
    ]
)
# codehilite only colours; meta would take the first lines of a page, which MkDocs has read before.
OPENING_FILES = {"pymdownx.snippets", "pymdownx.b64", "pymdownx.pathconverter"}
DROPPED = {"codehilite", "markdown.extensions.codehilite", "meta", "markdown.extensions.meta"}
PYMDOWNX = frozenset(
    [
        "arithmatex", "betterem", "caret", "critic", "details", "emoji", "escapeall", "extra", "fancylists",
        "highlight", "inlinehilite", "keys", "magiclink", "mark", "progressbar", "quotes", "saneheaders",
        "smartsymbols", "striphtml", "superfences", "tabbed", "tasklist", "tilde", "blocks.admonition",
        "blocks.caption", "blocks.definition", "blocks.details", "blocks.html", "blocks.tab",
    ]
)
# What MkDocs adds of its own accord, and what a tree without a mkdocs.yml is read with.
BUILT_IN: dict[str, Any] = {"toc": {}, "tables": {}, "fenced_code": {}}
USUAL: dict[str, Any] = {
    **BUILT_IN, "abbr": {}, "admonition": {}, "attr_list": {}, "def_list": {}, "footnotes": {}, "md_in_html": {},
    "pymdownx.betterem": {}, "pymdownx.caret": {}, "pymdownx.details": {}, "pymdownx.highlight": {},
    "pymdownx.inlinehilite": {}, "pymdownx.keys": {}, "pymdownx.mark": {}, "pymdownx.superfences": {},
    "pymdownx.tabbed": {"alternate_style": True}, "pymdownx.tasklist": {}, "pymdownx.tilde": {},
}

# By extension: what stands in every text that it renders differently.
NEEDED = {
    "abbr": "*[", "admonition": "!!!", "attr_list": "{", "def_list": ":", "footnotes": "[^", "tables": "|",
    "wikilinks": "[[", "pymdownx.blocks.admonition": "///", "pymdownx.blocks.caption": "///",
    "pymdownx.blocks.definition": "///", "pymdownx.blocks.details": "///", "pymdownx.blocks.html": "///",
    "pymdownx.blocks.tab": "///", "pymdownx.caret": "^", "pymdownx.details": "???", "pymdownx.emoji": ":",
    "pymdownx.keys": "+", "pymdownx.mark": "=", "pymdownx.tabbed": "===", "pymdownx.tilde": "~",
}


# Postprocessors that change nothing in a page without placeholders, or only put back what these stand for.
PUT_BACK = {
    "RawHtmlPostprocessor", "MarkdownInHTMLPostprocessor", "AndSubstitutePostprocessor", "FootnotePostprocessor",
}


def accept(language: str, inputs: dict[str, str], options: dict[str, Any], *rest: object) -> bool:
    """The validator of fences: any language and any option makes one."""
    return True


def leave_out(source: str, language: str, css_class: str, *rest: object, **options: object) -> str:
    """The formatter of fences: nothing in them makes a link or an id, and colours cost two fifths of the time."""
    return FENCE


OVERLAY: dict[str, dict[str, Any]] = {
    "pymdownx.highlight": {"use_pygments": False, "linenums": False, "auto_title": False},
    "pymdownx.superfences": {
        "custom_fences": [{"name": "*", "class": "code", "format": leave_out, "validator": accept}],
    },
    "toc": {"permalink": False, "anchorlink": False},
}


def setup(entries: object, slug: str = "") -> Setup:
    """The extensions to run, with their options, that `markdown_extensions` of a mkdocs.yml asks for.

    None asks for what most trees use. An extension that is not known here is left out, whether installed or not.
    `slug` "python-markdown" or "pymdownx" makes ids by that library's rule, whatever the configuration says.
    """
    asked = dict(USUAL) if entries is None else {**BUILT_IN, **named(entries)}
    kept: dict[str, dict[str, Any]] = {}
    for name, options in asked.items():
        short = name.removeprefix("markdown.extensions.")
        if short in DROPPED or name in OPENING_FILES:
            continue
        if short in SHORT or (name.startswith("pymdownx.") and name.removeprefix("pymdownx.") in PYMDOWNX):
            kept[short] = {**plain(options), **OVERLAY.get(short, {})}
    if "pymdownx.superfences" in kept:
        kept.pop("fenced_code", None)
        kept.setdefault("pymdownx.highlight", dict(OVERLAY["pymdownx.highlight"]))
    if "pymdownx.emoji" in kept:
        kept["pymdownx.emoji"] = {}
    slugify = slugifier(asked.get("toc", asked.get("markdown.extensions.toc")), slug)
    kept["toc"] = {**kept.get("toc", {}), "slugify": slugify} if slugify else kept.get("toc", {})
    return kept


def named(entries: object) -> dict[str, Any]:
    """MkDocs' list of names and one-key mappings, or a mapping, as one mapping of name to options."""
    if isinstance(entries, dict):
        return {str(name): options for name, options in entries.items()}
    found: dict[str, Any] = {}
    for entry in entries if isinstance(entries, list) else []:
        for name, options in entry.items() if isinstance(entry, dict) else [(entry, None)]:
            found[str(name)] = options
    return found


def plain(options: object) -> dict[str, Any]:
    """Options that are values; one that names code in Python falls back to the extension's own."""
    given = options.items() if isinstance(options, dict) else ()
    return {
        str(key): value for key, value in given
        if value is not None and key != "slugify" and not (isinstance(value, dict) and "python" in value)
    }


def slugifier(options: object, slug: str) -> Any:
    """The function that makes ids: the one asked for, out of a list of known ones; None for the default."""
    asked = options.get("slugify") if isinstance(options, dict) else None
    name = str(asked.get("python", "")) if isinstance(asked, dict) else ""
    given = asked.get("options") if isinstance(asked, dict) else None
    if slug == "pymdownx" and not name.startswith("pymdownx.slugs."):
        name, given = "pymdownx.slugs.slugify", {"case": "lower"}
    if slug == "python-markdown" or name == "markdown.extensions.toc.slugify":
        return toc.slugify
    if name == "markdown.extensions.toc.slugify_unicode":
        return toc.slugify_unicode
    if name == "pymdownx.slugs.slugify":
        known = {key: value for key, value in (given or {}).items() if key in {"case", "percent_encode", "normalize"}}
        return slugs.slugify(**known)
    return getattr(slugs, name.removeprefix("pymdownx.slugs."), None) if name.startswith("pymdownx.slugs.u") else None


def python_markdown(made: Setup) -> PlainDialect:
    """The dialect of a set-up.

    The first page gets a renderer with the extensions that it needs, since setting up all of them takes longer than
    reading a page; pages that need others share one that has them all.
    """
    renderers: dict[tuple[str, ...], Renderer] = {}

    def render(text: str) -> str | list[Event]:
        asked = needed(made, text)
        if renderers and tuple(asked) not in renderers:
            asked = made
        if tuple(asked) not in renderers:
            renderers[tuple(asked)] = renderer(asked)
        return renderers[tuple(asked)].told(text)

    return PlainDialect("python-markdown", render)


def needed(made: Setup, text: str) -> Setup:
    """The extensions that can change how a text is rendered; one with options is always kept.

    Where a backslash stands all are: extensions add to the characters that one can stand before.
    """
    if "\\" in text:
        return made
    return {name: options for name, options in made.items() if options or NEEDED.get(name, "") in text}


class Renderer(markdown.Markdown):
    """Python-Markdown that imports extensions by their names, and does not look through all packages for them.

    Whether a tag is a block is asked of every element of a page; the library looks through a list each time.
    """

    @cached_property
    def blocks(self) -> frozenset[str]:
        """The tags of blocks, once all extensions have named theirs."""
        return frozenset(self.block_level_elements)

    def convert(self, source: str) -> str:
        """A page's HTML; processors can ask for its text."""
        self.source = source
        return super().convert(source)

    def told(self, text: str) -> str | list[Event]:
        """What a parser would tell of a page's HTML, or the HTML where only a parser knows."""
        self.reset()
        self.events: list[Event] | None = None
        serializer = self.serializer
        if not HIDDEN.search(text) and {type(one).__name__ for one in self.postprocessors} <= PUT_BACK:
            self.serializer = self.serialized
        try:
            html = self.convert(text)
        finally:
            self.serializer = serializer
        return html if self.events is None else self.events

    def serialized(self, root: Element) -> str:
        """The HTML of a tree; nothing of the page's own where that has become events."""
        if root is self.parser.root:
            self.events = walk(root, self.htmlStash.rawHtmlBlocks)
        return serialize(root) if self.events is None else f"<{self.doc_tag}></{self.doc_tag}>"

    def is_block_level(self, tag: object) -> bool:
        """Whether a tag is that of a block."""
        return isinstance(tag, str) and tag.lower().rstrip("/") in self.blocks

    def build_extension(self, ext_name: str, configs: Mapping[str, Any]) -> Extension:
        """The extension of that name with its options."""
        if ext_name == "toc":
            return QuickTocExtension(**configs)
        with late("urllib.request"):  # of pymdownx: HTTP, TLS and e-mail, for snippets that are fetched
            module = import_module(ext_name if "." in ext_name else f"markdown.extensions.{ext_name}")
        made: Extension = module.makeExtension(**configs)
        return made


def renderer(made: Setup) -> Renderer:
    """Python-Markdown with the extensions of a set-up."""
    configs = {name: dict(options) for name, options in made.items()}
    quick = Renderer(extensions=list(configs), extension_configs=configs)
    quicken(quick)
    return quick


def convert(made: markdown.Markdown, text: str) -> str:
    """One page's HTML."""
    made.reset()
    return made.convert(text)
