"""What a model is asked of one section: its messages, what must not change in them, and what stands around them."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from hexapla.drafts.placeholders import protect_likewise, protect_markup
from hexapla.translation.memory.catalog import Message, changed_messages, pair_up
from hexapla.translation.memory.near_matches import find_matches
from hexapla.translation.memory.pairs import memory_key, replace_link_targets
from hexapla.translation.memory.store import TranslationMemory
from hexapla.translation.neighbours import TextPair, find_neighbours
from hexapla.translation.records.draft_inputs import DraftInputs, DraftMaterial, hash_inputs, terms_in
from hexapla.translation.sections.segments import Segment, all_segments
from hexapla.translation.status.section_states import Change, PageStatus, SectionStatus, TranslationState
from hexapla.translation.translation_tree import TranslationTree


class DraftMessage(NamedTuple):
    """A message to translate, what the source said before, its translation of that, and what the memory has like it."""

    unit: Segment
    before: str = ""
    present: str = ""
    similar: tuple[TextPair, ...] = ()


class SectionRequest(NamedTuple):
    """A section to draft; `kept` are translations that hold, `remembered` the units whose translation stands elsewhere.

    `present` is its translation of today where that cannot be told message by message.
    """

    page: str
    section: str
    title: str
    language: str
    messages: tuple[DraftMessage, ...]
    kept: tuple[tuple[Segment, str], ...] = ()
    present: str = ""
    around: tuple[TextPair, ...] = ()
    terms: Mapping[str, str] = {}
    remembered: tuple[Segment, ...] = ()

    def make_inputs(self, material: DraftMaterial, model: str, day: str) -> DraftInputs:
        """What a draft of it is made with. The terms are those of all its source, of what is kept too."""
        words = [each.unit.text for each in self.messages] + [unit.text for unit, _ in self.kept]
        similar = [text for each in self.messages for pair in each.similar for text in pair]
        return DraftInputs(
            model, day, material.instructions_hash, hash_inputs(*similar, *(unit.text for unit in self.remembered)),
            hash_inputs(*(text for pair in self.around for text in pair)),
            material.hash_terms("\n".join(words)),
        )


class Revision(NamedTuple):
    """What a model answered, and what is wrong with that."""

    answer: str
    faults: tuple[str, ...]


class ModelAnswer(NamedTuple):
    """A model's translations, one a message, as it gave them; `text` is the whole of its answer."""

    translations: tuple[str, ...]
    text: str = ""


def request_of(
    tree: TranslationTree, page: PageStatus, status: SectionStatus, wanted: Sequence[Segment],
    memory: TranslationMemory, material: DraftMaterial,
) -> SectionRequest:
    """The request for one section; `wanted` are its messages, `memory` is that of its language."""
    messages = tuple(DraftMessage(unit) for unit in wanted)
    kept: tuple[tuple[Segment, str], ...] = ()
    present = ""
    if status.state is TranslationState.BEHIND or status.touched:
        present = tree.section_text(page.language, page.page, status.here)
        known = known_messages(tree, page, status, wanted, memory)
        if known:
            both = list(zip(wanted, known, strict=True))
            holds = {unit for unit, message in both if message.target and not message.fuzzy
                     and not (status.touched and status.touched.touches_text(unit.text))}
            kept = tuple((unit, message.target) for unit, message in both if unit in holds)
            messages = tuple(
                DraftMessage(unit, message.previous or (unit.text if message.target else ""), message.target)
                for unit, message in both if unit not in holds
            )
            present = ""
    exact = memory.exact([memory_key(unit.text) for unit in wanted], page.page)
    asked = {each.unit for each in messages}
    recalled = {unit: replace_link_targets(entry.target, entry.source, unit.text)  # nobody is asked for what is known
                for unit, entry in zip(wanted, exact, strict=True) if entry and unit in asked}
    messages = tuple(each for each in messages if each.unit not in recalled)
    messages = tuple(
        each if each.present else each._replace(similar=similar_pairs(memory, page.page, status.here, each.unit.text))
        for each in messages
    )
    return SectionRequest(
        page.page, status.id, status.title, page.language, messages, (*kept, *recalled.items()), present,
        find_neighbours(tree, page, status), terms_in("\n".join(each.unit.text for each in messages), material.terms),
        tuple(recalled),
    )


def known_messages(
    tree: TranslationTree, page: PageStatus, status: SectionStatus, wanted: Sequence[Segment], memory: TranslationMemory
) -> list[Message]:
    """Today's messages with their translations; none where old source and translation differ in shape."""
    section = tree.section(page.page, status.id)
    if section and status.change is not Change.TEXT:
        old = tree.source_text(page.page, section)
    else:
        made_from = memory.history.section(status.record, page.source_path) if status.record else None
        old = made_from.text if made_from else ""
    theirs = [unit for unit in tree.segments(page.path) if unit.section == status.here]
    known = pair_up(all_segments(old, tree.layout.closes_fence(page.source_path)), theirs)
    return changed_messages(wanted, known) if known else []


def similar_pairs(memory: TranslationMemory, page: str, section: str, text: str) -> tuple[TextPair, ...]:
    """What people translated elsewhere that is much like a text, the nearest first, with the text's link targets."""
    return tuple(
        TextPair(*(replace_link_targets(side, each.source, text) for side in (each.source, each.target)))
        for each, _ in find_matches(memory, text) if each.finished and (each.page, each.section) != (page, section)
    )


def describe_message(message: DraftMessage) -> dict[str, object]:
    """A message as a model is shown it."""
    hidden = protect_markup(message.unit.text)
    shown = {
        "kind": str(message.unit.kind), "source": hidden.text,
        "placeholders": {f"[[{number}]]": piece for number, piece in enumerate(hidden.kept)},
        "source_before": protect_likewise(message.before, hidden.kept),
        "translation_before": protect_likewise(message.present, hidden.kept),
        "similar": [{name: protect_likewise(text, hidden.kept) for name, text in pair._asdict().items()}
                    for pair in message.similar],
    }
    return {name: value for name, value in shown.items() if value}
