"""What `import` and `draft` ask before they write a page: the errors that its new text would bring."""

from hexapla.checks.engine.overlay import new_errors, overlay_checker
from hexapla.glossary import Term
from hexapla.translation.exchange.imports import Fault, Judge
from hexapla.translation.translation_tree import TranslationTree


def judge(tree: TranslationTree, terms: tuple[Term, ...]) -> Judge:
    """A function that returns the errors which a text would bring into a page of a tree."""
    checker = overlay_checker(tree.layout, terms)

    def faults(path: str, language: str, name: str, text: str) -> list[Fault]:
        found = new_errors(checker, path, language, name, text)
        return [Fault(item.line, f"{item.rule}: {item.message}") for item in found]

    return faults
