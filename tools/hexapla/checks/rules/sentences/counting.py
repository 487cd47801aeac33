"""Sentences that a paragraph lacks, has more than its source, or says twice."""

import math
from collections import Counter
from collections.abc import Iterator

from hexapla.checks.context import RuleContext, Violation
from hexapla.checks.rules.sentences.splitting import SaidBlock, cut_sentences, said_blocks
from hexapla.checks.rules.text.length import flowing_pairs, length_ratio, usual_share
from hexapla.checks.rules.text.prose import shortened, squeeze_text
from hexapla.pages.html_vocabulary import OBJECT

SHORT = 8  # letters of a sentence that may be said twice: "Yes."
LONG = 150  # characters of a source's paragraph whose translation's length can be told well
LEAST = 40   # and of one where it says anything
# How far the logarithm of a paragraph's length may be from the page's usual: for as many sentences as the source's (in
# long paragraphs alone), and for others in a long and a short one; by what sound pages of the guide and React have.
AS_MANY, OTHERS = 0.7, {True: 0.6, False: 0.78}


def sentence_repeated(context: RuleContext) -> Iterator[Violation]:
    """Sentences that a block says more often than any block of the source's section says one."""
    here, there = context.document.language, context.source.language if context.source else "en"
    most = max((often for said in said_blocks(context.original)
                for often in count_sentences(said, there).values()), default=1)
    for said in said_blocks(context.page):
        for sentence, often in count_sentences(said, here).items():
            if often > most:
                yield Violation("sentence-repeated", shortened(sentence), f"{shortened(sentence, 30)!r} stands here "
                                f"{often} times", "take one out", said.block.line, said.block.column)


def count_sentences(said: SaidBlock, language: str) -> Counter[str]:
    """How often each sentence of a block stands in it; those with code that is not known are left out."""
    return Counter(words for sentence in cut_sentences(said.text, language)
                   if OBJECT not in sentence and len(words := squeeze_text(sentence)) >= SHORT)


def sentence_count(context: RuleContext) -> Iterator[Violation]:
    """Paragraphs with sentences less or more than their source, and as much shorter or longer."""
    here, there = context.document.language, context.source.language if context.source else "en"
    page, original = context.whole
    share = length_ratio(flowing_pairs(original, page)) or usual_share(context)
    for one, other in flowing_pairs(context.original, context.page):
        if len(one.text) < LEAST or not other.text:
            continue
        first, second = len(cut_sentences(one.text, there)), len(cut_sentences(other.text, here))
        away, long = math.log(len(other.text) / (share * len(one.text))), len(one.text) > LONG
        if first == second:
            odd = long and abs(away) > AS_MANY
        else:
            odd = min(first, second) > 0 and abs(away) > OTHERS[long] and (away > 0) is (second > first)
        if odd:
            yield Violation(
                "sentence-count", shortened(other.text), f"{second} sentences with {len(other.text)} characters, the "
                f"source has {first}, which would be about {share * len(one.text):.0f}",
                "compare the paragraph with the source's", other.line, other.column, one.line)
