"""The guide's pages beside each other: the same in every language where they must be, and in the glossary's words.

What is still to be translated is not compared: `hexapla status` names it, and `make release-check` asks for it.
"""

import posixpath
import re
from collections import Counter
from itertools import zip_longest

import pytest
from hexapla.glossary import conversions
from hexapla.hanzi.tables import taiwan_words
from hexapla.pages import spans

from tests.guide.guide import DERIVED, EVERY_TERM, PAGES, PROJECT, SOURCE, TERMS, open_sections, prose, section_at

PYTHON = {"python", "py", "python3", "pycon"}
TABLE = re.compile(r"(?:^[ \t]*\|.*\|[ \t]*$\n?)+", re.M)
TARGET = re.compile(r"\]\(<?([^()<>\s]+)")
INLINE_CODE = re.compile(r"(`+)[^`]+\1")
EXTERNAL = re.compile(r"[a-z][a-z0-9+.-]*:", re.I)
# What a page has in the same number and order in every language, each with its line; links by their targets alone.
SAME = {
    "headings": lambda page: [(heading.line, (heading.level, heading.id)) for heading in page.headings],
    "code blocks": lambda page: [(fence.line, fence.language) for fence in page.fences],
    "includes": lambda page: [(each.line, (each.path, each.section, each.first, each.last)) for each in page.includes],
    "tables, by their rows": lambda page: [
        (line_of(page.text, table.start()), len(table[0].splitlines())) for table in TABLE.finditer(page.text)],
    "links": lambda page: sorted(links(page), key=lambda found: found[1]),
}


def line_of(text, place):
    return text.count("\n", 0, place) + 1


def links(page):
    """Where the page's links lead, each with its line, in its order."""
    place = 0
    for span in spans(page.text):
        if not span.prose:
            yield from ((line_of(page.text, place), each) for each in TARGET.findall(INLINE_CODE.sub("", span.text)))
        place += len(span.text)


def targets(page):
    return [target for _, target in links(page)]


def is_shown_whole(page, fence):
    """Whether a block of Python is an include in each of its lines."""
    inside = [each for each in page.includes if fence.line < each.line < fence.end_line]
    return inside and len(inside) == len([line for line in fence.content.splitlines() if line.strip()])


def test_python_is_an_include_and_nothing_else():
    assert not [
        f"docs/{language}/{path}:{fence.line}" for (language, path), page in PAGES.items()
        if path != "tools/api.md"  # its blocks are compared with the code and run by tests/house/test_api.py
        for fence in page.fences if fence.language in PYTHON and not is_shown_whole(page, fence)
    ]


def test_every_heading_has_an_id_of_its_own():
    assert not [
        f"docs/{language}/{path}:{heading.line}" for (language, path), page in PAGES.items()
        for heading in page.headings if heading.id is None
    ]


@pytest.mark.parametrize("what", SAME)
def test_a_page_has_in_every_language_the_same(what):
    differing = {}
    for language, path in PAGES:
        left = open_sections(language, path)
        ours, source = (
            [found for line, found in SAME[what](page) if section_at(page, line) not in left]
            for page in (PAGES[language, path], PAGES[SOURCE, path])
        )
        if ours != source:
            first = next(pair for pair in zip_longest(ours, source) if pair[0] != pair[1])
            differing[f"docs/{language}/{path}"] = "{} here, {} in the source".format(*first)
    assert not differing


def is_dead(target, language, path):
    """Whether a link of a page leads to a file or a heading that is not there."""
    if EXTERNAL.match(target):
        return False
    file, _, anchor = target.partition("#")
    file = file.partition("?")[0]  # what a page's form is opened with
    aim = posixpath.normpath(posixpath.join(posixpath.dirname(path), file)) if file else path
    if not aim.endswith(".md"):
        return not (PROJECT.docs / posixpath.normpath(f"{language}/{aim}")).is_file()
    page = PAGES.get((language, aim)) or PAGES.get((SOURCE, aim))  # the source's page stands in
    return not page or (anchor and anchor not in {heading.id for heading in page.headings})


def test_no_link_inside_the_guide_is_dead():
    assert not [
        f"docs/{language}/{path}:{line}: {target}" for (language, path), page in PAGES.items()
        for line, target in links(page) if is_dead(target, language, path)
    ]


def test_no_forbidden_rendering_stands_in_the_prose():
    found = {}
    for (language, path), page in PAGES.items():
        text = prose(page)
        if words := [word for term in TERMS for word in term.forbidden.get(language, ()) if word in text]:
            found[f"docs/{language}/{path}"] = words
    assert not found


def rendered(rendering, text):
    """Where a rendering stands, also without its first word behind that: GPU 的記憶體 for GPU 記憶體."""
    head, _, rest = rendering.partition(" ")
    form = f"{re.escape(head)} 的?{re.escape(rest)}" if head.isascii() and not rest.isascii() else re.escape(rendering)
    return re.findall(form, text)


@pytest.mark.parametrize("language", DERIVED)
def test_a_derived_page_renders_each_term_as_the_glossary_does(language):
    origin = DERIVED[language]
    pairs = conversions(TERMS, origin, language)
    # A term inside a longer one is that one's to render: 库 is a library, and 仓库 a repository.
    words = taiwan_words() | conversions(EVERY_TERM, origin, language)
    terms = re.compile("|".join(map(re.escape, sorted(words, key=len, reverse=True))))
    rendered_otherwise = {}
    for path in [path for code, path in PAGES if code == language]:
        found, after = Counter(terms.findall(prose(PAGES[origin, path]))), prose(PAGES[language, path])
        if wrong := [pair for pair in pairs.items() if found[pair[0]] > len(rendered(pair[1], after))]:
            rendered_otherwise[path] = wrong
    assert not rendered_otherwise


def test_a_short_title_is_how_the_title_begins():
    """What the navigation calls a page, its reader finds above it; the first page of a part is its overview."""
    pages = {key: page for key, page in PAGES.items() if page.meta.get("nav_title") and not key[1].endswith("index.md")}
    titles = {key: next(heading.text for heading in page.headings if heading.level == 1) for key, page in pages.items()}
    assert len(pages) > 30
    assert not {key: title for key, title in titles.items() if not title.startswith(pages[key].meta["nav_title"])}
