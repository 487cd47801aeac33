"""What the editor does to the texts beside the pages: each kind is a page, each text a section of it."""

import re
from dataclasses import dataclass

from hexapla.checks.finding import Finding
from hexapla.editor.page_editing import SourceChange
from hexapla.editor.view_model import SectionCell, SectionRow, kept_pieces
from hexapla.section_writer import ConflictError, RefusedError, UnknownNameError, tidy_text, version_of
from hexapla.translation.site_text import SiteText, SiteTextFiles, TextKind
from hexapla.translation.status.section_states import PageStatus, SectionStatus, TranslationState
from hexapla.translation.word_diff import inline_diff

VALUE = re.compile(r"\{\w+\}")  # in a sentence, put in by the site
SITE_TEXT = "site-text"  # in place of a rule: no page is checked


@dataclass(frozen=True)
class SiteTextService:
    """The texts beside the pages of a tree whose source is in the language `source`."""

    files: SiteTextFiles
    source: str

    def names(self) -> list[str]:
        """The kinds of which there are texts, as names of pages."""
        there = {text.kind for text in self.files.read()} if self.files.languages else set()
        return [str(kind) for kind in TextKind if kind in there]

    def overview(self) -> list[PageStatus]:
        """How much is translated, by kind and language."""
        texts = self.files.read()
        return [
            PageStatus(str(kind), language, "", "", tuple(status_of(each, language) for each in texts
                                                          if each.kind is kind))
            for kind in dict.fromkeys(text.kind for text in texts) for language in self.files.languages
        ]

    def page(self, name: str) -> tuple[list[PageStatus], list[SectionRow]]:
        """How much of a kind is translated, and its texts as rows. Raises ConfigError."""
        rows = []
        for text in (each for each in self.files.read() if each.kind == name):
            cells = [SectionCell(self.source, text.text, version_of(text.text), text.line, "source")]
            cells += [cell_of(text, language) for language in self.files.languages]
            title = f"{text.path}:{text.line}" if text.path else text.name
            values = tuple(dict.fromkeys(VALUE.findall(text.text))) if text.kind is TextKind.SENTENCES else ()
            keep = values or kept_pieces(text.text, self.source)
            rows.append(SectionRow(text.name, title, 1, keep, tuple(cells)))
        return [each for each in self.overview() if each.page == name], rows

    def findings(self, name: str, language: str, section: str, text: str) -> list[Finding]:
        """What is wrong with a translation. Raises UnknownNameError."""
        known = self.text(name, language, section)
        wrong = self.files.problem(known, language, tidy_text(text)) if text.strip() else ""
        message, _, hint = wrong.partition("; ")
        return [Finding(known.path, 1, 1, SITE_TEXT, message, hint, language)] if wrong else []

    def changed(self, name: str, language: str, section: str) -> SourceChange:
        """What changed in a text since it was translated. Raises UnknownNameError."""
        text = self.text(name, language, section)
        behind = language not in text.translations and language in text.earlier
        return SourceChange(list(inline_diff(text.previous, text.text)) if behind else None)

    def save(self, name: str, language: str, section: str, text: str, base: str, meant: bool = False) -> str:
        """Write a translation; returns its version now. Raises as the editor of pages does."""
        known = self.text(name, language, section)
        here = cell_of(known, language)
        if here.version != base and here.text != tidy_text(text):
            raise ConflictError(here.text, text)
        if not text.strip():
            raise ValueError("a text beside the pages is not emptied here; write what readers are to see")
        if wrong := self.findings(name, language, section, text):
            raise RefusedError(wrong, False)
        self.files.put(known, language, tidy_text(text))
        return version_of(tidy_text(text))

    def read(self, name: str, language: str, section: str, meant: bool = False) -> None:
        """Keep the translation that a text had before it changed. Raises as `save` does."""
        here = cell_of(self.text(name, language, section), language)
        self.save(name, language, section, here.text, here.version)

    def text(self, name: str, language: str, section: str) -> SiteText:
        """A text by the name of its kind and its own. Raises UnknownNameError."""
        if language not in self.files.languages:
            raise UnknownNameError(f"{language!r} is no language that is translated here")
        found = next((each for each in self.files.read() if (each.kind, each.name) == (name, section)), None)
        if found is None:
            raise UnknownNameError(f"there is no text {section!r} any more; open the page again")
        return found


def status_of(text: SiteText, language: str) -> SectionStatus:
    """What the translation of a text is worth: behind is that of a text that has become this one."""
    if language in text.translations:
        return SectionStatus(text.name, text.text, TranslationState.CURRENT)
    state = TranslationState.BEHIND if language in text.earlier else TranslationState.MISSING
    return SectionStatus(text.name, text.text, state)


def cell_of(text: SiteText, language: str) -> SectionCell:
    there = text.translations.get(language, text.earlier.get(language, ""))
    state = status_of(text, language).state
    return SectionCell(language, there, version_of(there), 1, str(state))
