"""Mistakes in the glossary's rows: in renderings, which a conversion would repeat on every page, and in their links."""

from collections.abc import Callable, Collection, Iterable, Iterator

from hexapla.checks.finding import Finding
from hexapla.checks.nearest import nearest_name
from hexapla.checks.rules.text.scripts import is_simplified_only, is_traditional_only
from hexapla.glossary import Term
from hexapla.languages import is_traditional


def conversion_findings(terms: Iterable[Term], origin: str, derived: str, path: str) -> Iterator[Finding]:
    """Words in the other script, of which pages of the origin have none, and words that two rows convert."""
    first: dict[str, Term] = {}
    for term in terms:
        word, rendering = term.renderings.get(origin), term.renderings.get(derived)
        if not word or not rendering:
            continue
        if is_traditional(derived) != is_traditional(origin):
            yield from find_strangers(term, (word, origin), (rendering, derived), path)
        before = first.setdefault(word, term)
        if before.renderings[derived] != rendering:
            yield glossary_finding(path, term, f"{word!r} is {before.renderings[derived]!r} in line {before.line}",
                        "keep one of the two")


def find_strangers(term: Term, word: tuple[str, str], rendering: tuple[str, str], path: str) -> Iterator[Finding]:
    """Characters of the other script in a word and in its rendering, each given with its language."""
    for said, language in (word, rendering):
        script, other = (
            ("Traditional", is_simplified_only) if is_traditional(language) else ("Simplified", is_traditional_only)
        )
        wrong = "".join(filter(other, said))
        if wrong:
            what = f"{said!r} never matches: {wrong!r}" if said is word[0] else f"{said!r} has {wrong!r}, which"
            yield glossary_finding(path, term, f"{what} is not written in {script} Chinese",
                                   f"write it in {script} characters")


def explanation_findings(
    terms: Iterable[Term], ids_of: Callable[[str], Collection[str] | None], path: str
) -> Iterator[Finding]:
    """Terms that lead to a page or an id that is not there; `ids_of` has a page's ids, None for no page."""
    for term in terms:
        page, _, anchor = term.explained.partition("#")
        if not page:
            continue
        if (ids := ids_of(page)) is None:
            message = f"the link of {term.term!r} leads nowhere: {term.explained!r}"
            yield glossary_finding(path, term, message, "correct the path", "link-target-missing")
        elif anchor not in ids:
            near = nearest_name(anchor, ids)
            hint = f"did you mean #{near}?" if near else "name an id it has"
            yield glossary_finding(path, term, f"{page} has no id {anchor!r}", hint, "link-anchor-missing")


def glossary_finding(path: str, term: Term, message: str, hint: str, rule: str = "glossary") -> Finding:
    return Finding(path=path, line=term.line, column=1, rule=rule, message=message, hint=hint, subject=term.term)
