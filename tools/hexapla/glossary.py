"""The table of terms: how each is written in every language, and how it must not be."""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import yaml

from hexapla.yaml_text import load_with_nodes, locate_mistake


class GlossaryError(ValueError):
    """An entry that cannot be used; the message says which line of the file and what to do."""

    def __init__(self, line: int, message: str, hint: str) -> None:
        super().__init__(f"line {line}: {message}; {hint}")
        self.line, self.message, self.hint = line, message, hint


class Term(NamedTuple):
    """An English term, by language: the rendering, others that are right too, and wrong ones; `keep` leaves it English.

    `sources` are pages that use the rendering. A `conversion` is for one of scripts alone: no page has to use it.
    `explained` is the page and id of the section that says what the term means, "" for none.
    """

    term: str
    keep: bool
    renderings: Mapping[str, str]
    also: Mapping[str, tuple[str, ...]]
    forbidden: Mapping[str, tuple[str, ...]]
    sources: Mapping[str, str]
    line: int
    conversion: bool = False
    explained: str = ""


# A code and the address of a page: what stands in either is shown on the site as it is.
ADDRESS = re.compile(r"[\w-]+ https?://[^\s/\\\"'`<>()\[\]|*_]+(?:/[^\s\\\"'`<>]*)?")
SECTION = re.compile(r"\w[\w./-]*\.md#[\w.:-]+")  # a page's path below its language's folder, and an id on it
FIELDS = {"term", "treatment", "also", "forbidden", "sources", "explained"}


def parse(text: str) -> tuple[Term, ...]:
    """The terms of a glossary file, in its order. Raises GlossaryError."""
    try:
        root, items = load_with_nodes(text)
    except yaml.YAMLError as error:
        raise GlossaryError(locate_mistake(error)[0], "is not YAML", "correct it") from error
    if root is None:
        return ()
    if not isinstance(root, yaml.SequenceNode):
        raise GlossaryError(1, "is not a list of terms", "start each entry with `- term:`")
    return tuple(make_term(item, node.start_mark.line + 1) for item, node in zip(items, root.value, strict=True))


def term_of_data(fields: Sequence[Any]) -> Term:
    """A term as JSON has it: its lists are tuples again."""
    found = Term(*fields)
    also, forbidden = ({code: tuple(each) for code, each in one.items()} for one in (found.also, found.forbidden))
    return found._replace(also=also, forbidden=forbidden)


def make_term(entry: Any, line: int) -> Term:
    if not isinstance(entry, dict) or not isinstance(entry.get("term"), str):
        raise GlossaryError(line, "an entry without a term", "give it `term: ...`")
    treatment = entry.get("treatment", "translate")
    if treatment not in {"translate", "keep", "convert"}:
        raise GlossaryError(line, f"treatment is {treatment!r}", "write `translate`, `keep` or `convert`")
    return Term(
        entry["term"],
        treatment == "keep",
        {str(code): str(word) for code, word in entry.items() if code not in FIELDS and word},
        read_word_lists(entry, "also", line),
        read_word_lists(entry, "forbidden", line),
        read_addresses(entry, line),
        line,
        treatment == "convert",
        read_explanation(entry, line),
    )


def read_word_lists(entry: dict[str, Any], name: str, line: int) -> dict[str, tuple[str, ...]]:
    """A field with lists of words by language. Raises GlossaryError."""
    lists = entry.get(name) or {}
    # Nested lists could stand, by YAML's aliases, for more than memory holds.
    if not isinstance(lists, dict) or not all(
        isinstance(each, list) and not any(isinstance(word, list | dict) for word in each) for each in lists.values()
    ):
        raise GlossaryError(line, f"`{name}` is no list of words by language", f"write `{name}: {{zh: [word]}}`")
    return {str(code): tuple(map(str, each)) for code, each in lists.items()}


def read_addresses(entry: dict[str, Any], line: int) -> dict[str, str]:
    """The pages of an entry by language. Raises GlossaryError."""
    pages = entry.get("sources") or {}
    if not isinstance(pages, dict) or not all(ADDRESS.fullmatch(f"{code} {page}") for code, page in pages.items()):
        raise GlossaryError(line, "`sources` has no address by language", "write `sources: {zh: https://...}`")
    return {str(code): str(page) for code, page in pages.items()}


def read_explanation(entry: dict[str, Any], line: int) -> str:
    """The page and id that explain an entry's term, "" for none. Raises GlossaryError."""
    place = str(entry.get("explained") or "")
    if place and not SECTION.fullmatch(place):
        raise GlossaryError(line, f"`explained` is no page and id: {place!r}", "write `explained: page.md#id`")
    return place


def conversions(terms: Iterable[Term], origin: str, derived: str) -> dict[str, str]:
    """How the terms of `origin` are written in `derived`, for a script converter."""
    return {
        item.renderings[origin]: item.renderings[derived]
        for item in terms
        if origin in item.renderings and derived in item.renderings
    }


def agreed_terms(terms: Iterable[Term]) -> tuple[Term, ...]:
    """The terms that pages have to use, without the words for a conversion alone."""
    return tuple(item for item in terms if not item.conversion)


def list_renderings(terms: Iterable[Term], code: str) -> str:
    """The renderings in one language, each on a line of its own."""
    return "".join(f"{term.renderings[code]}\n" for term in terms if code in term.renderings and not term.keep)
