"""What the translation memory offers for one section: the section put together, and near matches of what is left."""

from typing import NamedTuple

from hexapla.translation.memory.assembly import assembled_section
from hexapla.translation.memory.near_matches import matches
from hexapla.translation.memory.pairs import replace_link_targets
from hexapla.translation.memory.store import TranslationMemory
from hexapla.translation.sections.sections import Section
from hexapla.translation.word_diff import DiffKind, inline_diff


class NearOffer(NamedTuple):
    """A translation of a text much like one of the section's; `runs` is how the text differs from the one translated.

    `score` says how much is the same, in per cent.
    """

    text: str
    target: str
    score: int
    place: str
    runs: tuple[tuple[DiffKind, str], ...]


class SectionOffers(NamedTuple):
    """A section as the memory has it: `text`, with the source's words where it lacks them, `left` words that is.

    `places` says where the translations stand; it is empty where the memory has nothing that is the same.
    """

    text: str
    left: int
    places: tuple[str, ...]
    near: tuple[NearOffer, ...]


def section_offers(memory: TranslationMemory, page: str, section: Section) -> SectionOffers:
    """What the memory has for a section of today's source: for editors, and for who drafts it."""
    made = assembled_section(memory, page, section)
    near = tuple(
        NearOffer(
            unit.text, replace_link_targets(match.entry.target, match.entry.source, unit.text),
            match.score, match.entry.place,
            tuple(inline_diff(match.entry.source, unit.text)),
        )
        for unit in made.unknown for match in matches(memory, unit.text)
    )
    return SectionOffers(made.text.replace("\r\n", "\n").rstrip(), made.words, made.places, near)
