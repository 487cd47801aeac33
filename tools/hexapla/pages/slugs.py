"""The ids that renderers give headings: GitHub's, VitePress', doc-builder's, and where ids are compared loosely."""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import NamedTuple
from unicodedata import category, east_asian_width, normalize

from hexapla.pages.mdc import take_components

# Replaced before doc-builder renders, with the members listed below it.
AUTODOC = re.compile(r"^[ \t]*\[\[(?:autodoc|open-in-colab)\]\].*(?:\n[ \t]+- .*)*", re.M)
# The target of a reference that Hugo or Liquid fills in before it renders: no target of CommonMark has a space.
FILLED_IN = re.compile(r"^([ \t]*\[[^\[\]\n]+\]:[ \t]*)(.*\{\{.*\}\})", re.M)
# Of kramdown: `{: #id .class}` on a line below what it names or behind it, and Liquid's marks around a block of code.
ATTRIBUTES = re.compile(r"^[^\S\n]*\{:[^{}\n]*\}", re.M)
WRITTEN_BELOW = re.compile(r"(?:^[^\S\n]*|(?<=[\])*_`]))\{:[^{}\n]*#([^\s{}]+)", re.M)
HIGHLIGHT = re.compile(r"\{%-?[ \t]*(?:end)?highlight\b[^%\n]*%\}")
BREAK = re.compile(r"(?<=\n)[^\S\n]*<br[ \t]*/?>[^\S\n]*$", re.M)  # which begins no block of HTML
INCLUDE = re.compile(r"\{%-?[ \t]*include\b")  # which may bring definitions of references
REFERENCE = re.compile(r"\[([^\[\]\n]+)\](?:\[\]|\[([^\[\]\n]+)\])")
LIQUID = re.compile(r"^[ \t]*\{%[^%\n]*%\}[ \t]*$", re.M)
ESCAPED_ID = re.compile(r"^([ \t]*#{1,6}[ \t].*)\\(?=\{#[^\s{}]+\}[ \t]*$)", re.M)  # as MDX takes an id
NOT_GITHUB = re.compile(r"[^\w\- ]")
NOT_GITHUB_ASCII = re.compile(r"(?![\x80-\U0010ffff])[^\w\- ]")
MARKS = re.compile(r"(?![\x00-\x7f])[^\w]")  # beside punctuation and symbols the vowel signs of Indic scripts
NOT_DOC_BUILDER = re.compile(r"[^\w-]|_")
# VitePress (@mdit-vue/shared): what becomes one hyphen, and the accents that go; composed again, as links are written.
SPECIAL = re.compile(r"[\s~`!@#$%^&*()\-_+=\[\]{}|\\;:\"'“”‘’<>,.?/]+")
SPECIAL_HEXO = re.compile(r"[\s~`!@#$%^&*()\-_+=\[\]{}|\\;:\"'<>,.?/]+")
EMOJI = re.compile(r"(?<!\S):[a-z0-9_+-]+:(?!\S)")  # which these two draw, and leave out of ids
COMBINING, CONTROLS = re.compile("[\u0300-\u036f]"), re.compile(r"[\x00-\x1f]")
# What components give an id: React's recipes and people by an attribute, its recap and challenges by themselves;
# Mintlify's tabs, steps and accordions by their titles.
REACT_IDS = re.compile(r"""(?:titleId|permalink)=["']([^"'\s]+)["']|<(Recap|Challenges)\b""")
TABS = re.compile(r"^:{3,}[ \t]*tab[ \t]+([^\s{}][^\n{}]*)", re.M)  # of vuepress-plugin-tabs
DOCSIFY_IDS = re.compile(r"^#{1,6}[ \t].*[ \t]:id=([\w-]+)", re.M)
# MyST's `(label)=`, which gives what follows an id. Marks of private use may stand at its ends.
LABEL = re.compile(r"^[\U000f0000-\U0010fffd]*\(([^()\s]+)\)=[\U000f0000-\U0010fffd \t]*$", re.M)
TITLES = re.compile(r"""\b(?:title|label)=["']([^"'\n]{1,200})["']""")
Slug = Callable[[str], str]
# By the characters before and behind a run of stars: whether it opens emphasis, and whether it closes some.
Flanks = Callable[[str, str], tuple[bool, bool]]


def github_slug(text: str) -> str:
    """Lower case, punctuation out, a hyphen for each space (github-slugger, Hugo's `github`).

    >>> github_slug("What's new?"), github_slug("সংজ্ঞা")
    ('whats-new', 'সংজ্ঞা')
    """
    lower = text.strip().lower()
    kept = lower if lower.isascii() else MARKS.sub(lambda match: match[0] * (category(match[0])[0] == "M"), lower)
    return (NOT_GITHUB if lower.isascii() else NOT_GITHUB_ASCII).sub("", kept).replace(" ", "-")


def doc_builder_slug(text: str) -> str:
    """Lower case, a hyphen for each run of white space, then letters, digits and hyphens only.

    doc-builder, kit/preprocessors/mdsvex/index.js, since 2023-10.
    """
    return NOT_DOC_BUILDER.sub("", re.sub(r"\s+", "-", text.strip().lower()))


def vitepress_slug(text: str) -> str:
    """A hyphen for each run of punctuation and spaces, accents out, lower case, `_` before a leading digit.

    >>> vitepress_slug("ssr.external"), vitepress_slug("2. Café"), vitepress_slug("Emoji :tada:")
    ('ssr-external', '_2-cafe', 'emoji')
    """
    bare = COMBINING.sub("", normalize("NFKD", EMOJI.sub("", text)))
    made = SPECIAL.sub("-", CONTROLS.sub("", bare)).strip("-").lower()
    return normalize("NFC", f"_{made}" if made[:1].isdecimal() else made)


def hexo_slug(text: str) -> str:
    """A hyphen for each run of punctuation and spaces, accents out, the case as it is written (hexo-util).

    >>> hexo_slug("list_categories"), hexo_slug("Node.js version")
    ('list-categories', 'Node-js-version')
    """
    return SPECIAL_HEXO.sub("-", normalize("NFC", COMBINING.sub("", normalize("NFD", text)))).strip("-")


def loose_id(text: str) -> str:
    """The letters and digits of an id in lower case, for ids that a program of the tree's own makes.

    >>> loose_id("Optional-Parameters"), loose_id("$route.params"), loose_id("Méthodes")
    ('optionalparameters', 'routeparams', 'methodes')
    """
    bare = COMBINING.sub("", normalize("NFKD", text))
    return re.sub(r"[\W_]+", "", normalize("NFC", bare).lower())


def docsify_id(text: str) -> str:
    """The letters and digits of the id that docsify gives a heading: an apostrophe leaves its number there.

    >>> docsify_id("What's new")
    'what39snew'
    """
    return loose_id(text.replace("'", "39"))


def python_markdown_slug(text: str) -> str:
    """Letters and digits of ASCII in lower case, a hyphen for each run of hyphens and spaces (Python-Markdown's toc).

    >>> python_markdown_slug("Q & A"), python_markdown_slug("\u6982\u8981")
    ('q-a', '')
    """
    plain = re.sub(r"[^\w\s-]", "", normalize("NFKD", text).encode("ascii", "ignore").decode()).strip().lower()
    return re.sub(r"[-\s]+", "-", plain)


def kramdown_stars(before: str, after: str) -> tuple[bool, bool]:
    """What a run of stars does for kramdown: it opens before all but a space, and closes behind all but one."""
    return not after.isspace(), not before.isspace()


def cjk_stars(before: str, after: str) -> tuple[bool, bool]:
    """What a run of stars does by CommonMark's rule if East Asian marks are letters (markdown-it-cjk-friendly).

    >>> cjk_stars("。", "乙"), cjk_stars(")", "乙"), cjk_stars(")", "b")
    ((True, True), (True, True), (True, False))
    """
    def flanks(inner: str, outer: str) -> bool:
        wide, near = (east_asian_width(each) in {"W", "F", "H"} for each in (inner, outer))
        return not inner.isspace() and (
            category(inner)[0] not in "PS" or wide or near or outer.isspace() or category(outer)[0] in "PS")

    return flanks(after, before), flanks(before, after)


def fill_in(text: str) -> str:
    """The text with no space in what is filled in for the target of a reference."""
    return FILLED_IN.sub(lambda found: found[1] + "".join(found[2].split()), text)


def take_kramdown(text: str) -> str:
    r"""The text as CommonMark, without lines of attributes and other tags of Liquid.

    References lead where nobody knows if an include may define them.

    >>> take_kramdown("# A\n{: #b}\n[a]: {{ c }}/d\n{% highlight sh %}\ne\n{% endhighlight %}\n{% tab %}")
    '# A\n\n[a]: {{c}}/d\n```\ne\n```\n'
    """
    if INCLUDE.search(text):
        names = dict.fromkeys(found[2] or found[1] for found in REFERENCE.finditer(text))
        text += "".join(f"\n\n[{name}]: {{{{}}}}" for name in names)  # the first definition of a name counts
    return LIQUID.sub("", BREAK.sub("", HIGHLIGHT.sub("```", ATTRIBUTES.sub("", fill_in(text)))))


class IdRule(NamedTuple):
    """How a renderer makes ids of headings; `numbered`: a second heading of one text gets `-1`.

    What `components` finds in a page's text are ids too, as `slug` makes them; `prepare` makes Markdown of a page.
    `hash_brackets` says that an id is written as `[#id]`, where `[#12]` is an issue. `others` may give a heading an id
    too, where nobody knows what renders the pages; what they number, a heading without letters too, ends in `_1`.
    `links` makes of a link's fragment the id that it finds too. `definitions` says that `: text` below a term is one,
    `stars` which of them are emphasis where CommonMark does not, `attributes` that `{#id}` at the end of any block is
    its id, `raw` that ids are made of a heading's Markdown.
    """

    slug: Slug
    numbered: bool = True
    components: re.Pattern[str] | None = None
    prepare: Callable[[str], str] | None = None
    hash_brackets: bool = False
    others: tuple[Slug, ...] = ()
    links: Slug = str
    definitions: bool = False
    stars: Flanks | None = None
    attributes: bool = False
    raw: bool = False


ID_RULES = {
    "github": IdRule(github_slug), "vitepress": IdRule(vitepress_slug, components=TABS, attributes=True),
    "react": IdRule(github_slug, components=REACT_IDS), "mintlify": IdRule(loose_id, numbered=False, components=TITLES),
    "doc-builder": IdRule(doc_builder_slug, numbered=False, prepare=partial(AUTODOC.sub, "")),  # two may have one id
    "myst": IdRule(github_slug, components=LABEL, prepare=partial(LABEL.sub, "")),
    "unknown": IdRule(github_slug, others=(python_markdown_slug, vitepress_slug), links=str.lower),  # as on GitHub
    "fumadocs": IdRule(github_slug, hash_brackets=True),
    "rspress": IdRule(github_slug, prepare=partial(ESCAPED_ID.sub, r"\1")),
    "hexo": IdRule(hexo_slug), "loose": IdRule(loose_id, numbered=False),
    "docsify": IdRule(loose_id, components=DOCSIFY_IDS, others=(docsify_id,)),
    "mdc": IdRule(github_slug, prepare=take_components),
    "hugo": IdRule(github_slug, prepare=fill_in, definitions=True, raw=True),  # Goldmark's
    "kramdown": IdRule(github_slug, components=WRITTEN_BELOW, prepare=take_kramdown, definitions=True,
                       stars=kramdown_stars),
    "vitepress-2": IdRule(vitepress_slug, components=TABS, attributes=True, links=vitepress_slug, stars=cjk_stars),
}


def other_ids(headings: Iterable[str], anchors: str) -> Iterator[str]:
    """The ids that headings may have too, by their texts, where nobody knows what renders the pages.

    >>> sorted(other_ids(["A & B", "A & B"], "unknown")), list(other_ids(["A & B"], "github"))
    (['a-b', 'a-b', 'a-b_1', 'a-b_1'], [])
    """
    texts = [*headings]
    for slug in ID_RULES[anchors].others if anchors in ID_RULES else ():
        known: Counter[str] = Counter()
        for made in map(slug, texts):
            yield f"{made}_{known[made] + (not made)}" if known[made] or not made else made
            known[made] += 1


def link_id(anchor: str, anchors: str) -> str:
    """The id that a link's fragment finds beside the one of its name, by the rule of a layout's `anchors`.

    >>> link_id("Some Heading", "vitepress-2"), link_id("Some", "github")
    ('some-heading', 'Some')
    """
    return ID_RULES[anchors].links(anchor) if anchors in ID_RULES else anchor


def is_loose(anchors: str) -> bool:
    """Whether ids of a layout's `anchors` are compared by their letters: nobody has said how they are made."""
    return anchors in ID_RULES and ID_RULES[anchors].slug is loose_id
