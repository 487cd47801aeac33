"""CommonMark with GitHub's tables, and the ids that renderers give headings: GitHub's, VitePress', doc-builder's."""

import re
from collections.abc import Callable
from functools import partial
from html import escape
from typing import NamedTuple
from unicodedata import normalize

from markdown_it import MarkdownIt
from markdown_it.rules_core import StateCore
from mdit_py_plugins.footnote import footnote_plugin

from hexapla.pages.source_markers import MARK

# `[[id]]`, `{#id}`, `{/*id*/}` in MDX, and `{.class}`, which is taken off a heading and gives it no id.
EXPLICIT = re.compile(
    r"(?<!\\)[ \t]*(?:\[\[(?P<brackets>[^\[\]\n]+)\]\]|\{/\*[ \t]*\#?(?P<comment>[^\s*{}]+)[ \t]*\*/\}"
    r"|\{[ \t]*(?P<braces>(?:\#[^\s{}]|\.[\w-])[^{}\n]*)\})[ \t]*$"
)
IN_BRACES = re.compile(r"(?:^|\s)#([^\s{}]+)")
# Replaced before doc-builder renders, with the members listed below it.
AUTODOC = re.compile(r"^[ \t]*\[\[(?:autodoc|open-in-colab)\]\].*(?:\n[ \t]+- .*)*", re.M)
NOT_GITHUB = re.compile(r"[^\w\- ]")
NOT_DOC_BUILDER = re.compile(r"[^\w-]|_")
# VitePress (@mdit-vue/shared): what becomes one hyphen, and the accents that go; composed again, as links are written.
SPECIAL = re.compile(r"[\s~`!@#$%^&*()\-_+=\[\]{}|\\;:\"'“”‘’<>,.?/]+")
COMBINING, CONTROLS = re.compile("[\u0300-\u036f]"), re.compile(r"[\x00-\x1f]")
# What React's components give an id: recipes and challenges by their titles' ids, a recap and challenges by themselves.
TITLE_ID, OWN_ID = re.compile(r"""titleId=["']([^"'\s]+)["']"""), re.compile(r"<(Recap|Challenges)\b")
Slug = Callable[[str], str]
Renderer = Callable[[str], str]


def github_slug(text: str) -> str:
    """Lower case, punctuation out, a hyphen for each space (github-slugger, Hugo's `github`)."""
    return NOT_GITHUB.sub("", text.strip().lower()).replace(" ", "-")


def doc_builder_slug(text: str) -> str:
    """Lower case, a hyphen for each run of white space, then letters, digits and hyphens only.

    doc-builder, kit/preprocessors/mdsvex/index.js, since 2023-10.
    """
    return NOT_DOC_BUILDER.sub("", re.sub(r"\s+", "-", text.strip().lower()))


def vitepress_slug(text: str) -> str:
    """A hyphen for each run of punctuation and spaces, accents out, lower case, `_` before a leading digit.

    >>> vitepress_slug("ssr.external"), vitepress_slug("2. Café"), vitepress_slug("概要")
    ('ssr-external', '_2-cafe', '概要')
    """
    bare = COMBINING.sub("", normalize("NFKD", text))
    made = SPECIAL.sub("-", CONTROLS.sub("", bare)).strip("-").lower()
    return normalize("NFC", f"_{made}" if made[:1].isdecimal() else made)


class IdRule(NamedTuple):
    """How a renderer makes ids of headings; `numbered`: a second heading of one text gets `-1`."""

    slug: Slug
    numbered: bool = True


ID_RULES = {
    "github": IdRule(github_slug), "vitepress": IdRule(vitepress_slug), "react": IdRule(github_slug),
    "doc-builder": IdRule(doc_builder_slug, numbered=False),  # two headings have one id
}


def renderer(dialect: str) -> Renderer:
    """A function from Markdown to HTML, whose headings have the ids that the rule of that name makes."""
    library = MarkdownIt("commonmark").enable(["table", "strikethrough"]).use(footnote_plugin)
    library.core.ruler.before("inline", "written_ids", take_written_ids)
    library.core.ruler.push("ids", partial(give_ids, rule=ID_RULES[dialect]))
    library.normalizeLink = str  # type: ignore[assignment]  # a mark must come back as it went in
    if dialect == "react":
        return lambda text: library.render(text) + component_ids(text)
    return library.render if dialect != "doc-builder" else lambda text: library.render(AUTODOC.sub("", text))


def component_ids(text: str) -> str:
    """Anchors for the ids that React's components make."""
    ids = [*TITLE_ID.findall(text), *(name.lower() for name in OWN_ID.findall(text))]
    return "".join(f'<a id="{escape(each)}"></a>' for each in dict.fromkeys(ids))


def take_written_ids(state: StateCore) -> None:
    """Take the id that its author wrote off each heading's text, before that is read."""
    for opening, content in zip(state.tokens, state.tokens[1:], strict=False):
        if opening.type != "heading_open" or not (explicit := EXPLICIT.search(content.content)):
            continue
        content.content = content.content[: explicit.start()]
        named = IN_BRACES.search(explicit["braces"] or "")
        if written := explicit["brackets"] or explicit["comment"] or (named[1] if named else ""):
            opening.attrSet("id", MARK.sub("", written))
            opening.attrSet("data-explicit", "1")


def give_ids(state: StateCore, rule: IdRule) -> None:
    """Give each heading that has no id one by the rule."""
    taken: dict[str, int] = {}
    for opening, content in zip(state.tokens, state.tokens[1:], strict=False):
        if opening.type != "heading_open" or opening.attrGet("id"):
            continue
        shown = "".join(child.content for child in content.children or () if child.type in {"text", "code_inline"})
        made = rule.slug(MARK.sub("", shown))
        count = taken.get(made, 0)
        taken[made] = count + 1
        if made:
            opening.attrSet("id", f"{made}-{count}" if count and rule.numbered else made)
