"""The guide's pages beside each other: the same in every language where they must be, and in the glossary's words.

What is still to be translated is not compared: `hexapla status` names it, and `make release-check` asks for it.
"""

import posixpath
import re
from collections import Counter

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
every_page = pytest.mark.parametrize("name", PAGES, ids="/".join)


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


@every_page
def test_python_is_an_include_and_nothing_else(name):
    page = PAGES[name]
    if "/".join(name).endswith("/tools/api.md"):
        return  # its blocks are compared with the code and run by tests/house/test_api.py
    for fence in page.fences:
        if fence.language in PYTHON:
            inside = [each for each in page.includes if fence.line < each.line < fence.end_line]
            lines = [line for line in fence.content.splitlines() if line.strip()]
            assert inside and len(inside) == len(lines), f"line {fence.line}"


@every_page
def test_every_heading_has_an_id_of_its_own(name):
    assert not [f"line {heading.line}" for heading in PAGES[name].headings if heading.id is None]


@every_page
@pytest.mark.parametrize("what", SAME)
def test_a_page_has_in_every_language_the_same(name, what):
    left = open_sections(*name)
    ours, source = (
        [found for line, found in SAME[what](page) if section_at(page, line) not in left]
        for page in (PAGES[name], PAGES[SOURCE, name[1]])
    )
    assert ours == source


@every_page
def test_no_link_inside_the_guide_is_dead(name):
    language, path = name
    for target in targets(PAGES[name]):
        if EXTERNAL.match(target):
            continue
        file, _, anchor = target.partition("#")
        aim = posixpath.normpath(posixpath.join(posixpath.dirname(path), file)) if file else path
        if not aim.endswith(".md"):
            assert (PROJECT.docs / posixpath.normpath(f"{language}/{aim}")).is_file(), target
            continue
        page = PAGES.get((language, aim)) or PAGES.get((SOURCE, aim))  # the source's page stands in
        assert page, target
        assert not anchor or anchor in {heading.id for heading in page.headings}, target


@every_page
def test_no_forbidden_rendering_stands_in_the_prose(name):
    text = prose(PAGES[name])
    assert not [word for term in TERMS for word in term.forbidden.get(name[0], ()) if word in text]


@pytest.mark.parametrize("name", [name for name in PAGES if name[0] in DERIVED], ids="/".join)
def test_a_derived_page_renders_each_term_as_the_glossary_does(name):
    language, path = name
    origin = DERIVED[language]
    before, after = prose(PAGES[origin, path]), prose(PAGES[name])
    pairs = conversions(TERMS, origin, language)
    # A term inside a longer one is that one's to render: 库 is a library, and 仓库 a repository.
    words = taiwan_words() | conversions(EVERY_TERM, origin, language)
    terms = re.compile("|".join(map(re.escape, sorted(words, key=len, reverse=True))))
    found = Counter(terms.findall(before))
    assert not [pair for pair in pairs.items() if found[pair[0]] > after.count(pair[1])]
