"""The glossary as a table, where a page has the comment `<!-- hexapla: terms -->`."""

import re
from collections.abc import Callable, Sequence
from html import escape
from itertools import chain
from posixpath import dirname, relpath
from urllib.parse import quote

from hexapla.config.project import Language
from hexapla.glossary import Term
from hexapla.site.texts.strings import say_sentence

MARKUP = re.compile(r"[\\`*_\[\]|]")
SAFE = ";/?:@&=+$,#%!~'"  # characters of an address that stand in Markdown as they are
PLACEHOLDER = "<!-- hexapla: terms -->"


def insert_glossary(
    markdown: str, terms: Callable[[], Sequence[Term]], languages: Sequence[Language], reader: str, page: str
) -> str:
    """The Markdown of the page at a path below its language's folder, with the table for a reader of `reader`.

    `terms` reads the glossary.
    """
    found = PLACEHOLDER in markdown
    return markdown.replace(PLACEHOLDER, make_table(terms(), languages, reader, dirname(page))) if found else markdown


def make_table(terms: Sequence[Term], languages: Sequence[Language], reader: str, folder: str = "") -> str:
    """A Markdown table, one row per term: the source language's word, its renderings, what not to write, sources.

    Above it is the place of a box that finds terms. terms.js makes the box.

    The first of `languages` is the source; the reader's own comes second, where a phone shows it. A reader of the
    source sees what not to write in all languages. A term that a section explains is a link to it, from `folder`.
    """
    source, *others = sorted(languages, key=lambda each: (each is not languages[0], each.code != reader))
    shown = [language.code for language in others if reader in (language.code, source.code)]
    codes = [language.code for language in others]
    same = f' {{ data-hx-same="{escape(say_sentence(reader, "terms-same"))}" }}'
    columns = [say_sentence(reader, key) for key in ("terms-not", "terms-source")]
    head = [source.name, *(language.name for language in others), *columns]
    rows = [
        [
            make_term(term, folder) + (same if is_kept(term, codes) else ""),
            *make_renderings(term, codes),
            make_cell(*dict.fromkeys(chain.from_iterable(term.forbidden.get(code, ()) for code in shown))),
            "<br>".join(f"[{code}: {make_cell(page.split('/')[2].removeprefix('www.'))}]({quote(page, SAFE)})"
                        for code, page in term.sources.items()),
        ]
        for term in terms
    ]
    box = f'<div class="hx-terms" data-hx-label="{escape(say_sentence(reader, "terms-filter"))}">\n</div>\n\n'
    return box + "\n".join(f"| {' | '.join(row)} |" for row in [head, ["---"] * len(head), *rows])


def make_term(term: Term, folder: str) -> str:
    """The cell of a term in the source's language: a link to what explains it, where that is known."""
    cell = make_cell(term.term)
    return f"[{cell}]({quote(relpath(term.explained, folder), SAFE)})" if term.explained else cell


def find_words(term: Term, code: str) -> tuple[str, ...]:
    """What a term is called in a language."""
    return tuple(dict.fromkeys((term.renderings.get(code, term.term), *term.also.get(code, ()))))


def is_kept(term: Term, codes: Sequence[str]) -> bool:
    """Whether a term is itself in all these languages."""
    return all(find_words(term, code) == (term.term,) for code in codes)


def make_renderings(term: Term, codes: Sequence[str]) -> list[str]:
    """The cells of a term's renderings; where all are the term itself, of a class that a phone does not show."""
    mark = " { .hx-same }" if is_kept(term, codes) else ""
    return [make_cell(*find_words(term, code)) + mark for code in codes]


def make_cell(*words: str) -> str:
    """Words as one cell of a Markdown table, escaped."""
    return MARKUP.sub(lambda found: f"&#{ord(found[0])};", escape(" / ".join(words)))
