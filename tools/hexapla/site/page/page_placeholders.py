"""What a page asks the site for by a placeholder in a line of its own: numbers, a table, a passage, a program.

    <div data-hexapla="numbers" data-of="where.md #languages where.md#tests"></div>
    <div data-hexapla="parallel" data-of="train_memory.md#gradient-accumulation"></div>
    <div data-hexapla="program" data-of="recipes/sft.py"></div>

Each is made of the same evidence, records and pages as the rest of the site, when it is built.
"""

import re
from collections.abc import Callable
from functools import partial
from itertools import zip_longest
from posixpath import basename

from hexapla.errors import ConfigError
from hexapla.site.page import run_matrix
from hexapla.site.page.page_inputs import PageInputs, SiteInputs
from hexapla.site.page.part_templates import render_part
from hexapla.site.page.snippet_includes import make_badge
from hexapla.site.page.snippet_pages import source_url
from hexapla.site.texts.strings import say_list, say_sentence

PART = re.compile(r'<div data-hexapla="(?P<name>[\w-]+)"(?: data-of="(?P<of>[^"]*)")?></div>')
UNFILLED = "<div data-hexapla="
FORMS = ", ".join(('<div data-hexapla="what-ran-where"></div>', '<div data-hexapla="numbers"></div>',
                   '<div data-hexapla="parallel" data-of="page.md#id"></div>',
                   '<div data-hexapla="program" data-of="area/name.py"></div>'))
Link = Callable[[str], str]


def insert_parts(html: str, inputs: PageInputs, language: str, link: Link) -> str:
    """A page with each of its placeholders replaced; `link` makes an address from the site's root one from the page.

    Raises ConfigError for a part that there is not, or a placeholder that Markdown has rendered as something else.
    """
    def make_part(found: re.Match[str]) -> str:
        make = PARTS.get(found["name"])
        return make(inputs, language, link, found["of"] or "") if make else found.group()

    html = PART.sub(make_part, html)
    if UNFILLED in html:
        raise ConfigError(f"a part of the page is missing: write it in a line of its own, as one of {FORMS}")
    return html


def make_run_matrix(inputs: PageInputs, language: str, link: Link, of: str) -> str:
    """The table of what ran where."""
    sources, pages = inputs.read(SiteInputs.matrix), inputs.read(SiteInputs.area_pages, language)
    return run_matrix.make_table(sources, pages, language, link)


def make_numbers(inputs: PageInputs, language: str, link: Link, of: str) -> str:
    """Three numbers that say what holds today: programs that ran, languages up to date, tests of what the pages say.

    `of` is where each leads: a page below the language's folder, a section of it or of this page; "" where none does.
    """
    known, say = inputs.read(SiteInputs.numbers), partial(say_sentence, language)
    languages = "numbers-languages" if known.in_step == known.sections else "numbers-behind"
    most = max((count for _, count in known.hardware), default=0)  # That most ran there goes without saying.
    also = (say("numbers-also", hardware=name, programs=count) for name, count in known.hardware if count < most)
    shown = (
        say("numbers-programs", count=known.programs, total=known.total, also="".join(also)),
        say(languages, count=len(known.languages), names=say_list(language, known.languages),
            sections=f"{known.sections:,}", current=f"{known.in_step:,}"),
        say("numbers-tests", count=f"{known.tests:,}"),
    )
    addresses = [find_address(each, inputs, language, link) for each in of.split()]
    numbers = [(*each.split("\n"), to) for each, to in zip_longest(shown, addresses[:len(shown)], fillvalue="")]
    return render_part("numbers.html", language, numbers=numbers)


def find_address(of: str, inputs: PageInputs, language: str, link: Link) -> str:
    """The address from the page of another page or section, as its Markdown names it. Raises ConfigError."""
    page, mark, section = of.partition("#")
    found = inputs.read(SiteInputs.link, f"{language}/{page}") if page else None
    if page and not found:
        raise ConfigError(f"no page is at {page!r}; correct data-of")
    return (link(found[1]) if found else "") + mark + section


def make_parallel(inputs: PageInputs, language: str, link: Link, of: str) -> str:
    """The first paragraph of a section in all languages that have it, the reader's first."""
    page, _, section = of.partition("#")
    passages = inputs.read(SiteInputs.parallel, page, section)
    if not passages:
        raise ConfigError(f"no page has the section {of!r}; correct data-of")
    shown = [each._replace(url=link(each.url)) for each in sorted(passages, key=lambda each: each.language != language)]
    return render_part("parallel.html", language, passages=shown)


def make_program_box(inputs: PageInputs, language: str, link: Link, of: str) -> str:
    """A box with a snippet as one file that runs alone: to copy it, to save it, its source, and where it ran."""
    address, lines = inputs.read(SiteInputs.program, of)
    if not address:
        raise ConfigError(f"no snippet that runs by itself is at {of!r}; correct data-of")
    badge = [*make_badge(inputs.read(SiteInputs.evidence, of).states, language)]
    return render_part(
        "program.html", language, file=basename(of), lines=f"{lines:,}", badge=badge, source=link(source_url(of)),
        address=link(address))


PARTS: dict[str, Callable[[PageInputs, str, Link, str], str]] = {
    "what-ran-where": make_run_matrix, "numbers": make_numbers, "parallel": make_parallel,
    "program": make_program_box,
}
