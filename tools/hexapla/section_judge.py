"""The one judge of sections: what `check` finds in a section beside its source, as errors and as doubts."""

import re
from collections import Counter
from collections.abc import Iterable

from hexapla.checks.engine.checker import Checker
from hexapla.checks.engine.unsaved_text import SectionText, check_section, overlay_checker
from hexapla.checks.finding import Finding
from hexapla.glossary import Term
from hexapla.pages.invisible import HIDDEN
from hexapla.pages.lines import Closes
from hexapla.pages.spans import spans
from hexapla.translation.sections.section_problems import Judgement, Note
from hexapla.translation.sections.sections import cut_sections
from hexapla.translation.status.section_states import TranslationState, find_statuses
from hexapla.translation.translation_tree import TranslationTree

WORD = re.compile(r"(?<![\w-])[^\W\d_A-Z][^\W\d_]+(?![\w-])")
# States of sections whose source is as it was when they were made, as far as anybody knows.
SAME = {
    TranslationState.CURRENT, TranslationState.REVIEW, TranslationState.EDITED, TranslationState.UNRECORDED,
}
LEAST = 3  # words of a text that says the same as the source and is not translated


class SectionJudge:
    """Judges sections of a tree; `checker` is that of texts which are not on disk."""

    def __init__(self, checker: Checker, tree: TranslationTree) -> None:
        self.checker, self.tree = checker, tree

    def __call__(self, language: str, name: str, section: str, text: str, old: str) -> Judgement:
        """What is wrong with a section's text; errors that its `old` text has too are doubts."""
        errors, doubts = self.weigh_findings(language, name, section, text, old)
        return Judgement(*(tuple(Note(item.line, f"{item.rule}: {item.message}") for item in found)
                           for found in (errors, doubts)))

    def weigh_findings(
        self, language: str, name: str, section: str, text: str, old: str
    ) -> tuple[list[Finding], list[Finding]]:
        """The findings that keep a text out, and those that are asked about."""
        found = self.check_text(language, name, section, text, old, self.is_edit(language, name, section, old))
        wrong = any(item.severity == "error" for item in found)
        known = self.check_text(language, name, section, old, old) if wrong else []
        before = Counter((item.rule, item.message) for item in known)
        errors, doubts = [], []
        for item in found:
            if item.severity == "error" and not before[item.rule, item.message]:
                errors.append(item)
            elif item.severity == "error" or self.checker.selected.others.known[item.rule].asked != "noted":
                doubts.append(item)
                before[item.rule, item.message] -= 1
        return errors, doubts

    def is_edit(self, language: str, name: str, section: str, old: str) -> bool:
        """Whether the source of a section is as it was when its `old` text was made, as far as anybody knows."""
        pages = find_statuses(self.tree, (language,), (name,)) if old.strip() else ()
        return any(each.id == section and each.state in SAME for page in pages for each in page.sections)

    def check_text(
        self, language: str, name: str, section: str, text: str, old: str, is_edit: bool = False
    ) -> list[Finding]:
        """What is wrong with a section, by its lines; of one that `is_edit` also what it changes of the old text."""
        if not text.strip():
            return []
        path = self.tree.layout.path(language, name)
        if hidden := hidden_characters(text, language, path):
            return hidden
        page, source_page = (
            self.tree.text(self.tree.files[code].get(name, "")) if name in self.tree.files[code] else ""
            for code in (language, self.tree.layout.source)
        )
        known = self.tree.section(name, section)
        source = source_page[known.span.start : known.span.end] if known else None
        found = check_section(self.checker, SectionText(
            language, name, text, source, page, source_page, old if is_edit else ""))
        found += second_ids(text, page, old, language, path, self.tree.layout.closes_fence(path))
        if source is not None and not any(item.rule.endswith("-untranslated") for item in found):
            found += find_untranslated(text, source, language, path)
        return found


def tree_judge(tree: TranslationTree, terms: Iterable[Term]) -> SectionJudge:
    """The judge of a tree as it is on disk; the pages that its sections link to are kept with the tree."""
    return SectionJudge(overlay_checker(tree.layout, terms, tree.cache), tree)


def hidden_characters(text: str, language: str, path: str) -> list[Finding]:
    """Characters that no page has: they are deleted before anything else is looked at."""
    found = []
    for number, line in enumerate(text.split("\n"), 1):
        if match := HIDDEN.search(line):
            message = f"U+{ord(match.group()):04X} is a control character that readers would not see"
            found.append(Finding(path=path, line=number, column=match.start() + 1, rule="character-hidden",
                                 message=message, hint="delete it", language=language, subject=match.group()))
    return found


def second_ids(text: str, page: str, old: str, language: str, path: str, closes_fence: Closes) -> list[Finding]:
    """Headings of a text with an id that its page has in another place; `old` is the text on the page now."""
    if text in page.replace("\r\n", "\n"):  # it stands there already
        return []
    taken = {span.id for span in cut_sections(page, closes_fence) if span.pinned and span.level}
    taken -= {span.id for span in cut_sections(old, closes_fence)}
    return [
        Finding(path=path, line=span.line, column=1, rule="anchor-duplicate", language=language, subject=span.id,
                message=f"a second place with the id {span.id!r}", hint="give it an id of its own")
        for span in cut_sections(text, closes_fence) if span.pinned and span.id in taken
    ]


def find_untranslated(text: str, source: str, language: str, path: str) -> list[Finding]:
    """A text that says just what the source says, in words that are no names."""
    said, there = (" ".join(piece.text for piece in spans(each) if piece.prose).split() for each in (text, source))
    if said != there or len(WORD.findall(" ".join(said))) < LEAST:
        return []
    return [Finding(path=path, line=1, column=1, rule="text-untranslated", hint="translate it", language=language,
                    message="the section says just what the source says", severity="warning")]
