"""What a translation machine said about its own work, prompts that were left in, and marks of a merge.

A sentence is a machine's where it speaks of several subjects out of `machine_lexicon` that the source's section does
not speak of: its translation, the text and its format, the reader who asked for it, itself.
"""

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from functools import cache, cached_property
from typing import NamedTuple

from hexapla import languages
from hexapla.checks import alignment
from hexapla.checks.engine.context import RuleContext, Violation
from hexapla.checks.engine.memo import memoized
from hexapla.checks.rules.text.machine_lexicon import (
    FORMAT,
    IGNORED,
    KEPT,
    LEXICON,
    LICENCES,
    SOURCE,
    TRADITIONAL,
    TRANSLATION,
    WEIGHTS,
)
from hexapla.checks.rules.text.prose import readable, sentences, shortened
from hexapla.pages import Block, Page
from hexapla.pages.lines import LineKind, read

# What the subjects of a sentence and its form weigh together where a machine says it: `LONE` in a paragraph that the
# source lacks, `SILENT` where the section speaks of translation and the block's own in the source does not, `ALONE` on
# a page without a source. Set on the half of the clean pages and wordings that are tuned on.
THRESHOLD, LONE, SILENT, ALONE = 5, 5, 6, 7
LONG = 300  # bytes of a sentence: what machines say of themselves is short
PARAGRAPH, NOTE = "p", "comment"
ABOUT = frozenset({TRANSLATION, SOURCE})  # what a block that the source lacks may speak of where its section does
NO_WORD = re.compile(r"[\W_]+")
BRACKETED = re.compile(r"[\[【(（［].*[\]】)）］][.。]?|(?:\.\.\.|…).*", re.S)
LABEL = re.compile(r".{1,80}[:：]", re.S)
CONFLICT = re.compile(r"^(?:<{7}|>{7}|\|{7})(?: \S.*)?$", re.M)  # what git writes around two versions of a passage
# Tags around the parts of a prompt: a browser shows nothing of them.
TAGS = re.compile(r"</?(?:think|thinking|translation|translated_text|source_text|target_text)>", re.I)
MARKS = re.compile(
    r"⟦\d+⟧|(?<![A-Za-z0-9])(?:__|\[\[)?(?:INLINE_CODE|CODE_BLOCK|CODE_SPAN|PLACEHOLDER)_\d+(?:__|\]\])?(?![A-Za-z0-9])"
    r"|<\|(?:im_start|im_end|endoftext|assistant|user|system)\|>|\[/?INST\]|<</?SYS>>"
)
HINTS = ("⟦", "CODE_", "PLACEHOLDER_", "<|", "INST]", "SYS>>")  # what every mark holds

Words = tuple[tuple[str, tuple[str, ...]], ...]  # of each subject


class Passage(NamedTuple):
    """A block or an HTML comment: its words between single spaces, and how much its form adds to what it says."""

    block: Block
    words: str
    form: int


class SourceSection(NamedTuple):
    """A section of the source: its subjects, the translation's paragraphs that it lacks, if it has fewer blocks.

    `silent` are the translation's blocks whose own in the source says nothing about translation.
    """

    subjects: frozenset[str]
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
        self.words: Words = ()
        if context.source:
            self.words = (*lexicon("en"), *lexicon(languages.base(context.source.language)), *LICENCES.items())

    @cached_property
    def sections(self) -> dict[int, SourceSection]:
        """The source's sections by the number of the translation's; one for all where the headings differ."""
        first, second = (blocks_by_section(page) for page in (self.original or self.page, self.page))
        if self.original is None or len(self.page.headings) != len(self.original.headings):
            every = (block for blocks in first.values() for block in blocks) if self.original else ()
            spoken = self.subjects(every)
            return dict.fromkeys(second, SourceSection(spoken, frozenset(), frozenset(), False))
        found = {}
        for number, blocks in second.items():
            theirs = first.get(number, [])
            paired = {target: source for source, target in alignment.blocks(theirs, blocks)}
            lone = frozenset(block for block in blocks if block not in paired and block.kind == PARAGRAPH)
            subjects, silent = self.subjects(theirs), frozenset[Block]()
            if TRANSLATION in subjects and [one.kind for one in theirs] == [one.kind for one in blocks]:
                silent = frozenset(b for b, a in paired.items() if TRANSLATION not in self.subjects([a]))
            found[number] = SourceSection(subjects, silent, lone, len(blocks) > len(theirs))
        return found

    def subjects(self, blocks: Iterable[Block]) -> frozenset[str]:
        """What some blocks of the source speak of."""
        text = "".join(normalized(block.text) for block in blocks)
        return frozenset(subject for subject, some in self.words if any(word in text for word in some))

    @cached_property
    def sentences(self) -> frozenset[str]:
        """The words of the source's blocks and sentences: a translation may repeat them."""
        page = passages(self.original) if self.original else ()
        return frozenset(one.words for one in page) | {
            normalized(piece) for one in page for piece in sentences(one.block.text)
        }


def blocks_by_section(page: Page) -> dict[int, list[Block]]:
    """A page's text and comments by the number of their heading."""
    return alignment.by_section(page, (passage.block for passage in passages(page)))


def machine_talk(context: RuleContext) -> Iterator[Talk]:
    """The first sentence of each block or comment that speaks of more than documentation does."""
    base = languages.base(context.document.language)
    page = passages(context.page)
    whole = "".join(passage.words for passage in page)
    tables = []
    for language in dict.fromkeys((base, "en")):
        words = present(language, whole)
        rare = [word for subject, some in words if WEIGHTS[subject] > 1 for word in some]
        tables.append((words, rare, language == "en"))
    source = SourceTopics(context)
    for passage in page:
        for words, rare, english in tables:
            likely = any(word in passage.words for word in rare)
            if likely and score(passage.words, words, passage.form + 2) >= THRESHOLD:
                section = source.sections[context.page.section(passage.block.line)]
                if piece := find_sentence(passage, words, section, source, english and base != "en"):
                    yield Talk(passage.block, piece, english)
                    break


def find_sentence(
    passage: Passage, words: Words, section: SourceSection, source: SourceTopics, foreign: bool
) -> str:
    """The first sentence of a passage that a machine says, "" where there is none."""
    pieces = sentences(passage.block.text)
    lone, silent = passage.block in section.lone, not foreign and passage.block in section.silent
    for piece in pieces if len(pieces) > 2 else [passage.block.text]:
        text = normalized(piece)
        if len(text.encode()) > LONG:
            continue
        form = passage.form + (section.surplus and passage.block.kind == PARAGRAPH) + (foreign and text.isascii())
        spoken = score(text, words, form, section.subjects) >= source.threshold
        spoken = spoken or (silent and score(text, words, form, section.subjects - {TRANSLATION}) >= SILENT)
        spoken = spoken or (lone and score(text, words, form, section.subjects & ABOUT) >= LONE)
        if spoken and text not in source.sentences:
            return piece
    return ""


def score(text: str, words: Words, form: int, licensed: frozenset[str] = frozenset()) -> int:
    """How much the subjects of a text in `normalized` words and its form weigh; 0 where none of them is a rare one."""
    hits = {subject: number for subject, some in words if (number := sum(word in text for word in some))}
    rare = [subject for subject in hits if WEIGHTS[subject] > 1 and subject not in licensed]
    if not rare:
        return 0
    weight = sum(WEIGHTS[subject] + (hits[subject] > 1) for subject in rare)
    described = form > 0 and KEPT in rare and FORMAT in hits  # "the links were kept", in a block of its own
    return weight + described + min(2, sum(WEIGHTS[subject] == 1 for subject in hits)) + form


@memoized
def passages(page: Page) -> tuple[Passage, ...]:
    """The blocks that are text, then the HTML comments."""
    found = []
    for block in readable(page.blocks):
        form = -2 if block.kind in {"td", "th"} else -1  # machines talk in paragraphs
        if block.kind == PARAGRAPH:
            label = len(block.text.encode()) <= 36 or LABEL.fullmatch(block.text)
            form = bool(label) + bool(BRACKETED.fullmatch(block.text))
        found.append(Passage(block, normalized(block.text), form))
    return (*found, *(Passage(block, normalized(block.text), 0) for block in comments(page)))


def html_comments(text: str) -> Iterator[tuple[int, str]]:
    """Where each HTML comment starts, and what is in it; one that nothing closes is none."""
    start = text.find("<!--")
    while start >= 0 and (end := text.find("-->", start + 4)) >= 0:
        yield start, text[start + 4 : end]
        start = text.find("<!--", end + 3)


def comments(page: Page) -> Iterator[Block]:
    """The HTML comments outside code, those for this program left out."""
    line, place = 1, 0
    for start, words in html_comments(page.text):
        line, place = line + page.text.count("\n", place, start), start
        if len(words.encode()) > LONG or words.strip().startswith("hexapla"):
            continue
        fence = bisect_right(page.fences, line, key=lambda one: one.line) - 1
        if fence < 0 or line > (page.fences[fence].end_line or line):
            yield Block(NOTE, " ".join(words.split()), line, 1)


def normalized(text: str) -> str:
    """A text's words in lower case between single spaces, without what misleads."""
    words = f" {NO_WORD.sub(' ', text.lower()).strip()} "
    return words if words.isascii() else IGNORED.sub(" ", words.replace("ё", "е"))


@cache
def lexicon(language: str) -> Words:
    """The words of a language by subject."""
    table = LEXICON.get(language, {})
    written = [(subject, words.replace("ё", "е")) for subject, words in table.items()]
    if language == "zh":
        written = [(subject, f"{words}|{words.translate(TRADITIONAL)}") for subject, words in written]
    return tuple((subject, tuple(dict.fromkeys(words.split("|")))) for subject, words in written)


def present(language: str, text: str) -> Words:
    """Of a language's words those that a page holds: most pages hold few."""
    return tuple((subject, tuple(word for word in words if word in text)) for subject, words in lexicon(language))


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
