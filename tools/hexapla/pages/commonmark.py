"""CommonMark with GitHub's tables, and the ids that GitHub (Hugo too) and Hugging Face's doc-builder give headings."""

import re
from collections.abc import Callable
from functools import partial

from markdown_it import MarkdownIt
from markdown_it.rules_core import StateCore
from mdit_py_plugins.footnote import footnote_plugin

from hexapla.pages.mdx import PLACEHOLDER, render_mdx, take_tag_lines
from hexapla.pages.source_markers import MARK

# `[[id]]`, `{.class #id}`, and `{.class}`, which is taken off a heading and gives it no id.
EXPLICIT = re.compile(
    r"[ \t]*(?:\[\[(?P<brackets>[^\[\]\n]+)\]\]|\{[ \t]*(?P<braces>(?:\#[^\s{}]|\.[\w-])[^{}\n]*)\})[ \t]*$"
)
IN_BRACES = re.compile(r"(?:^|\s)#([^\s{}]+)")
# Replaced before doc-builder renders, with the members listed below it.
AUTODOC = re.compile(r"^[ \t]*\[\[(?:autodoc|open-in-colab)\]\].*(?:\n[ \t]+- .*)*", re.M)
NOT_GITHUB = re.compile(r"[^\w\- ]")
NOT_DOC_BUILDER = re.compile(r"[^\w-]|_")
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


def renderer(dialect: str, mdx: bool = False) -> Renderer:
    """A function from Markdown, or MDX, to HTML, for "github" or "doc-builder".

    By GitHub's rule a second heading of one text gets `-1`; doc-builder leaves two with one id.
    """
    slug, numbered = (github_slug, True) if dialect == "github" else (doc_builder_slug, False)
    library = MarkdownIt("commonmark").enable(["table", "strikethrough"]).use(footnote_plugin)
    library.core.ruler.push("ids", partial(give_ids, slug=slug, numbered=numbered))
    library.normalizeLink = str  # type: ignore[assignment]  # a mark must come back as it went in
    if mdx:
        take_tag_lines(library)
        return partial(render_mdx, render=library.render)
    return library.render if dialect == "github" else lambda text: library.render(AUTODOC.sub("", text))


def give_ids(state: StateCore, slug: Slug, numbered: bool) -> None:
    """Give each heading its id: the one its author wrote, or the rule's."""
    taken: dict[str, int] = {}
    for opening, content in zip(state.tokens, state.tokens[1:], strict=False):
        if opening.type != "heading_open":
            continue
        children = content.children or []
        last = children[-1] if children and children[-1].type == "text" else None
        explicit = EXPLICIT.search(last.content) if last else None
        if last and explicit:
            last.content = last.content[: explicit.start()]
            named = IN_BRACES.search(explicit["braces"] or "")
            if written := explicit["brackets"] or (named[1] if named else ""):
                opening.attrSet("id", written)
                opening.attrSet("data-explicit", "1")
                continue
        shown = "".join(child.content for child in children if child.type in {"text", "code_inline"})
        made = slug(PLACEHOLDER.sub("", MARK.sub("", shown)))
        count = taken.get(made, 0)
        taken[made] = count + 1
        if made:
            opening.attrSet("id", f"{made}-{count}" if count and numbered else made)
