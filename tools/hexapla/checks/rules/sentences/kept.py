"""What a translation keeps as it is: code, numbers, names in Latin letters; and their order and places."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from hexapla.checks import alignment
from hexapla.checks.context import RuleContext, Violation
from hexapla.checks.rules.code.parity import plain
from hexapla.checks.rules.numbers.parsing import written_numbers
from hexapla.checks.rules.sentences.splitting import SaidBlock, cut_sentences, said_blocks
from hexapla.checks.rules.text.terms import terms_by_rendering
from hexapla.languages import HAN, HANGUL, KANA

Pair = tuple[SaidBlock, SaidBlock]  # of the source and of the translation
CODE = re.compile(r"`([^`]*)`")
# In East Asia a name may stand behind another letter without a space.
NAME = re.compile(rf"(?<![^\W{HAN}{KANA}{HANGUL}])(?<![.'’-])[A-Za-z][A-Za-z0-9_]*(?:[.-][A-Za-z0-9_]+)*")
MOST = 20  # blocks with the same token that one is compared with
SHORT_NAME = re.compile(r"[A-Z][A-Za-z]*[A-Z]s?|(?:[KMGT]i?B|[nuμm]?s|px|em)")  # GPU, GiB, ms


class Token(NamedTuple):
    """Something that is the same in both languages: its kind, what it is, and the text before it is that long."""

    kind: str
    value: str
    offset: int


def kept_tokens(text: str, language: str) -> list[Token]:
    """The code, numbers and Latin words of a text, in order."""
    found = [Token("code", plain(match[1]), match.start()) for match in CODE.finditer(text)]
    bare = CODE.sub(lambda match: " " * len(match[0]), text)
    found += [Token("number", min(number.values), number.offset) for number in written_numbers(bare, language)]
    found += [Token("name", match[0].lower().removesuffix("s") or match[0], match.start())
              for match in NAME.finditer(bare)]
    return sorted(found, key=lambda token: token.offset)


def values(found: Sequence[Token]) -> Counter[tuple[str, str]]:
    return Counter(token[:2] for token in found)


def said_pairs(context: RuleContext) -> Iterator[list[Pair]]:
    """The blocks that stand for each other, section by section."""
    first, second = said_blocks(context.original), said_blocks(context.page)
    texts = {id(said.block): said for said in (*first, *second)}
    for _, source, target in alignment.section_pairs(
        context.original, context.page, [said.block for said in first], [said.block for said in second]
    ):
        yield [(texts[id(a)], texts[id(b)]) for a, b in alignment.blocks(source, target)]


def token_order(context: RuleContext) -> Iterator[Violation]:
    """Tokens that changed places, or stand for another one."""
    here, there = context.document.language, context.source.language if context.source else "en"
    renderings = terms_by_rendering(context.settings.terms, context.document.language)
    for pairs in said_pairs(context):
        wanted = {id(said): kept_tokens(said.text, there) for said, _ in pairs}
        found = {id(said): kept_tokens(said.text, here) for _, said in pairs}
        for one, other in pairs:
            theirs, ours = wanted[id(one)], found[id(other)]
            if pair := find_transposed(one, other, theirs, ours, there, here):
                yield violation(one, other, f"{pair[0]!r} and {pair[1]!r} are in each other's place", pair[1])
            elif (pair := find_substituted(one, other)) and not any(
                pair[1] in each and each in other.text for each in renderings  # the cache is the KV cache
            ):
                yield violation(one, other, f"{pair[1]!r} is not in the source here, which has {pair[0]!r}", pair[1])
        for (one, mine), (_, yours) in find_crossed(pairs, wanted, found):
            message = f"what stands here and in line {yours.block.line} is in each other's place"
            yield violation(one, mine, message, mine.text)


def violation(source: SaidBlock, target: SaidBlock, message: str, subject: str) -> Violation:
    return Violation("token-order", subject, message, "compare it with the source", target.block.line,
                     target.block.column, source.block.line)


def find_transposed(
    one: SaidBlock, other: SaidBlock, theirs: list[Token], ours: list[Token], there: str, here: str
) -> tuple[str, str] | None:
    """Two numbers that changed places while what stands between them did not move, in sentences of their own."""
    left, right = values(theirs), values(ours)
    once = {key for key in left.keys() & right.keys() if left[key] == right[key] == 1}
    first, second = ([token for token in side if token[:2] in once] for side in (theirs, ours))
    odd = [place for place, (a, b) in enumerate(zip(first, second, strict=True)) if a[:2] != b[:2]]
    if len(odd) != 2:
        return None
    a, b = odd
    if first[a][:2] != second[b][:2] or not first[a].kind == first[b].kind == "number":
        return None
    if b - a < 3 and not are_apart(one, other, first[a : b + 1], second[a : b + 1], there, here):
        return None
    return first[a].value, first[b].value


def are_apart(one: SaidBlock, other: SaidBlock, theirs: list[Token], ours: list[Token], there: str, here: str) -> bool:
    """Whether two tokens stand in two sentences on both sides, in texts of as many sentences."""
    if len(cut_sentences(one.text, there)) != len(cut_sentences(other.text, here)):
        return False
    return all(
        len(cut_sentences(said.text[: side[0].offset], language))
        < len(cut_sentences(said.text[: side[-1].offset], language))
        for said, side, language in ((one, theirs, there), (other, ours, here))
    )


def find_substituted(one: SaidBlock, other: SaidBlock) -> tuple[str, str] | None:
    """A short name or a unit of the source, and the other one that stands in its place."""
    pair = exchanged_name(one.text, other.text)
    return pair if pair and pair[1].lower() not in one.text.lower() else None


def exchanged_name(source: str, target: str) -> tuple[str, str] | None:
    """The one short name of a text that its translation lacks, and the other one that stands there instead."""
    theirs, ours = (
        Counter(match[0].removesuffix("s") or "s" for match in NAME.finditer(CODE.sub(" ", text))
                if SHORT_NAME.fullmatch(match[0])) for text in (source, target)
    )
    gone, new = [*(theirs - ours).elements()], [*(ours - theirs).elements()]
    if len(gone) == len(new) == 1 and target.count(gone[0]) < source.count(gone[0]):  # it may be part of a longer name
        return gone[0], new[0]
    return None


def find_crossed(
    pairs: Sequence[Pair], wanted: dict[int, list[Token]], found: dict[int, list[Token]]
) -> Iterator[tuple[Pair, Pair]]:
    """Two blocks of which each has what the other's source has, and nothing of its own."""
    odd = []
    for one, other in pairs:
        theirs, ours = values(wanted[id(one)]), values(found[id(other)])
        if ours and theirs and not theirs & ours:
            odd.append((one, other, theirs, ours))
    having = defaultdict(list)  # by a token of the source, the blocks that have it
    for index, (_, _, theirs, _) in enumerate(odd):
        for token in theirs:
            having[token].append(index)
    for index, (one, mine, theirs, ours) in enumerate(odd):
        fewest = min((having.get(token, []) for token in ours), key=len)
        for two, yours, there, here in (odd[other] for other in fewest[:MOST] if other > index):
            if mine.block.line == yours.block.line and mine.block.kind != "td":
                continue
            if one.block.kind == two.block.kind and ours <= there and here <= theirs:
                yield (one, mine), (two, yours)
