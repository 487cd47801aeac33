"""What a translation machine said about its own work, prompts that were left in, and marks of a merge.

A sentence is a machine's where it speaks of several subjects out of `machine_lexicon` that the source's section does
not speak of: its translation, the text and its format, the reader who asked for it, itself.
"""

import re
from bisect import bisect_right
from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import cache, cached_property
from itertools import accumulate
from typing import NamedTuple

from hexapla import languages
from hexapla.checks import alignment
from hexapla.checks.engine.context import RuleContext, Violation
from hexapla.checks.rules.text.english import FUNCTION_WORDS
from hexapla.checks.rules.text.machine_lexicon import (
    FORMAT,
    KEPT,
    LEXICON,
    LICENCES,
    SOURCE,
    TRADITIONAL,
    TRANSLATION,
    WEIGHTS,
)
from hexapla.checks.rules.text.machine_passages import (
    LONG,
    PARAGRAPH,
    Passage,
    blocks_by_section,
    normalized,
    passages,
)
from hexapla.checks.rules.text.prose import readable, sentences, shortened
from hexapla.pages import Block
from hexapla.pages.lines import LineKind, read

# What the subjects of a sentence and its form weigh together where a machine says it: `LONE` in a paragraph that the
# source lacks, `SILENT` where the section speaks of translation and the block's own in the source does not, `ALONE` on
# a page without a source or in a paragraph of such a section, `LOOSE` where the section says in other words what a
# translation may render so. Set on the half of the clean pages and wordings that are tuned on.
THRESHOLD, LONE, SILENT, ALONE, LOOSE = 5, 5, 6, 7, 8
ABOUT = frozenset({TRANSLATION, SOURCE})  # what a block that the source lacks may speak of where its section does
CONFLICT = re.compile(r"^(?:<{7}|>{7}|\|{7})(?: \S.*)?$", re.M)  # what git writes around two versions of a passage
# Tags around the parts of a prompt: a browser shows nothing of them.
TAGS = re.compile(r"</?(?:think|thinking|translation|translated_text|source_text|target_text)>", re.I)
MARKS = re.compile(
    r"⟦\d+⟧|(?<![A-Za-z0-9])(?:__|\[\[)?(?:INLINE_CODE|CODE_BLOCK|CODE_SPAN|PLACEHOLDER)_\d+(?:__|\]\])?(?![A-Za-z0-9])"
    r"|<\|(?:im_start|im_end|endoftext|assistant|user|system)\|>|\[/?INST\]|<</?SYS>>"
)
HINTS = ("⟦", "CODE_", "PLACEHOLDER_", "<|", "INST]", "SYS>>")  # what every mark holds

Words = tuple[tuple[str, tuple[str, ...]], ...]  # of each subject


class SourceSection(NamedTuple):
    """A section of the source: its subjects, the translation's paragraphs that it lacks, if it has fewer blocks.

    `named` are the subjects that it speaks of in a subject's own words, not in others that a translation may render by
    them. `silent` are the translation's blocks whose own in the source says nothing about translation.
    """

    subjects: frozenset[str]
    named: frozenset[str]
    silent: frozenset[Block]
    lone: frozenset[Block]
    surplus: bool


class Talk(NamedTuple):
    """A sentence of a machine: its block, its text, and whether it is English."""

    block: Block
    text: str
    english: bool


def residue(context: RuleContext) -> Iterator[Violation]:
    """Find sentences of a machine in a translation that its source's section does not account for."""
    if context.source is None and languages.own_letters(context.document.language) is None:
        return  # no translation
    yield from tags(context)
    yield from conflicts(context)
    original = context.original.text if context.source else ""
    for block in readable(context.page.blocks) if any(mark in context.page.text for mark in HINTS) else ():
        if (match := MARKS.search(block.text)) and match.group() not in original:
            yield violation(match.group(), "a mark of a prompt", block)
    for talk in machine_talk(context):
        what = "an answer to a prompt" if talk.english else "a machine's word about its translation"
        yield violation(talk.text, what, talk.block)


def violation(text: str, what: str, block: Block) -> Violation:
    """The violation for a text that a machine wrote."""
    message = f"{shortened(text)!r} is {what}, not the page's text"
    return Violation("residue", text, message, "take it out", block.line, block.column)


class SourceTopics:
    """The subjects of the source's sections: what a page about translation says is no machine's talk."""

    def __init__(self, context: RuleContext) -> None:
        self.threshold = THRESHOLD if context.source else ALONE
        self.page = context.page
        self.original = context.source.page if context.source else None
        self.latin = languages.own_letters(context.document.language) is None
        self.words: Words = ()
        if context.source:
            spoken = dict.fromkeys(("en", languages.base(context.source.language)))
            self.words = tuple(words for language in spoken for words in lexicon(language))
        self.known: dict[int, SourceSection] = {}

    def section(self, number: int) -> SourceSection:
        """The source's section that stands for the translation's of a number; all of them where the headings differ."""
        if number not in self.known:
            self.known[number] = self.whole if self.whole else self.made(number)
        return self.known[number]

    @cached_property
    def whole(self) -> SourceSection | None:
        """The source as one section, where the headings differ or where there is no source."""
        if self.original is None:
            return SourceSection(frozenset(), frozenset(), frozenset(), frozenset(), False)
        if len(self.page.headings) == len(self.original.headings):
            return None
        every = [block for blocks in blocks_by_section(self.original).values() for block in blocks]
        return SourceSection(*self.subjects(every), frozenset(), frozenset(), False)

    def made(self, number: int) -> SourceSection:
        """A section, made of the source's and the translation's blocks."""
        theirs, blocks = (blocks_by_section(page).get(number, []) for page in (self.original or self.page, self.page))
        paired = {target: source for source, target in alignment.blocks(theirs, blocks)}
        lone = frozenset(block for block in blocks if block not in paired and block.kind == PARAGRAPH)
        (subjects, named), silent = self.subjects(theirs), frozenset[Block]()
        if TRANSLATION in subjects and alignment.alike(theirs, blocks):
            silent = frozenset(b for b, a in paired.items() if TRANSLATION not in self.subjects([a])[0])
        return SourceSection(subjects, named, silent, lone, len(blocks) > len(theirs))

    def subjects(self, blocks: Iterable[Block]) -> tuple[frozenset[str], frozenset[str]]:
        """What some blocks of the source speak of, in any words and in a subject's own."""
        text = "".join(normalized(block.text) for block in blocks)
        named, other = (frozenset(subject for subject, some in words if any(word in text for word in some))
                        for words in (self.words, LICENCES.items() if self.words else ()))
        return named | other, named

    @cached_property
    def sentences(self) -> frozenset[str]:
        """The words of the source's blocks and sentences: a translation may repeat them."""
        page = passages(self.original) if self.original else ()
        return frozenset(one.words for one in page) | {
            normalized(piece) for one in page for piece in sentences(one.block.text)
        }


def machine_talk(context: RuleContext) -> Iterator[Talk]:
    """The first sentence of each block or comment that speaks of more than documentation does."""
    base = languages.base(context.document.language)
    page = passages(context.page)
    whole = "".join(passage.words for passage in page)
    starts = list(accumulate((len(passage.words) for passage in page), initial=0))
    tables = []
    for language in dict.fromkeys((base, "en")):
        likely = holding(rare(language), whole, starts)
        text = "".join(page[number].words for number in sorted(likely))
        words = tuple((subject, tuple(word for word in some if word in text)) for subject, some in lexicon(language))
        tables.append((words, likely, language == "en"))
    source = SourceTopics(context)
    for number in sorted({number for _, likely, _ in tables for number in likely}):
        passage = page[number]
        for words, likely, english in tables:
            if number in likely and score(passage.words, words, passage.form + 2) >= THRESHOLD:
                section = source.section(context.page.section(passage.block.line))
                if piece := find_sentence(passage, words, section, source, english and base != "en"):
                    yield Talk(passage.block, piece, english)
                    break


def holding(expression: re.Pattern[str], whole: str, starts: Sequence[int]) -> set[int]:
    """The numbers of the texts in which an expression is found; they start at `starts` in the whole."""
    found = set[int]()
    match = expression.search(whole)
    while match:
        number = bisect_right(starts, match.start())
        found.add(number - 1)
        match = expression.search(whole, starts[number])
    return found


def find_sentence(
    passage: Passage, words: Words, section: SourceSection, source: SourceTopics, foreign: bool
) -> str:
    """The first sentence of a passage that a machine says, "" where there is none."""
    pieces = sentences(passage.block.text)
    licences = [(section.named if foreign else section.subjects, source.threshold), (section.named, LOOSE)]
    if passage.block in section.silent:
        licences.append((section.subjects - {TRANSLATION}, SILENT))
    if passage.block in section.lone:
        licences += [(section.subjects - {TRANSLATION}, ALONE), (section.subjects & ABOUT, LONE)]
    for piece in pieces if len(pieces) > 2 or len(passage.words.encode()) > LONG else [passage.block.text]:
        text = normalized(piece)
        if len(text.encode()) > LONG or (foreign and source.latin and not speaks_english(text)):
            continue
        form = passage.form + (section.surplus and passage.block.kind == PARAGRAPH) + (foreign and text.isascii())
        spoken = any(score(text, words, form, licensed) >= least for licensed, least in licences)
        if spoken and text not in source.sentences:
            return piece
    return ""


def speaks_english(text: str) -> bool:
    """Whether a text has a word that makes it English: "i" is Italian too, and "file"."""
    return any(len(word) > 2 and word in FUNCTION_WORDS for word in text.split())


def score(text: str, words: Words, form: int, licensed: frozenset[str] = frozenset()) -> int:
    """How much the subjects of a text in `normalized` words and its form weigh; 0 where none of them is a rare one."""
    hits = {subject: number for subject, some in words if (number := sum(word in text for word in some))}
    rare = [subject for subject in hits if WEIGHTS[subject] > 1 and subject not in licensed]
    if not rare:
        return 0
    weight = sum(WEIGHTS[subject] + (hits[subject] > 1) for subject in rare)
    described = form > 0 and KEPT in rare and FORMAT in hits  # "the links were kept", in a block of its own
    return weight + described + min(2, sum(WEIGHTS[subject] == 1 for subject in hits)) + form


@cache
def lexicon(language: str) -> Words:
    """The words of a language by subject."""
    table = LEXICON.get(language, {})
    written = [(subject, words.replace("ё", "е")) for subject, words in table.items()]
    if language == "zh":
        written = [(subject, f"{words}|{words.translate(TRADITIONAL)}") for subject, words in written]
    return tuple((subject, tuple(dict.fromkeys(words.split("|")))) for subject, words in written)


@cache
def rare(language: str) -> re.Pattern[str]:
    """One expression for the words of a language that few pages hold."""
    return re.compile(any_of({word for subject, some in lexicon(language) if WEIGHTS[subject] > 1 for word in some}))


def any_of(words: Collection[str]) -> str:
    """An expression for the beginning of any of the words, as a tree of letters: of hundreds few are tried."""
    if not words or "" in words:
        return "" if words else "(?!)"
    tails: dict[str, set[str]] = {}
    for word in words:
        tails.setdefault(word[0], set()).add(word[1:])
    return f"(?:{'|'.join(re.escape(letter) + any_of(rest) for letter, rest in tails.items())})"


def tags(context: RuleContext) -> Iterator[Violation]:
    """Tags around the parts of a prompt, outside code."""
    if not TAGS.search(context.page.text) or (context.source is not None and TAGS.search(context.original.text)):
        return
    for line in read(context.page.text):
        bare = re.sub(r"`+[^`]*`+", lambda code: " " * len(code[0]), line.text)
        if line.kind is LineKind.PROSE and (match := TAGS.search(bare)):
            yield Violation("residue", match.group(), f"{match.group()!r} is a mark of a prompt, not the page's text",
                            "take it out", line.number, match.start() + 1)


def conflicts(context: RuleContext) -> Iterator[Violation]:
    """Lines that git wrote around two versions of a passage, in code too."""
    if "<<<<<<<" not in context.page.text and ">>>>>>>" not in context.page.text:
        return
    for number, line in enumerate(context.page.lines, 1):
        if CONFLICT.match(line) and (context.source is None or line.strip() not in context.original.text):
            yield Violation("residue", line.strip(), f"{line.strip()!r} is a mark of a merge, not the page's text",
                            "keep one of the two versions and take the marks out", number)
