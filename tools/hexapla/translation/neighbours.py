"""What stands around a section, with its translations: a model and a translator read a section in its page."""

from typing import NamedTuple

from hexapla.translation.sections.sections import section_contents
from hexapla.translation.status.section_states import PageStatus, SectionStatus
from hexapla.translation.translation_tree import TranslationTree

AROUND = 1500  # characters of a neighbouring section


class TextPair(NamedTuple):
    """A text of the source and its translation, "" for none."""

    source: str
    translation: str


def find_neighbours(tree: TranslationTree, page: PageStatus, status: SectionStatus) -> tuple[TextPair, ...]:
    """The sections before and after one, as the source and the translation have them, shortened."""
    text = tree.text(page.source_path)
    spans = [each.span for each in section_contents(text, tree.layout.closes_fence(page.source_path))]
    place = next((number for number, span in enumerate(spans) if span.id == status.id), 0)
    here = {each.id: each.here for each in page.sections if each.line}
    return tuple(
        TextPair(
            text[span.start : span.end][:AROUND],
            tree.section_text(page.language, page.page, here.get(span.id, ""))[:AROUND] if span.id in here else "",
        )
        for span in [*spans[max(place - 1, 0) : place], *spans[place + 1 : place + 2]]
    )
