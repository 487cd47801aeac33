"""Marks of another width than the page's, and sentences of another register."""

import re
from collections import Counter
from collections.abc import Iterator

from hexapla.checks.context import RuleContext, Violation
from hexapla.checks.rules.sentences.splitting import cut_sentences
from hexapla.checks.rules.text.prose import find_readable, shortened
from hexapla.languages import HAN, HANGUL, KANA, base
from hexapla.pages import Block, Page
from hexapla.pages.html_vocabulary import OBJECT

EAST = f"[{HAN}{KANA}]"
# Marks between letters of East Asia, by language: those that a page does not set, and those it sets instead.
NARROW = re.compile(rf"(?<={EAST})(?:[,.!?](?=\s?(?:{EAST}|{OBJECT})|\s*$)|[:;)](?={EAST})| ?\((?={EAST}))")
WIDE = re.compile(f"{EAST}[，。、；：！？（）]")
WIDE_IN_KOREAN, NARROW_IN_KOREAN = re.compile(f"(?<=[{HANGUL}])[，。、！？]"), re.compile(f"[{HANGUL}][,.!?]")
MARKS = {"zh": (NARROW, WIDE), "yue": (NARROW, WIDE), "ja": (NARROW, WIDE), "ko": (WIDE_IN_KOREAN, NARROW_IN_KOREAN)}
HABIT = 10   # of the page's marks for each one that is set otherwise
# How sentences of paragraphs end in each of two registers.
REGISTERS = {
    "ja": (re.compile(r"(?:です|ます|でした|ました|ません|でしょう|ましょう|ください|下さい)(?:か|ね|よ)?[。！？]$"),
           re.compile(r"(?:[うくぐすつぬぶむるただい]|よう)。$")),
    "ko": (re.compile(r"(?:니다|니까|시오)[.!?]$"), re.compile(r"(?:(?<![니시])다|(?<![세까])요)[.!?]$")),
}


def punctuation_width(context: RuleContext) -> Iterator[Violation]:
    """Marks that the page sets in the other width everywhere else."""
    if (found := MARKS.get(base(context.document.language))) is None:
        return
    odd, usual = found
    text = "\n".join(block.text for block in context.whole[0].blocks)
    if len(usual.findall(text)) < HABIT * max(len(odd.findall(text)), 1):
        return
    for block in find_readable(context.page.blocks):
        if match := odd.search(block.text):
            around = block.text[max(match.start() - 8, 0) : match.end() + 8]
            message = f"{match[0]!r} in {around!r} has another width than the page's marks"
            yield Violation("punctuation-width", around, message, "write it as the rest of the page does", block.line,
                            block.column)


def register_mixed(context: RuleContext) -> Iterator[Violation]:
    """Sentences that end in the register that the page does not write."""
    language = context.document.language
    if base(language) not in REGISTERS:
        return
    counted = Counter(found for _, _, found in sentence_registers(context.whole[0], language))
    (usual, most), *others = counted.most_common() or [("", 0)]
    if most < HABIT * max(sum(often for _, often in others), 1):
        return
    for block, sentence, found in sentence_registers(context.page, language):
        if found != usual:
            yield Violation("register-mixed", shortened(sentence), f"{sentence[-20:]!r} ends otherwise than the page's "
                            "sentences", "write it in the page's register", block.line, block.column)


def sentence_registers(page: Page, language: str) -> Iterator[tuple[Block, str, str]]:
    """The sentences of a page's paragraphs whose register can be told, polite or plain."""
    for block in find_readable(page.blocks):
        said = cut_sentences(block.text, language) if block.kind == "p" else ()
        for sentence in said if len(said) > 1 else ():  # one alone may be a caption, or lead on
            if found := register_of(sentence, language):
                yield block, sentence, found


def register_of(sentence: str, language: str) -> str:
    """The register of a sentence, "" where it cannot be told."""
    polite, plain = REGISTERS[base(language)]
    return "polite" if polite.search(sentence) else "plain" if plain.search(sentence) else ""
