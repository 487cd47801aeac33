"""CommonMark with GitHub's tables, its headings with the ids that a rule gives them."""

import re
from collections.abc import Callable
from functools import partial
from html import escape

from markdown_it import MarkdownIt
from markdown_it.rules_core import StateCore
from markdown_it.rules_inline import StateInline
from markdown_it.rules_inline.emphasis import tokenize
from markdown_it.token import Token
from mdit_py_plugins.deflist import deflist_plugin
from mdit_py_plugins.footnote import footnote_plugin

from hexapla.pages.mdx import PLACEHOLDER, render_mdx, take_tag_lines
from hexapla.pages.slugs import ID_RULES, Flanks, IdRule, loose_id
from hexapla.pages.source_markers import MARK

# `[[id]]`, `[#id]` of Fumadocs (`[#12]` is an issue), `{#id}`, `%{#id}%`, `{/*id*/}` in MDX, and `{.class}`, which is
# taken off a heading and gives it no id.
EXPLICIT = re.compile(
    r"(?<!\\)[ \t]*(?:\[(?:\[(?P<brackets>[^\[\]\n]+)\]|\#(?P<hash>(?!\d+\])[^\s\[\]]+))\]"
    r"|\{/\*[ \t]*\#?(?P<comment>[^\s*{}]+)[ \t]*\*/\}"
    r"|%?\{[ \t]*(?P<braces>(?:\#[^\s{}]|\.[\w-])[^{}\n]*)\}%?)[ \t]*$"
)
ENDING_ID = re.compile(r"(?<![ \t])[ \t]*\{#([^\s{}]+)\}[ \t]*$")  # of a block that is no heading
IN_BRACES = re.compile(r"(?:^|\s)#([^\s{}]+)")
Renderer = Callable[[str], str]


def make_renderer(dialect: str, mdx: bool = False) -> Renderer:
    """A function from Markdown, or MDX, to HTML, whose headings have the ids that the rule of that name makes."""
    rule = ID_RULES[dialect]
    library = MarkdownIt("commonmark").enable(["table", "strikethrough"]).use(footnote_plugin)
    if rule.definitions:
        library.use(deflist_plugin)
    if rule.stars:
        library.inline.ruler.at("emphasis", partial(take_stars, flanks=rule.stars))
    library.core.ruler.before("inline", "written_ids", partial(take_written_ids, rule=rule))
    library.core.ruler.push("ids", partial(give_ids, rule=rule))
    library.normalizeLink = str  # type: ignore[assignment]  # a mark must come back as it went in
    render = library.render
    if mdx:
        take_tag_lines(library)
        render = partial(render_mdx, render=library.render)
    prepare = rule.prepare or str
    return lambda text: render(prepare(text)) + component_ids(text, rule)


def take_stars(state: StateInline, silent: bool, flanks: Flanks) -> bool:
    """Take a run of stars that opens and closes emphasis as a renderer has it, which is not CommonMark's way."""
    start, known = state.pos, len(state.delimiters)
    taken = tokenize(state, silent)
    if taken and state.src[start] == "*":
        for each in state.delimiters[known:]:
            before, after = state.src[start - 1 : start], state.src[state.pos : state.pos + 1]
            each.open, each.close = flanks(before or " ", after or " ")
    return taken


def component_ids(text: str, rule: IdRule) -> str:
    """Anchors for the ids that a framework's components make."""
    found = rule.components.finditer(MARK.sub("", text)) if rule.components else ()
    ids = dict.fromkeys(rule.slug(match[match.lastindex or 0]) for match in found)
    return "".join(f'<a id="{escape(each)}"></a>' for each in ids if each)


def take_written_ids(state: StateCore, rule: IdRule) -> None:
    """Take the id that its author wrote off each heading's text, and off others' by the rule, before that is read."""
    for above, opening, content in zip([Token("", "", 0), *state.tokens], state.tokens, state.tokens[1:], strict=False):
        if rule.attributes and opening.type != "heading_open" and content.type == "inline":
            if found := ENDING_ID.search(content.content):
                content.content = content.content[: found.start()]
                (above if opening.hidden else opening).attrSet("id", found[1])
            continue
        if opening.type != "heading_open" or not (explicit := EXPLICIT.search(content.content)):
            continue
        if explicit["hash"] and not rule.hash_brackets:
            continue
        content.content = content.content[: explicit.start()]
        named = IN_BRACES.search(explicit["braces"] or "")
        if written := explicit["brackets"] or explicit["hash"] or explicit["comment"] or (named[1] if named else ""):
            bare = re.sub(r"\\(?=[_*~])", "", MARK.sub("", written))
            opening.attrSet("id", loose_id(bare) if rule.slug is loose_id else bare)
            opening.attrSet("data-explicit", "1")


def give_ids(state: StateCore, rule: IdRule) -> None:
    """Give each heading that has no id one by the rule."""
    taken: dict[str, int] = {}
    for opening, content in zip(state.tokens, state.tokens[1:], strict=False):
        if opening.type != "heading_open" or opening.attrGet("id"):
            continue
        shown = "".join(child.content for child in content.children or () if child.type in {"text", "code_inline"})
        source = content.content.rpartition("\n")[2] if rule.raw else shown
        made = rule.slug(PLACEHOLDER.sub("", MARK.sub("", source)))
        count = taken.get(made, 0)
        taken[made] = count + 1
        if made:
            opening.attrSet("id", rule.slug(f"{made}-{count}") if count and rule.numbered else made)
