"""Check a page's text that is not on disk: one that is being typed, or that an import would write."""

from collections import Counter
from collections.abc import Callable, Collection, Iterable

from hexapla.cache import Cache
from hexapla.checks.engine import service
from hexapla.checks.engine.checker import Checker
from hexapla.checks.engine.context import Garbled
from hexapla.checks.finding import Finding
from hexapla.config.layout import Layout
from hexapla.glossary import Term


class Included:
    """Included files by their path, each read once until all are forgotten."""

    def __init__(self, read: Callable[[str], str]) -> None:
        self.read = read
        self.known: dict[str, str] = {}

    def __call__(self, path: str) -> str:
        """A file's text. Raises OSError and ValueError."""
        if path not in self.known:
            self.known[path] = self.read(path)
        return self.known[path]


def checker(place: Layout, terms: Iterable[Term], garbled: Garbled | None = None) -> Checker:
    """A checker to ask again and again; nothing is remembered on disk."""
    made = service.checker(place, tuple(terms), garbled, None, Cache(None))
    if made.read_snippet:
        made.read_snippet = Included(made.read_snippet)
    return made


def refresh(asked: Checker) -> None:
    """Look at the disk again: forget what was typed, what is included, and each page whose file is another one now."""
    documents, known = asked.documents, dict(asked.documents.digests)
    typed = set(documents.unsaved)
    documents.unsaved.clear()
    documents.digests.clear()
    asked.tree.__dict__.pop("aliases", None)
    if isinstance(asked.read_snippet, Included):
        asked.read_snippet.known.clear()
    for path, digest in known.items():
        if path in typed or documents.digest(path) != digest:
            documents.pages.pop(path, None)
            asked.tree.known_ids.pop(path, None)


def findings(asked: Checker, path: str, language: str, name: str, text: str) -> list[Finding]:
    """What is wrong with `text` as the page `name` of a language, at `path`; the page need not exist."""
    asked.documents.take(path, text)
    asked.tree.pages[language][name] = path
    asked.tree.owners[path] = (language, name)
    asked.tree.known_ids.pop(path, None)
    return asked.page(path)


def new_errors(
    asked: Checker, path: str, language: str, name: str, text: str, also: Collection[str] = ()
) -> list[Finding]:
    """The errors that `text` has and the page on disk has not; the findings of the rules in `also` count as such."""
    file = asked.layout.root / path
    before: Counter[tuple[str, str]] = Counter()
    if file.is_file():
        old = file.read_bytes().decode("utf-8-sig", "replace")
        before.update((item.rule, item.message) for item in findings(asked, path, language, name, old))
    made = []
    for item in findings(asked, path, language, name, text):
        if (item.severity != "error" and item.rule not in also) or item.origin != "translation":
            continue
        if before[item.rule, item.message] > 0:
            before[item.rule, item.message] -= 1
        else:
            made.append(item)
    return made
