"""What has fallen behind since a revision, also where nobody has recorded what translations were made from."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from hexapla.cache import digest
from hexapla.translation.history.infer_from_git import markup
from hexapla.translation.records.records import Key, record_of
from hexapla.translation.sections.sections import Section, translation_digest
from hexapla.translation.status.status import (
    Change,
    PageStatus,
    SectionStatus,
    TranslationState,
    state_by_record,
    statuses,
)
from hexapla.translation.translation_tree import TranslationTree

CHANGED = {TranslationState.BEHIND, TranslationState.MOVED}


class EarlierStatus(NamedTuple):
    """A tree at a revision: the status of its pages, its source's sections, and digests of translated sections.

    `links` is the markup of the source's sections: where their links lead, ids, attributes. `translations` are digests
    of what all translated sections say.
    """

    states: Mapping[tuple[str, str, str], TranslationState]
    sections: Mapping[Key, Section]
    texts: Mapping[tuple[str, str, str], str]
    links: Mapping[Key, frozenset[str]]
    translations: Mapping[tuple[str, str, str], str]


def earlier_status(tree: TranslationTree) -> EarlierStatus:
    """What `newly_behind` has to know of a tree as it was."""
    pages = list(statuses(tree))
    every = [(page, each) for page in pages for each in page.sections]
    sections = {(name, each.span.id): each for name in tree.source for each in tree.sections(name)}
    return EarlierStatus(
        {(page.language, page.page, each.id): each.state for page, each in every},
        sections,
        translated_texts(tree, pages),
        {key: markup(tree.source_text(key[0], each)) for key, each in sections.items()},
        {(page.language, page.page, each.id): translation_digest(
            tree.section_text(page.language, page.page, each.here)) for page, each in every if each.line},
    )


def translated_texts(tree: TranslationTree, pages: Iterable[PageStatus]) -> dict[tuple[str, str, str], str]:
    """Digests of the translated sections that nobody has recorded."""
    return {
        (page.language, page.page, each.id): digest(tree.section_text(page.language, page.page, each.here))
        for page in pages for each in page.sections
        if each.state is TranslationState.UNRECORDED or (each.state is TranslationState.BEHIND and each.note)
    }


def newly_behind(tree: TranslationTree, before: EarlierStatus, now: Sequence[PageStatus]) -> list[PageStatus]:
    """The pages of `now` with those sections alone that are behind and were not before.

    Where nobody has recorded what a section was made from, it is put behind by a change of its source that its
    translation did not follow.
    """
    texts = translated_texts(tree, now)

    def put_behind(page: PageStatus, status: SectionStatus) -> SectionStatus | None:
        key = (page.language, page.page, status.id)
        was, then = before.states.get(key), before.sections.get(key[1:])
        if status.state in CHANGED and was is TranslationState.CURRENT:
            return status
        section = tree.section(page.page, status.id)
        if was is TranslationState.UNRECORDED and then and section and before.texts.get(key) == texts.get(key, ""):
            state, change = state_by_record(record_of(then, ""), section)
            if change is None and status.change is Change.MARKUP:  # git says so, of this change or an earlier one
                return status if before.links[key[1:]] != markup(tree.source_text(page.page, section)) else None
            return status._replace(state=state, change=change) if change else None
        return None

    made = (
        replace(page, sections=tuple(each for section in page.sections if (each := put_behind(page, section))))
        for page in now
    )
    return [page for page in made if page.sections]
