"""Which drafts a changed term or instruction touches, and how many of them wait for a reader."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import NamedTuple

from hexapla.cache import key_of
from hexapla.config.owners import unread_limit
from hexapla.report_text import plural
from hexapla.translation.records.draft_inputs import DraftInputs, DraftMaterial, read_inputs, read_material, terms_in
from hexapla.translation.sections.sections import translation_digest, whole_digest
from hexapla.translation.sections.segments import by_section, find_units
from hexapla.translation.status.section_states import PageStatus, SectionStatus, TranslationState, find_statuses
from hexapla.translation.translation_tree import TranslationTree

# States of sections that a draft may be written to: nobody has finished them for today's source.
FREE = {TranslationState.MISSING, TranslationState.BEHIND}


class UnreadDrafts(NamedTuple):
    """How many drafts of a language nobody has read, and how many more may be made until somebody does."""

    language: str
    unread: int
    room: int

    def __str__(self) -> str:
        return (f"{self.language}: {plural(self.unread, 'unread draft')}, and `drafts.unread` allows no more until "
                f"some are read; `hexapla sync {self.language} --reviewed` lists them")


def unread_drafts(tree: TranslationTree, languages: Iterable[str]) -> list[UnreadDrafts]:
    """The drafts of languages that nobody has read, none where the project sets no limit. Raises ConfigError."""
    limit = unread_limit(tree.layout.root)
    counts = {code: sum(is_draft(each) for page in find_statuses(tree, [code]) for each in page.sections)
              for code in languages} if limit else {}
    return [UnreadDrafts(code, count, max((limit or 0) - count, 0)) for code, count in counts.items()]


def is_draft(status: SectionStatus) -> bool:
    """Whether a section stands there as a machine wrote it or as somebody has edited that, and nobody has read it."""
    return bool(status.line and status.record and status.record.draft)


def drafts_material(tree: TranslationTree) -> dict[str, DraftMaterial]:
    """What drafts are made with today, of languages whose records say what theirs were made with. Raises ConfigError.
    """
    return {code: read_material(tree.layout.root, code) for code in tree.languages
            if any("\ndrafted by " in text for text in tree.records[code].texts.values())}


def with_touched_drafts(tree: TranslationTree, pages: Iterable[PageStatus]) -> list[PageStatus]:
    """The pages' status with what has changed since each draft was made. Raises ConfigError."""
    material = drafts_material(tree)
    return [touched_page(tree, page, material[page.language]) if page.language in material else page for page in pages]


def touched_page(tree: TranslationTree, page: PageStatus, material: DraftMaterial) -> PageStatus:
    """A page with what is another since each of its drafts was made."""
    drafts = {each.id: inputs for each in page.sections if (inputs := draft_inputs(each))}
    if not drafts:
        return page
    words = section_words(tree, page.page)
    terms = terms_in("\n".join(words.values()), material.terms)  # few of the glossary: sections are asked for these

    def touch_section(status: SectionStatus) -> SectionStatus:
        inputs = drafts.get(status.id)
        changes = inputs and material.changes(inputs, terms_in(words.get(status.id, ""), terms))
        return status._replace(touched=changes) if changes and is_free(tree, page, status) else status

    return replace(page, sections=tuple(map(touch_section, page.sections)))


def section_words(tree: TranslationTree, name: str) -> Mapping[str, str]:
    """What there is to translate in each section of a page of the source, from the cache where it has not changed."""
    source = tree.source[name]
    closes = tree.layout.closes_fence(source.path)
    key = key_of("words to translate", source.digest, closes)
    if (kept := tree.cache.get(key)) is not None:
        return dict(kept)
    units = by_section(find_units(tree.decoded(source.file, source.path), closes))
    made = {section: "\n".join(unit.text for unit in found) for section, found in units.items()}
    tree.cache.put(key, made)
    return made


def draft_inputs(status: SectionStatus) -> DraftInputs | None:
    """What a section was drafted with, None for one that is no draft, or whose record does not say that."""
    return read_inputs(status.record.drafted) if status.record and status.source_line and is_draft(status) else None


def is_free(tree: TranslationTree, page: PageStatus, status: SectionStatus) -> bool:
    """Whether a draft may be written: nobody has finished the section for today's source, or edited a draft of it.

    A draft was edited where it says something else, or as far as known has other links and ids.
    """
    if not status.record or not status.record.draft:
        return status.state in FREE
    text, inputs = tree.section_text(page.language, page.page, status.here), draft_inputs(status)
    said = status.record.is_of(translation_digest(text))
    return said and (inputs is None or inputs.text in {"", whole_digest(text)})
