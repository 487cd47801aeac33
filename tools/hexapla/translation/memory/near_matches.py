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


class MemoryMatch(NamedTuple):
    """A pair of the memory for a text; `score` is how much of its source is the same, in per cent."""

    entry: MemoryEntry
    score: int


def find_matches(memory: TranslationMemory, text: str) -> list[MemoryMatch]:
    """The best pairs for a text of the source, the nearest first; each translation once."""
    key = memory_key(text)
    among = memory.texts if len(key) > SHORT else ()
    near = process.extract(key, among, scorer=fuzz.ratio, score_cutoff=LEAST, limit=MOST) if among else []
    scores = {found: int(score) if found != key else 100 for found, score, _ in near}
    if key in memory.entries:
        scores = {key: 100, **scores}
    found = [MemoryMatch(entry, score) for source, score in scores.items() for entry in memory.entries[source]]
    found.sort(key=lambda match: (-match.score, not match.entry.finished))
    return list({match.entry.target: match for match in reversed(found)}.values())[::-1][:MOST]


def suggest_all(memory: TranslationMemory, page: PageStatus, messages: tuple[Message, ...]) -> tuple[Message, ...]:
    """The messages of a page, what the memory has put in: what is the same as finished, what is near as fuzzy.

    In sections that are missing or whose text changed, that is: no other one waits for a translation.
    """
    open_ones = {each.id for each in page.sections if each.state in OPEN or each.change is Change.TEXT}
    found: list[Message] = []
    for section, group in groupby(messages, lambda each: each.section):
        among = list(group)
        if section not in open_ones:
            found += among
            continue
        exact = memory.exact([memory_key(each.text) for each in among], page.page)
        found += [fill_message(memory, each, entry) for each, entry in zip(among, exact, strict=True)]
    return tuple(found)


def fill_message(memory: TranslationMemory, message: Message, exact: MemoryEntry | None) -> Message:
    """A message with what the memory has for it, unless it is finished."""
    if message.target and not message.previous:
        return message
    if exact:
        target = replace_link_targets(exact.target, exact.source, message.text)
        return message._replace(target=target, fuzzy=False, previous="", memory=exact.place)
    best = next(iter(find_matches(memory, message.text)), None)
    if best is None or message.target:
        return message
    target = replace_link_targets(best.entry.target, best.entry.source, message.text)
    told = f"{best.score} %, {best.entry.place}"
    return message._replace(target=target, fuzzy=True, previous=best.entry.source, memory=told)


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
        for unit in made.unknown for match in find_matches(memory, unit.text)
    )
    return SectionOffers(made.text.replace("\r\n", "\n").rstrip(), made.words, made.places, near)
