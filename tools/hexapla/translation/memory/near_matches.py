"""Near matches: the pairs of the memory whose source is much like a text, by rapidfuzz."""

from itertools import groupby
from typing import NamedTuple

from rapidfuzz import fuzz, process

from hexapla.translation.memory.catalog import Message
from hexapla.translation.memory.pairs import MemoryEntry, memory_key, replace_link_targets
from hexapla.translation.memory.store import TranslationMemory, assembled_section
from hexapla.translation.sections.sections import Section
from hexapla.translation.status.section_states import Change, PageStatus, TranslationState
from hexapla.translation.word_diff import DiffKind, inline_diff

LEAST = 70  # per cent of the characters that have to be the same
MOST = 3    # matches of one text
OPEN = {TranslationState.MISSING, TranslationState.MOVED}
SHORT = 3   # characters of a text that is looked for by itself alone


def find_matches(memory: TranslationMemory, text: str) -> list[tuple[MemoryEntry, int]]:
    """The best pairs for a text of the source and how near each is in per cent, the nearest first."""
    key = memory_key(text)
    among = memory.texts if len(key) > SHORT else ()
    near = process.extract(key, among, scorer=fuzz.ratio, score_cutoff=LEAST, limit=MOST) if among else []
    scores = {found: int(score) if found != key else 100 for found, score, _ in near}
    if key in memory.entries:
        scores = {key: 100, **scores}
    found = [(entry, score) for source, score in scores.items() for entry in memory.entries[source]]
    found.sort(key=lambda match: (-match[1], not match[0].finished))
    return list({match[0].target: match for match in reversed(found)}.values())[::-1][:MOST]  # each translation once


def suggest_all(memory: TranslationMemory, page: PageStatus, messages: tuple[Message, ...]) -> tuple[Message, ...]:
    """The messages of a page; what waits for a translation filled from the memory, as fuzzy where it is near."""
    open_ones = {each.id for each in page.sections if each.state in OPEN or each.change is Change.TEXT}
    found: list[Message] = []
    for section, group in groupby(messages, lambda each: each.section):
        among = list(group)
        if section in open_ones:
            exact = memory.exact([memory_key(each.text) for each in among], page.page)
            among = [fill_message(memory, each, entry) for each, entry in zip(among, exact, strict=True)]
        found += among
    return tuple(found)


def fill_message(memory: TranslationMemory, message: Message, exact: MemoryEntry | None) -> Message:
    """A message with what the memory has for it, unless it is finished."""
    if message.target and not message.previous:
        return message
    if exact:
        target = replace_link_targets(exact.target, exact.source, message.text)
        return message._replace(target=target, fuzzy=False, previous="", memory=exact.place)
    for entry, score in find_matches(memory, message.text)[:1] if not message.target else ():
        target = replace_link_targets(entry.target, entry.source, message.text)
        return message._replace(
            target=target, fuzzy=True, previous=entry.source, memory=f"{score} %, {entry.place}")
    return message


class NearOffer(NamedTuple):
    """A translation of a text much like one of the section's; `runs` is how the text differs from that one."""

    text: str
    target: str
    score: int
    place: str
    runs: tuple[tuple[DiffKind, str], ...]


class SectionOffers(NamedTuple):
    """A section as the memory has it: `left` words of the text are the source's, `places` has the translations."""

    text: str
    left: int
    places: tuple[str, ...]
    near: tuple[NearOffer, ...]


def section_offers(memory: TranslationMemory, page: str, section: Section) -> SectionOffers:
    """What the memory has for a section of today's source: for editors, and for who drafts it."""
    made = assembled_section(memory, page, section)
    near = tuple(
        NearOffer(unit.text, replace_link_targets(entry.target, entry.source, unit.text), score, entry.place,
                  tuple(inline_diff(entry.source, unit.text)))
        for unit in made.unknown for entry, score in find_matches(memory, unit.text)
    )
    return SectionOffers(made.text.replace("\r\n", "\n").rstrip(), made.words, made.places, near)
