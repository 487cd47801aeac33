"""What a translation program wrote around its translation, prompts that were left in, and marks of a merge.

A sentence counts where it is a short paragraph or comment that the source's section lacks, turns to whoever asked for
a translation, and speaks of several subjects out of machine_lexicon.yml that the section does not speak of. A notice
that a page was translated by a machine turns to nobody: somebody meant it.
"""

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from functools import cache, cached_property
from typing import NamedTuple

from hexapla import languages
from hexapla.checks import alignment
from hexapla.checks.context import RuleContext, Violation
from hexapla.checks.memo import memoized
from hexapla.checks.rules.sentences.splitting import cut_sentences
from hexapla.checks.rules.text.english import FUNCTION_WORDS
from hexapla.checks.rules.text.prose import find_readable, shortened, squeeze_text
from hexapla.pages import Block, Page
from hexapla.pages.lines import LineKind, read
from hexapla.yaml_text import load_table

TRANSLATION, SELF, REPLY, KEPT, SOURCE, POINTER, FORMAT, ASKER = (
    "translation", "self", "reply", "kept", "source", "pointer", "format", "asker")
# How much a subject says: what documentation hardly ever speaks of weighs two, what it often speaks of one.
WEIGHTS = {
    TRANSLATION: 4, "machine": 3, SELF: 2, REPLY: 2, KEPT: 2, SOURCE: 2,
    POINTER: 1, "act": 1, FORMAT: 1, "text": 1, "language": 1, "rest": 1, ASKER: 1,
}

# Each word of Chinese stands in the lexicon in Simplified characters; this makes its Traditional form.
TRADITIONAL = str.maketrans(
    "译为个机动语当没问题诉对谢条则长数请发给户还么觉过欢继续输乐见这讯帮简体订种于注严规会样维变从旧与了将仅参阅随时遗无须码块连结占标链术词汇气润记专风修错写误顺档内页节说书双余后来着断毕",
    "譯為個機動語當沒問題訴對謝條則長數請發給戶還麼覺過歡繼續輸樂見這訊幫簡體訂種於註嚴規會樣維變從舊與瞭將僅參閱隨時遺無須碼塊連結佔標鏈術詞彙氣潤記專風脩錯寫誤順檔內頁節說書雙餘後來著斷畢",
)
# Words that hold one of the lexicon's and say something else: "we" in Chinese, a breakdown in Japanese.
IGNORED = re.compile(
    "我们|我們|自我|编译|编譯|編译|編譯|转译|转譯|轉译|轉譯|译码|译碼|譯码|譯碼|为您提供|为你提供|為您提供|為你提供"
    "|内訳|言い訳|可省略|省略可|省略記法"
    r"|유지 ?(?:관리|보수)"
    r"| перевод(?:а|у|ом|е)? строк\w*| se tradui\w+ par"
)

Words = tuple[tuple[str, tuple[str, ...]], ...]  # of each subject
LONG = 300  # bytes of a sentence: what machines say of themselves is short
PARAGRAPH, NOTE = "p", "comment"
BRACKETED = re.compile(r"[\[【(（［].*[\]】)）］][.。]?|(?:\.\.\.|…).*", re.S)
LABEL = re.compile(r".{1,80}[:：]", re.S)
# What the subjects of a sentence and its form weigh together: `LOOSE` where the section says in other words what a
# translation may render so. Set on the half of the clean pages and wordings that are tuned on.
THRESHOLD, LOOSE = 5, 8
SPEECH = frozenset({SELF, REPLY, POINTER, ASKER})  # what a sentence that turns to somebody speaks of
ABOUT = frozenset({TRANSLATION, SOURCE})  # what a paragraph that the source lacks may speak of where its section does
SHORT = 2  # sentences of a paragraph
WHOLE = -2  # the number of all sections together
CONFLICT = re.compile(r"^(?:<{7}|>{7}|\|{7})(?: \S.*)?$", re.M)  # what git writes around two versions of a passage
# Tags around the parts of a prompt: a browser shows nothing of them.
TAGS = re.compile(r"</?(?:think|thinking|translation|translated_text|source_text|target_text)>", re.I)
MARKS = re.compile(
    r"⟦\d+⟧|(?<![A-Za-z0-9])(?:__|\[\[)?(?:INLINE_CODE|CODE_BLOCK|CODE_SPAN|PLACEHOLDER)_\d+(?:__|\]\])?(?![A-Za-z0-9])"
    r"|<\|(?:im_start|im_end|endoftext|assistant|user|system)\|>|\[/?INST\]|<</?SYS>>"
)
HINTS = ("⟦", "CODE_", "PLACEHOLDER_", "<|", "INST]", "SYS>>")  # what every mark holds


class Passage(NamedTuple):
    """A block or an HTML comment: its words between single spaces, and how much its form adds to what it says."""

    block: Block
    words: str
    form: int


@memoized
def read_passages(page: Page) -> tuple[Passage, ...]:
    """The blocks that are text, then the HTML comments."""
    found = []
    for block in find_readable(page.blocks):
        form = -2 if block.kind in {"td", "th"} else -1  # machines talk in paragraphs
        if block.kind == PARAGRAPH:
            label = len(block.text.encode()) <= 36 or LABEL.fullmatch(block.text)
            form = bool(label) + bool(BRACKETED.fullmatch(block.text))
        found.append(Passage(block, normalize_text(block.text), form))
    return (*found, *(Passage(block, normalize_text(block.text), 0) for block in html_comment_blocks(page)))


def html_comment_blocks(page: Page) -> Iterator[Block]:
    """The HTML comments outside code, those for this program and one that nothing closes left out."""
    line, place, start = 1, 0, page.text.find("<!--")
    while start >= 0 and (end := page.text.find("-->", start + 4)) >= 0:
        words, line, place = page.text[start + 4 : end], line + page.text.count("\n", place, start), start
        start = page.text.find("<!--", end + 3)
        if len(words.encode()) > LONG or words.strip().startswith("hexapla"):
            continue
        fence = bisect_right(page.fences, line, key=lambda one: one.line) - 1
        if fence < 0 or line > (page.fences[fence].end_line or line):
            yield Block(NOTE, " ".join(words.split()), line, 1)


def normalize_text(text: str) -> str:
    """A text's words in lower case between single spaces, without what misleads."""
    words = f" {squeeze_text(text)} "
    return words if words.isascii() else IGNORED.sub(" ", words.replace("ё", "е"))


@memoized
def blocks_by_section(page: Page) -> dict[int, list[Block]]:
    """A page's text and comments by the number of their heading."""
    return alignment.by_section(page, (passage.block for passage in read_passages(page)))


class SourceSection(NamedTuple):
    """A section of the source: its subjects, and the translation's paragraphs and comments that it lacks.

    `named` are the subjects that it speaks of in a subject's own words, not in others that a translation may render by
    them.
    """

    subjects: frozenset[str]
    named: frozenset[str]
    lone: frozenset[Block]


def residue(context: RuleContext) -> Iterator[Violation]:
    """Find what a translation program or a prompt left in a translation and its source does not have."""
    if context.source is None:
        return
    yield from find_prompt_tags(context)
    original = context.original.text
    for block in find_readable(context.page.blocks) if any(mark in context.page.text for mark in HINTS) else ():
        if (match := MARKS.search(block.text)) and match.group() not in original:
            yield violation(match.group(), "looks like a mark of a prompt or a placeholder", block.line, block.column)
    for block, text in find_answers(context):
        yield violation(text, "reads like an answer of a translation program", block.line, block.column)


def violation(text: str, what: str, line: int, column: int) -> Violation:
    return Violation("residue", text, f"{shortened(text)!r} {what}", "delete it if nobody meant it", line, column)


class SourceTopics:
    """The subjects of the source's sections: what a page about translation says is no machine's talk."""

    def __init__(self, context: RuleContext) -> None:
        self.page, self.original = context.page, context.original
        self.alike = len(self.page.headings) == len(self.original.headings)
        self.language = languages.base(context.source.language if context.source else "en")
        spoken = dict.fromkeys(("en", self.language))
        self.words: Words = tuple(words for language in spoken for words in read_lexicon(language))
        self.known: dict[int, SourceSection] = {}

    def section(self, number: int) -> SourceSection:
        """The source's section that stands for the translation's of a number; all of them where the headings differ."""
        number = number if self.alike else WHOLE
        if number not in self.known:
            self.known[number] = self.compared(number)
        return self.known[number]

    def compared(self, number: int) -> SourceSection:
        """What the source's blocks speak of, and the translation's paragraphs and comments that stand for none."""
        theirs, blocks = (
            [block for section, some in blocks_by_section(page).items() if number in {section, WHOLE} for block in some]
            for page in (self.original, self.page))
        paired = {target for _, target in alignment.blocks(theirs, blocks)}
        lone = frozenset(block for block in blocks if block.kind in {PARAGRAPH, NOTE} and block not in paired)
        return SourceSection(*self.subjects(theirs), lone)

    def subjects(self, blocks: Iterable[Block]) -> tuple[frozenset[str], frozenset[str]]:
        """What some blocks of the source speak of, in any words and in a subject's own."""
        text = "".join(normalize_text(block.text) for block in blocks)
        named, other = (frozenset(subject for subject, some in words if any(word in text for word in some))
                        for words in (self.words, read_lexicon("licences")))
        return named | other, named

    @cached_property
    def sentences(self) -> frozenset[str]:
        """The words of the source's blocks and sentences: a translation may repeat them."""
        page = read_passages(self.original)
        return frozenset(one.words for one in page) | {
            normalize_text(piece) for one in page for piece in cut_sentences(one.block.text, self.language)
        }


def find_answers(context: RuleContext) -> Iterator[tuple[Block, str]]:
    """The first sentence of each block or comment that reads like an answer."""
    base = languages.base(context.document.language)
    page = read_passages(context.page)
    tables = []
    for language in dict.fromkeys((base, "en")):
        likely = {number for number, passage in enumerate(page) if rare_words(language).search(passage.words)}
        text = "".join(page[number].words for number in sorted(likely))
        words = tuple((subject, tuple(word for word in some if word in text))
                      for subject, some in read_lexicon(language))
        tables.append((words, likely, language == "en"))
    source = SourceTopics(context)
    for number in sorted({number for _, likely, _ in tables for number in likely}):
        passage = page[number]
        if passage.block.kind not in {PARAGRAPH, NOTE} or len(cut_sentences(passage.block.text, base)) > SHORT:
            continue
        for words, likely, english in tables:
            if number in likely and turns_to_somebody(passage.words, words) and score_text(
                    passage.words, words, passage.form + 2) >= THRESHOLD:
                section = source.section(context.page.section(passage.block.line))
                if piece := find_sentence(passage, words, section, source, base, english and base != "en"):
                    yield passage.block, piece
                    break


def find_sentence(
    passage: Passage, words: Words, section: SourceSection, source: SourceTopics, language: str, foreign: bool
) -> str:
    """The first sentence of a passage that a machine says, "" where there is none."""
    if passage.block not in section.lone:
        return ""
    pieces = cut_sentences(passage.block.text, language)
    licences = [(section.named if foreign else section.subjects, THRESHOLD), (section.named, LOOSE),
                (section.subjects & ABOUT, THRESHOLD)]
    for piece in pieces if len(passage.words.encode()) > LONG else [passage.block.text]:
        text = normalize_text(piece)
        # "i" is Italian too, and "file".
        english = any(len(word) > 2 and word in FUNCTION_WORDS for word in text.split())
        if len(text.encode()) > LONG or (foreign and not english):
            continue
        form = passage.form + (passage.block.kind == PARAGRAPH) + (foreign and text.isascii())
        spoken = any(score_text(text, words, form, licensed) >= least for licensed, least in licences)
        if spoken and turns_to_somebody(text, words) and text not in source.sentences:
            return piece
    return ""


def turns_to_somebody(text: str, words: Words) -> bool:
    """Whether a text turns to whoever asked for it."""
    return any(subject in SPEECH and any(word in text for word in some) for subject, some in words)


def score_text(text: str, words: Words, form: int, licensed: frozenset[str] = frozenset()) -> int:
    """How much the subjects of a text in `normalized` words and its form weigh; 0 where none of them is a rare one."""
    hits = {subject: number for subject, some in words if (number := sum(word in text for word in some))}
    rare = [subject for subject in hits if WEIGHTS[subject] > 1 and subject not in licensed]
    if not rare:
        return 0
    weight = sum(WEIGHTS[subject] + (hits[subject] > 1) for subject in rare)
    described = form > 0 and KEPT in rare and FORMAT in hits  # "the links were kept", in a block of its own
    return weight + described + min(2, sum(WEIGHTS[subject] == 1 for subject in hits)) + form


def find_prompt_tags(context: RuleContext) -> Iterator[Violation]:
    """Tags around the parts of a prompt, outside code."""
    if not TAGS.search(context.page.text) or TAGS.search(context.original.text):
        return
    for line in read(context.page.text, context.tree.layout.closes_fence(context.document.path)):
        bare = re.sub(r"`+[^`]*`+", lambda code: " " * len(code[0]), line.text)
        if line.kind is LineKind.PROSE and (match := TAGS.search(bare)):
            yield violation(match.group(), "looks like a mark of a prompt", line.number, match.start() + 1)


def merge_conflict(context: RuleContext) -> Iterator[Violation]:
    """Find lines that git wrote around two versions of a passage; in code where the source's code has none."""
    text = context.page.text
    if "<<<<<<<" not in text and ">>>>>>>" not in text:
        return
    fences = [(fence.line, fence.end_line or len(context.page.lines)) for fence in context.page.fences]
    for number, line in enumerate(context.page.lines, 1):
        if not CONFLICT.match(line):
            continue
        shown = any(first < number <= last for first, last in fences)
        if (line.strip() not in context.original.text) if context.source else not shown:
            yield Violation("merge-conflict", line.strip(), f"{line.strip()!r} is a mark of an unfinished merge",
                            "keep one of the two versions and delete the marks", number)


@cache
def rare_words(language: str) -> re.Pattern[str]:
    """One expression for the words of a language that few pages hold."""
    rare = [word for subject, some in read_lexicon(language) if WEIGHTS[subject] > 1 for word in some]
    return re.compile("|".join(map(re.escape, rare)) or "(?!)")


@cache
def read_lexicon(language: str) -> Words:
    """The words of a language by subject; "licences" are what a source says where its translation speaks of one."""
    found = []
    for subject, text in read_table().get(language, {}).items():
        words = [word.strip().replace("_", " ").replace("ё", "е") for word in text.split("|")]
        words += [word.translate(TRADITIONAL) for word in words] if language == "zh" else []
        found.append((subject, tuple(dict.fromkeys(words))))
    return tuple(found)


@cache
def read_table() -> dict[str, dict[str, str]]:
    """The words as they are written."""
    return load_table(__package__, "machine_lexicon.yml")
