"""What an edit of a section changes while its source is as it was: sentences gone or new, things in other places."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from hexapla.checks.context import RuleContext, Violation, absent
from hexapla.checks.rules.sentences.kept import Token, kept_tokens, values
from hexapla.checks.rules.sentences.splitting import cut_sentences, said_blocks
from hexapla.checks.rules.sentences.style import EAST, MARKS, REGISTERS, WIDE_IN_KOREAN, register_of
from hexapla.checks.rules.text.prose import shortened
from hexapla.languages import base
from hexapla.pages import Page

UNCHANGED = "and the source is as it was"
Said = list[tuple[str, int]]  # sentences with their lines
# Units that are words of East Asia.
UNIT = re.compile(r"(?<=\d) ?(?:毫秒|微秒|ミリ秒|밀리초|秒|초|分钟|分|분|小时|時間|시간|日|天|일|倍|배|割|成)")
NARROW_MARK = re.compile(f"(?<={EAST}) ?[,.:;!?()]")
SHARED = 0.4  # of a sentence's pairs of characters, where it is there in other words


def edit_violations(context: RuleContext, old: Page) -> Iterator[Violation]:
    """The changes that a translator would want to be asked about; `old` is the section as it was."""
    language = context.document.language
    before, after = said_in(old, language), said_in(context.page, language)
    gone, new = sentences_not_in(before, after), sentences_not_in(after, before)
    if not gone and not new and [text for text, _ in before] != [text for text, _ in after]:
        text, line = next(new for old, new in zip(before, after, strict=True) if old[0] != new[0])
        yield violation("token-order", text, "sentences or cells stand in another order than before", line)
    lost, added = sentences_unlike(gone, new), sentences_unlike(new, gone)
    if len(lost) > len(added):
        text = lost[0][0]
        yield violation("sentence-count", absent(text), f"{shortened(text, 40)!r} is gone, {UNCHANGED}", 1)
    elif len(added) > len(lost):
        text, line = added[0]
        yield violation("sentence-count", text, f"{shortened(text, 40)!r} is new, {UNCHANGED}", line)
    elif restyled := broken_style_rule(context, gone, new):
        yield violation(restyled, new[0][0], "the sentences are set or end otherwise than before", new[0][1])
    elif found := describe_misplaced(context, old, gone, new):
        text, line = new[0] if new else ("", 1)
        yield violation("token-order", text, found, line)


def broken_style_rule(context: RuleContext, gone: Said, new: Said) -> str:
    """The rule that an edit breaks which writes marks in another width, or sentences in another register."""
    language = base(context.document.language)
    before, after = ("\n".join(text for text, _ in side) for side in (gone, new))
    odd = WIDE_IN_KOREAN if language == "ko" else NARROW_MARK
    if language in MARKS and len(odd.findall(after)) > len(odd.findall(before)):
        return "punctuation-width"
    if language in REGISTERS and len(gone) == len(new):
        first, second = (Counter(register_of(text, language) for text, _ in side) for side in (gone, new))
        return "register-mixed" if first != second and first[""] == second[""] else ""
    return ""


def violation(rule: str, text: str, message: str, line: int) -> Violation:
    return Violation(rule, shortened(text), message, "compare it with the source", line)


def said_in(page: Page, language: str) -> Said:
    """The sentences of a section with their code, and lines."""
    return [(sentence, said.block.line) for said in said_blocks(page)
            for sentence in cut_sentences(said.text, language) or (said.text,)]


def sentences_not_in(these: Said, those: Said) -> Said:
    """The sentences of one side that the other has not, or not as often."""
    left = Counter(text for text, _ in those)
    found = []
    for text, line in these:
        left[text] -= 1
        if left[text] < 0:
            found.append((text, line))
    return found


def sentences_unlike(these: Said, those: Said) -> Said:
    """The sentences of which next to nothing is among those."""
    known = {pair for text, _ in those for pair in letter_pairs(text)}
    return [(text, line) for text, line in these if len(letter_pairs(text) & known) < SHARED * len(letter_pairs(text))]


def letter_pairs(text: str) -> set[str]:
    return {text[place : place + 2] for place in range(len(text) - 1)}


def describe_misplaced(context: RuleContext, old: Page, gone: Said, new: Said) -> str:
    """What stands in another place or for another thing in the sentences that changed, "" for nothing.

    An edit that brings what the source has is right.
    """
    language, source = context.document.language, context.source.language if context.source else "en"
    before, after = (
        [token for text, _ in side for token in (
            *kept_tokens(text, language), *(Token("unit", unit[0], unit.start()) for unit in UNIT.finditer(text)))]
        for side in (gone, new)
    )
    there = [token for said in said_blocks(context.original) for token in kept_tokens(said.text, source)]
    before += link_tokens(old)
    after += link_tokens(context.page)
    there += link_tokens(context.original)
    known, lost, put = values(there), values(before) - values(after), values(after) - values(before)
    for key in put:
        if away := next((each for each in lost if each[0] == key[0] and (each in known or key[0] == "unit")), None):
            return f"{key[1]!r} stands where {away[1]!r} was, {UNCHANGED}"
    odd = (place for place, (a, b) in enumerate(zip(before, after, strict=True)) if a[:2] != b[:2])
    if not lost and not put and (place := next(odd, None)) is not None:
        common = values(there) & values(after)
        if known_tokens(there, common) != known_tokens(after, common) or not common:
            return f"{after[place].value!r} and {before[place].value!r} are in each other's place"
    return ""


def link_tokens(page: Page) -> list[Token]:
    """Where the links of a section lead, in order."""
    return [Token("link", link.target, 0) for link in page.links]


def known_tokens(found: Sequence[Token], known: Counter[tuple[str, str]]) -> list[tuple[str, str]]:
    """The tokens of a sequence that are known, in order."""
    return [token[:2] for token in found if token[:2] in known]
