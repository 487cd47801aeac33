"""What is doubtful in a section beside its source: missing, added, said twice, swapped, another number, unit or name.

No doubt is an error. Each is as rare in sound sections as the measurement of `benchmarks/review` says.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from itertools import combinations
from typing import NamedTuple

from hexapla.checks.rules.numbers.parsing import Number, find_numbers, written_numbers
from hexapla.checks.rules.sentences.kept import CODE, exchanged_name
from hexapla.checks.rules.text.prose import shortened, squeeze_text
from hexapla.languages import base
from hexapla.review.absences import absent_stretches
from hexapla.review.habits import Habits
from hexapla.review.lexicon import words_of
from hexapla.review.said_pairs import SaidPair, SaidText
from hexapla.translation.verdicts import MEANING
from hexapla.yaml_text import load_table

# How far the evidence has to speak against a text, as the logarithm of a ratio of probabilities.
ALONE, SWAPPED, CROSSED = -7.0, 18.0, 20.0
SHORT = 8     # letters of a sentence that may be said twice: "Yes."
MOST = 40     # odd cells of a section that are compared with each other
AROUND = 24   # characters to either side of a number that tell what it counts
NUMERAL, PAUSE = re.compile(r"\d[\d.,]*"), re.compile(r"[\d,;:()。，、；：（）]")
LACKING = ("missing", "seems to be missing"), ("added", "seems to have no source")  # of the source, the translation
NAMED = re.compile(r"[A-Za-z.]")
UNIT = re.compile(r"[ \u00a0\u202f-]?([^\W\d_]+)")


class SectionDoubt(NamedTuple):
    """What is doubtful in a pair of texts: its kind, and why."""

    kind: str
    pair: SaidPair
    message: str


class Languages(NamedTuple):
    """The codes of the source's language and of the translation's."""

    source: str
    target: str


Find = Callable[[SaidPair, Habits, Languages], Iterator[SectionDoubt]]


def find_doubts(pairs: Sequence[SaidPair], habits: Habits, languages: Languages) -> list[SectionDoubt]:
    """The doubts of a section, in its order.

    Those of one kind about a pair of texts are one doubt, so that who dismisses it was shown all of them.
    """
    found = [doubt for find in ALONE_KINDS for pair in pairs for doubt in find(pair, habits, languages)]
    found += [*lacking_texts(pairs, habits), *said_twice(pairs), *swapped_texts(pairs, habits)]
    messages: defaultdict[tuple[str, SaidPair], list[str]] = defaultdict(list)
    for kind, pair, message in found:
        messages[kind, pair].append(message)
    places = {id(pair): place for place, pair in enumerate(pairs)}
    joined = [SectionDoubt(*both, "; ".join(dict.fromkeys(told))) for both, told in messages.items()]
    return sorted(joined, key=lambda doubt: (places[id(doubt.pair)], doubt.kind))


def lacking_texts(pairs: Sequence[SaidPair], habits: Habits) -> Iterator[SectionDoubt]:
    """What one side says and the other does not."""
    for side, (kind, why) in enumerate(LACKING):
        usual = habits.turned() if side else habits
        whole = words_of(" ".join(other.text for pair in pairs if (other := pair[1 - side])))
        for pair in pairs:
            for text in absent_texts(pair[side], pair[1 - side], usual, whole):
                yield SectionDoubt(kind, pair, f"{shortened(text)!r} {why}")


def absent_texts(
    one: SaidText | None, other: SaidText | None, habits: Habits, whole: frozenset[str]
) -> Iterator[str]:
    """What of one text the other does not say, or where there is no other the sentences whose words are not those of
    the `whole` section.
    """
    if one and other:
        yield from absent_stretches(one, other, habits)
    elif one:
        yield from (each for each in one.sentences if len(squeeze_text(each)) >= SHORT
                    and habits.forth.weigh(words_of(each), whole) < ALONE)


def other_numbers(pair: SaidPair, habits: Habits, languages: Languages) -> Iterator[SectionDoubt]:
    """A number that stands where the source has another one, and numbers in each other's place."""
    if pair.source is None or pair.target is None:
        return
    (theirs, sure), (ours, known) = (
        (find_numbers(bare, code), [each for each in written_numbers(bare, code) if each.certain])
        for text, code in zip(pair, languages, strict=True) if text for bare in [blank_code(text.text)])
    there, here = (frozenset().union(*(each.values for each in side)) for side in (theirs, ours))
    gone = [each for each in sure if not each.values & here]
    new = [each for each in known if not each.values & there]
    if gone and new:
        yield SectionDoubt("number", pair, f"{new[0].text!r} stands where the source has {gone[0].text!r}")
        return
    first, second = (find_freestanding(text.text, side) for text, side in zip(pair, (sure, known), strict=True) if text)
    places = [(value, (first[value], second[value])) for value in first if value in second]
    texts = [text.text for text in pair if text]
    for (a, one), (b, other) in combinations(places[: MOST // 4], 2):
        if (one[0] < other[0]) is not (one[1] < other[1]):
            around = [(cut_clause(text, one[side]), cut_clause(text, other[side])) for side, text in enumerate(texts)]
            if crossed_gain(habits.affinity, *around) > CROSSED:
                yield SectionDoubt("swapped", pair, f"{a!r} and {b!r} seem to be in each other's place")


def find_freestanding(text: str, found: Sequence[Number]) -> dict[str, int]:
    """Where numbers stand that stand there once, and are no part of a name: 8B, fp32, H100."""
    often = Counter(each.text for each in found)
    return {min(each.values): each.offset for each in found
            if often[each.text] == 1 and not NAMED.search(text[max(each.offset - 1, 0) : each.offset])
            and not NAMED.match(text, each.offset + len(each.text))}


def cut_clause(text: str, place: int) -> str:
    """The words to either side of a number, up to another number or a comma."""
    number = NUMERAL.match(text, place)
    after = number.end() if number else place
    before = PAUSE.split(text[max(place - AROUND, 0) : place])[-1]
    return f"{before} {PAUSE.split(text[after : after + AROUND])[0]}"


def crossed_gain(affinity: Callable[[str, str], float], source: Sequence[str], target: Sequence[str]) -> float:
    """How much better two texts fit two others crosswise."""
    return (affinity(source[0], target[1]) + affinity(source[1], target[0])
            - affinity(source[0], target[0]) - affinity(source[1], target[1]))


def blank_code(text: str) -> str:
    return CODE.sub(lambda match: " " * len(match[0]), text)


def other_units(pair: SaidPair, habits: Habits, languages: Languages) -> Iterator[SectionDoubt]:
    """A number with another unit than in the source."""
    if pair.source is None or pair.target is None:
        return
    theirs, ours = (units_of(text.text, code) for text, code in zip(pair, languages, strict=True) if text)
    for value, (unit, word) in ours.items():
        if value in theirs and theirs[value][0] != unit:
            yield SectionDoubt("unit", pair, f"{value} is in {word!r}, in the source in {theirs[value][1]!r}")


def units_of(text: str, language: str) -> dict[str, tuple[int, str]]:
    """The units of numbers that have one, by the number; those with several are left out."""
    found: dict[str, set[tuple[int, str]]] = {}
    text, known = blank_code(text), unit_words()
    for number in written_numbers(text, language):
        if match := UNIT.match(text, number.offset + len(number.text)):
            word = next((match[1][:end] for end in range(len(match[1]), 0, -1) if match[1][:end] in known), "")
            if word and (len(word) == len(match[1]) or not word.isascii()):
                found.setdefault(min(number.values), set()).add((known[word], word))
    return {value: next(iter(units)) for value, units in found.items() if len({unit for unit, _ in units}) == 1}


@cache
def unit_words() -> Mapping[str, int]:
    """The words of units, each with the number of its unit."""
    rows = load_table(__package__, "words.yml")["units"]
    return {word: number for number, row in enumerate(rows) for word in row.split()}


def other_names(pair: SaidPair, habits: Habits, languages: Languages) -> Iterator[SectionDoubt]:
    """A short name where the source has another one: CPU for GPU."""
    if pair.source and pair.target and (names := exchanged_name(pair.source.text, pair.target.text)):
        yield SectionDoubt("name", pair, f"{names[1]!r} stands where the source has {names[0]!r}")


def turned_words(pair: SaidPair, habits: Habits, languages: Languages) -> Iterator[SectionDoubt]:
    """A comparison or an order that says the opposite of the source's."""
    if pair.source is None or pair.target is None:
        return
    first, second = pair.source.sentences, pair.target.sentences
    if len(first) != len(second):
        return
    for one, other in zip(first, second, strict=True):
        for theirs, ours in find_opposites(base(languages.source), base(languages.target)):
            for side in (0, 1):
                if theirs[side].search(one) and not theirs[1 - side].search(one) and not ours[side].search(other) \
                        and (found := ours[1 - side].search(other)):
                    yield SectionDoubt(MEANING, pair, f"{found[0]!r} may turn what the source says")


@cache
def find_opposites(source: str, target: str) -> list[tuple[list[re.Pattern[str]], list[re.Pattern[str]]]]:
    """Words and their opposites in two languages."""
    rows = load_table(__package__, "words.yml")["opposites"]
    return [([any_form(words) for words in row[source]], [any_form(words) for words in row[target]])
            for row in rows if source in row and target in row]


def any_form(words: str) -> re.Pattern[str]:
    """An expression for the forms of a word; in an alphabet they are whole words."""
    forms = (re.escape(form.strip()) for form in words.split("|"))
    return re.compile("|".join(rf"(?<!\w){form}(?!\w)" if form.isascii() else form for form in forms), re.I)


def said_twice(pairs: Sequence[SaidPair]) -> Iterator[SectionDoubt]:
    """Sentences that a text says more often than its source says one, and paragraphs that are there once more."""
    known = Counter(sentence for pair in pairs if pair.target for sentence in set(find_repeatable(pair.target)))
    for pair in pairs:
        here, there = Counter(find_repeatable(pair.target)), Counter(find_repeatable(pair.source))
        for sentence, often in here.items():
            if often > max(there.values(), default=1) or (pair.source is None and known[sentence] > 1):
                yield SectionDoubt("twice", pair, f"{shortened(sentence)!r} is said twice")


def find_repeatable(text: SaidText | None) -> Iterator[str]:
    """The sentences of a text that nobody says twice."""
    return (sentence for sentence in (text.sentences if text else ()) if len(squeeze_text(sentence)) >= SHORT)


def swapped_texts(pairs: Sequence[SaidPair], habits: Habits) -> Iterator[SectionDoubt]:
    """Cells, items or paragraphs of a section that stand in each other's place."""
    odd = [(pair, pair.source.text, pair.target.text) for pair in pairs if pair.source and pair.target
           and measure_fit(habits, pair.source.text, pair.target.text) < 0][:MOST]
    for (one, source, target), (other, second, translation) in combinations(odd, 2):
        gain = crossed_gain(lambda a, b: measure_fit(habits, a, b), (source, second), (target, translation))
        if one[1] and other[1] and one[1].kind == other[1].kind and gain > SWAPPED:
            both = f"{shortened(target)!r} and {shortened(translation)!r}"
            yield SectionDoubt("swapped", one, f"{both} seem to be in each other's place")


def measure_fit(habits: Habits, source: str, target: str) -> float:
    """The affinity of two texts, with what both keep: each number, name or piece of code on one side alone speaks
    against them."""
    theirs, ours = kept(source), kept(target)
    return habits.affinity(source, target) + 3 * len(theirs & ours) - 2 * len(ours - theirs)


def kept(text: str) -> frozenset[str]:
    return frozenset(re.findall(r"`[^`]*`|\d[\d.,]*\d|\d|[A-Z][A-Za-z0-9]+", text))


def unclear_meaning(pair: SaidPair, habits: Habits, languages: Languages) -> Iterator[SectionDoubt]:
    """Texts of which one has a negation and the other none: what to ask a model about."""
    if pair.source is None or pair.target is None:
        return
    there, here = (match_negations(base(code)) for code in languages)
    if there and here and bool(there.search(pair.source.text)) is not bool(here.search(pair.target.text)):
        yield SectionDoubt(MEANING, pair, "one side has a negation, the other has none")


@cache
def match_negations(language: str) -> re.Pattern[str] | None:
    """An expression for the negations of a language, None where they are not known."""
    known = load_table(__package__, "words.yml")["negations"]
    return any_form(known[language]) if language in known else None


ALONE_KINDS: tuple[Find, ...] = (
    other_numbers, other_units, other_names, turned_words, unclear_meaning)
