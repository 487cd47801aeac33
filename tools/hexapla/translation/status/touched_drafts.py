"""Which drafts a changed term or instruction touches: what each was made with, beside what it would be made with."""

from collections.abc import Iterable, Mapping
from dataclasses import replace

from hexapla.cache import key_of
from hexapla.translation.records.draft_inputs import DraftInputs, DraftMaterial, read_inputs, read_material, terms_in
from hexapla.translation.sections.sections import translation_digest, whole_digest
from hexapla.translation.sections.segments import by_section, find_units
from hexapla.translation.status.section_states import PageStatus, SectionStatus, TranslationState
from hexapla.translation.translation_tree import TranslationTree

# States of sections that a draft may be written to: nobody has finished them for today's source.
FREE = {TranslationState.MISSING, TranslationState.BEHIND}


def drafts_material(tree: TranslationTree) -> dict[str, DraftMaterial]:
    """What drafts are made with today, by language; of those alone whose records say what theirs were made with.

    Raises ConfigError.
    """
    return {code: read_material(tree.layout.root, code) for code in tree.languages
            if any("\ndrafted by " in text for text in tree.records[code].texts.values())}


def with_touched_drafts(tree: TranslationTree, pages: Iterable[PageStatus]) -> list[PageStatus]:
    """The same pages, with what is another since each draft was made. Raises ConfigError."""
    material = drafts_material(tree)
    return [touched_page(tree, page, material[page.language]) if page.language in material else page for page in pages]


def touched_page(tree: TranslationTree, page: PageStatus, material: DraftMaterial) -> PageStatus:
    """A page with what is another since each of its drafts was made."""
    drafts = {each.id: inputs for each in page.sections if (inputs := draft_inputs(each))}
    if not drafts:
        return page
    words = section_words(tree, page.page)
    terms = terms_in("\n".join(words.values()), material.terms)  # few of the glossary: sections are asked for these

    def touched(status: SectionStatus) -> SectionStatus:
        inputs = drafts.get(status.id)
        changes = inputs and material.changes(inputs, terms_in(words.get(status.id, ""), terms))
        return status._replace(touched=changes) if changes and is_as_drafted(tree, page, status) else status

    return replace(page, sections=tuple(map(touched, page.sections)))


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
    record = status.record
    return read_inputs(record.drafted) if status.line and status.source_line and record and record.draft else None


def is_as_drafted(tree: TranslationTree, page: PageStatus, status: SectionStatus) -> bool:
    """Whether nobody has changed a draft since it was written: what it says, and as far as known its links and ids."""
    text, inputs = tree.section_text(page.language, page.page, status.here), draft_inputs(status)
    said = status.record is not None and status.record.is_of(translation_digest(text))
    return said and (inputs is None or inputs.text in {"", whole_digest(text)})


def is_free(tree: TranslationTree, page: PageStatus, status: SectionStatus) -> bool:
    """Whether a draft may be written: nobody has finished the section for today's source, or edited a draft of it."""
    if status.record and status.record.draft:
        return is_as_drafted(tree, page, status)
    return status.state in FREE
