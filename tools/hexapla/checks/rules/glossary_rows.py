"""Mistakes in the glossary's renderings that the conversion of one script to another would repeat on every page."""

from collections.abc import Iterable, Iterator

from hexapla.checks.finding import Finding
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


def glossary_finding(path: str, term: Term, message: str, hint: str) -> Finding:
    return Finding(path=path, line=term.line, column=1, rule="glossary", message=message, hint=hint,
                   subject=term.term)
