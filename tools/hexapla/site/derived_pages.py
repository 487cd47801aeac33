"""The pages that are converted from another language, with the passages of them that people wrote."""

from collections.abc import Mapping, Sequence
from functools import partial

from hexapla import glossary
from hexapla.checks.finding import Finding
from hexapla.checks.rules.glossary_rows import conversion_findings
from hexapla.config.project import Language, Project
from hexapla.hanzi.converter import Converter
from hexapla.pages import spans
from hexapla.site.written_pages import PageKey, WrittenPages
from hexapla.translation.handwritten import WrittenPassage, derive_page, outdated_passages, passages_path, read_passages


class DerivedPages(dict[str, PageKey]):
    """The pages without a file in their language: their path in docs, and their original's key in the pages written.

    `converters` and `passages` are by the code of the derived language.
    """

    def __init__(
        self, originals: Mapping[str, PageKey], converters: Mapping[str, Converter],
        passages: Mapping[str, Sequence[WrittenPassage]],
    ) -> None:
        super().__init__(originals)
        self.converters, self._passages = converters, passages

    def convert(self, path: str, text: str) -> str:
        """The text of the page at this path in docs, or its beginning, made of its original's."""
        return derive_page(text, self.passages_of(path), partial(convert_markdown, self.find_converter(path)))

    def find_converter(self, path: str) -> Converter:
        """What converts the page at this path in docs."""
        return self.converters[path.partition("/")[0]]

    def passages_of(self, path: str) -> list[WrittenPassage]:
        """The passages that people wrote for the page at this path in docs."""
        language, _, page = path.partition("/")
        return [passage for passage in self._passages.get(language, ()) if passage.page == page]

    def conversion(self, path: str) -> tuple[str, str]:
        """What the conversion of the page at this path in docs is a function of, beside the original's text."""
        return self.find_converter(path).version, repr(self.passages_of(path))


def read_derived(
    project: Project, pages: WrittenPages, terms: Sequence[glossary.Term], findings: list[Finding]
) -> DerivedPages:
    """The derived pages of a project; what is wrong with what they are made of is a finding."""
    originals: dict[str, PageKey] = {}
    converters: dict[str, Converter] = {}
    passages: dict[str, tuple[WrittenPassage, ...]] = {}
    for language in project.languages:
        if origin := language.derived_from:
            path = project.glossary.relative_to(project.root).as_posix()
            findings += conversion_findings(terms, origin, language.code, path)
            table = glossary.conversions(terms, origin, language.code)
            converters[language.code] = Converter(table, language.code, origin)
            passages[language.code] = read_handwritten(project, pages, language, findings)
            originals |= {
                f"{language.code}/{page}": (written, page) for written, page in pages
                if written == origin and (language.code, page) not in pages
            }
    return DerivedPages(originals, converters, passages)


def read_handwritten(
    project: Project, pages: WrittenPages, language: Language, findings: list[Finding]
) -> tuple[WrittenPassage, ...]:
    """The passages that people wrote for a derived language; what is wrong with them is a finding."""
    origin = language.derived_from or ""

    def read_original(page: str) -> str | None:
        try:
            return pages.text((origin, page)) if (origin, page) in pages else None
        except (OSError, UnicodeDecodeError):
            return None

    passages, mistakes = read_passages(project.root, language.code)
    path = passages_path(language.code)
    for note in (*mistakes, *outdated_passages(passages, read_original, origin)):
        message, _, hint = note.message.partition(": ")
        findings.append(Finding(path=path, line=note.line, column=1, rule="derived-passage", message=message, hint=hint,
                                language=language.code))
    return passages


def convert_markdown(convert: Converter, text: str) -> str:
    """A text in a derived language; what is no prose stays."""
    return convert.page(spans(text))
