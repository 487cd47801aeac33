"""Python-Markdown as a tree's own mkdocs.yml sets it up, as far as that can be had without running what it names.

Taken over: the extensions of Markdown and pymdown-extensions with their options. Left out: what opens files or the
network (snippets, b64, pathconverter), and every other extension, because a page is not trusted and neither is the
configuration beside it. Options that hold code (`!!python/name:`) fall back to the extension's own.
"""

import re
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any
from xml.etree.ElementTree import Element

from markdown import Markdown
from markdown.extensions import toc
from pymdownx import emoji, slugs  # type: ignore[import-untyped]

from hexapla.pages.inline_markup import skip_plain_text

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
    "pymdownx.tabbed": {}, "pymdownx.tasklist": {}, "pymdownx.tilde": {},
}

ICON = "icon"
ICON_NAME = re.compile(r":(?:fontawesome|material|octicons|simple)-")
FENCE = "<pre></pre>"  # what a fence becomes: nothing in it makes a link or an id


def accept_fence(language: str, inputs: dict[str, str], options: dict[str, Any], *rest: object) -> bool:
    """The validator of fences: any language and any option makes one."""
    return True


def leave_out(source: str, language: str, css_class: str, *rest: object, **options: object) -> str:
    """The formatter of fences: nothing in them makes a link or an id, and colours cost two fifths of the time."""
    return FENCE


OVERLAY: dict[str, dict[str, Any]] = {
    "pymdownx.highlight": {"use_pygments": False, "linenums": False, "auto_title": False},
    "pymdownx.superfences": {
        "custom_fences": [{"name": "*", "class": "code", "format": leave_out, "validator": accept_fence}],
    },
    # The other style puts all labels into one line, and for each tab searches all tabs of its set.
    "pymdownx.tabbed": {"alternate_style": False}, "pymdownx.blocks.tab": {"alternate_style": False},
    "toc": {"permalink": False, "anchorlink": False},
}


def choose_extensions(wanted: Mapping[str, Any] | None, slug: str = "") -> Setup:
    """The extensions to run, with their options, that `markdown_extensions` of a mkdocs.yml asks for.

    None asks for what most trees use. An extension that is not known here is left out, whether installed or not.
    `slug` "python-markdown" or "pymdownx" makes ids by that library's rule, whatever the configuration says.
    """
    asked = USUAL if wanted is None else {**BUILT_IN, **wanted}
    kept: dict[str, dict[str, Any]] = {}
    for name, options in asked.items():
        short = name.removeprefix("markdown.extensions.")
        if short in DROPPED or name in OPENING_FILES:
            continue
        if short in SHORT or (name.startswith("pymdownx.") and name.removeprefix("pymdownx.") in PYMDOWNX):
            kept[short] = {**plain_options(options), **OVERLAY.get(short, {})}
    if "pymdownx.superfences" in kept:
        kept.pop("fenced_code", None)
        kept.setdefault("pymdownx.highlight", dict(OVERLAY["pymdownx.highlight"]))
    if "pymdownx.emoji" in kept:
        with_icons = re.search("material|zensical", str(asked["pymdownx.emoji"]))
        kept["pymdownx.emoji"] = {"emoji_index": index_icons, "emoji_generator": draw_icon} if with_icons else {}
    slugify = find_slugifier(asked.get("toc", asked.get("markdown.extensions.toc")), slug)
    kept["toc"] = {**kept.get("toc", {}), "slugify": slugify} if slugify else kept.get("toc", {})
    return kept


class Icons(dict[str, Any]):
    """Emoji by their short names, to which any name of an icon is one."""

    def get(self, name: str, default: Any = None) -> Any:
        """What is known of an emoji or icon."""
        return super().get(name, {"category": ICON} if ICON_NAME.match(name) else default)


def index_icons(options: Mapping[str, Any], library: Markdown) -> dict[str, Any]:
    """The extension's own index of emoji, with the icons of Material for MkDocs."""
    own = emoji.emojione(options, library)
    return {**own, "emoji": Icons(own["emoji"])}


def draw_icon(index: str, name: str, alias: str, code: str, alt: str, title: str, category: str, *rest: Any) -> Any:
    """An emoji as the extension draws it; an icon shows no text, so no id has its name."""
    return Element("span") if category == ICON else emoji.to_png(index, name, alias, code, alt, title, category, *rest)


def plain_options(options: object) -> dict[str, Any]:
    """Options that are values; one that names code in Python falls back to the extension's own."""
    given = options.items() if isinstance(options, dict) else ()
    return {
        str(key): value for key, value in given
        if value is not None and key != "slugify" and not (isinstance(value, dict) and "python" in value)
    }


def find_slugifier(options: object, slug: str) -> Any:
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


def make_renderer(made: Setup) -> Callable[[str], str]:
    """A function from Markdown to HTML; one instance of the library, made for the first page, serves all."""
    @cache
    def library() -> Markdown:
        configs = {name: dict(options) for name, options in made.items()}
        instance = Markdown(extensions=list(configs), extension_configs=configs)
        instance.treeprocessors.deregister("prettify")  # line breaks for people who read the HTML: 7 % of the time
        skip_plain_text(instance, configs.keys())
        return instance

    return lambda text: library().reset().convert(text)
