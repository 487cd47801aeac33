"""What is doubtful in a section beside its source: missing, added, said twice, swapped, another number, unit or name.

No doubt is an error. Each is as rare in sound sections as the measurement of `benchmarks/review` says.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from itertools import combinations
from typing import NamedTuple

from hexapla.checks.rules.numbers.parsing import find_numbers, written_numbers
from hexapla.checks.rules.sentences.kept import CODE, exchanged_name
from hexapla.checks.rules.text.prose import shortened, squeeze_text
from hexapla.languages import base
from hexapla.review.absences import absent_stretches
from hexapla.review.habits import Habits
from hexapla.review.lexicon import words_of
from hexapla.review.said_pairs import SaidPair, SaidText, cut_statements
from hexapla.review.sentence_alignment import Alignment
from hexapla.translation.verdicts import MEANING
from hexapla.yaml_text import load_table

# How far the evidence has to speak against a text, as the logarithm of a ratio of probabilities.
LIMIT, SWAPPED = 9.0, 18.0
SHORT = 8     # letters of a sentence that may be said twice: "Yes."
MOST = 40     # odd cells of a section that are compared with each other
LACKING = ("missing", "seems to be missing"), ("added", "seems to have no source")  # of the source, the translation
KEPT = re.compile(r"`[^`]*`|\d[\d.,]*\d|\d|[A-Z][A-Za-z0-9]+")
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


Aligned = Sequence[tuple[str, str]]  # a text and its translation, then the sentences that stand for each other
Find = Callable[[Aligned, Habits, Languages], Iterator[str]]  # why they are doubted


def find_doubts(pairs: Sequence[SaidPair], habits: Habits, languages: Languages) -> list[SectionDoubt]:
    """The doubts of a section, in its order.

    Those of one kind about a pair of texts are one doubt, so that who dismisses it was shown all of them.
    """
    found = [SectionDoubt(kind, pair, why) for pair in pairs if (aligned := align_texts(pair, habits))
             for kind, find in ALONE_KINDS for why in find(aligned, habits, languages)]
    found += [*lacking_texts(pairs, habits), *said_twice(pairs), *swapped_texts(pairs, habits)]
    messages: defaultdict[tuple[str, SaidPair], list[str]] = defaultdict(list)
    for kind, pair, message in found:
        messages[kind, pair].append(message)
    places = {id(pair): place for place, pair in enumerate(pairs)}
    joined = [SectionDoubt(*both, "; ".join(dict.fromkeys(told))) for both, told in messages.items()]
    return sorted(joined, key=lambda doubt: (places[id(doubt.pair)], doubt.kind))


def lacking_texts(pairs: Sequence[SaidPair], habits: Habits) -> Iterator[SectionDoubt]:
    """What one side says and the other does not, be it in a paragraph of its own; what has moved is not doubted."""
    sides = habits, habits.swap_sides()
    absent = [[*absent_texts(pairs, usual, side)] for side, usual in enumerate(sides)]
    for side, (kind, why) in enumerate(LACKING):
        for pair, text, evidence in absent[side]:
            if evidence > LIMIT and all(sides[side].affinity(text, other) <= 0 for _, other, _ in absent[1 - side]):
                yield SectionDoubt(kind, pair, f"{shortened(text)!r} {why}")


def absent_texts(pairs: Sequence[SaidPair], habits: Habits, side: int) -> Iterator[tuple[SaidPair, str, float]]:
    """What one side of a section says and the other may not say, with its evidence."""
    there = words_of(" ".join(text.text for pair in pairs if (text := pair[1 - side])))
    for pair in pairs:
        one, other = pair[side], pair[1 - side]
        if one and other:
            yield from ((pair, text.strip(), evidence) for text, _, evidence in absent_stretches(one, other, habits))
        else:
            yield from ((pair, text, -habits.forth.weigh(words_of(text), there)) for text in find_repeatable(one))


def align_texts(pair: SaidPair, habits: Habits) -> Aligned:
    """A pair of texts, and its sentences; nothing where one side has nothing."""
    if pair.source is None or pair.target is None:
        return []
    one, other = cut_statements(pair.source), cut_statements(pair.target)
    beads = Alignment(one, other, habits).best_beads()
    return [(pair.source.text, pair.target.text),
            *(("".join(one[slice(*here)]), "".join(other[slice(*there)])) for here, there in beads)]


def other_numbers(aligned: Aligned, habits: Habits, languages: Languages) -> Iterator[str]:
    """A number that stands where the source has another one."""
    for texts in aligned:
        (theirs, sure), (ours, known) = (
            (find_numbers(bare, code), [each for each in written_numbers(bare, code) if each.certain])
            for text, code in zip(texts, languages, strict=True) for bare in [blank_code(text)])
        there, here = (frozenset().union(*(each.values for each in side)) for side in (theirs, ours))
        gone = [each for each in sure if not each.values & here]
        new = [each for each in known if not each.values & there]
        if gone and new:
            yield f"{new[0].text!r} stands where the source has {gone[0].text!r}"


def blank_code(text: str) -> str:
    return CODE.sub(lambda match: " " * len(match[0]), text)


def other_units(aligned: Aligned, habits: Habits, languages: Languages) -> Iterator[str]:
    """A number with another unit than in the source."""
    theirs, ours = (units_of(text, code) for text, code in zip(aligned[0], languages, strict=True))
    for value, (unit, word) in ours.items():
        if value in theirs and theirs[value][0] != unit:
            yield f"{value} is in {word!r}, in the source in {theirs[value][1]!r}"


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


def other_names(aligned: Aligned, habits: Habits, languages: Languages) -> Iterator[str]:
    """A short name where the source has another one that no usual word stands for: CPU for GPU, not IA for AI."""
    for source, target in aligned:
        if (names := exchanged_name(source, target)) and names[0][0].isupper():  # "us" is mostly a word
            gone, other = (name.lower() for name in names)
            known = habits.forth.evidence(gone)
            if (source == aligned[0][0] or other not in aligned[0][0].lower()) and not (
                    known and (known.renderings - {gone}) & words_of(target)):
                yield f"{names[1]!r} stands where the source has {names[0]!r}"


def turned_words(aligned: Aligned, habits: Habits, languages: Languages) -> Iterator[str]:
    """A comparison or an order that says the opposite of the source's."""
    for source, target in aligned[1:]:
        for theirs, ours in find_opposites(base(languages.source), base(languages.target)):
            for side in (0, 1):
                if theirs[side].search(source) and not theirs[1 - side].search(source) \
                        and not ours[side].search(target) and (found := ours[1 - side].search(target)):
                    yield f"{found[0]!r} may turn what the source says"


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


def find_repeatable(text: SaidText | None) -> list[str]:
    """The sentences of a text that nobody says twice."""
    return [sentence for sentence in (text.sentences if text else ()) if len(squeeze_text(sentence)) >= SHORT]


def swapped_texts(pairs: Sequence[SaidPair], habits: Habits) -> Iterator[SectionDoubt]:
    """Cells, items or paragraphs of a section that stand in each other's place."""
    odd = [(pair, pair.source.text, pair.target.text) for pair in pairs if pair.source and pair.target
           and measure_fit(habits, pair.source.text, pair.target.text) < 0][:MOST]
    for (one, source, target), (other, second, translation) in combinations(odd, 2):
        gain = (measure_fit(habits, source, translation) + measure_fit(habits, second, target)
                - measure_fit(habits, source, target) - measure_fit(habits, second, translation))
        if one[1] and other[1] and one[1].kind == other[1].kind and gain > SWAPPED:
            both = f"{shortened(target)!r} and {shortened(translation)!r}"
            yield SectionDoubt("swapped", one, f"{both} seem to be in each other's place")


def measure_fit(habits: Habits, source: str, target: str) -> float:
    """The affinity of two texts, and of what both keep: a number, name or code on one side alone is against them."""
    theirs, ours = (set(KEPT.findall(text)) for text in (source, target))
    return habits.affinity(source, target) + 3 * len(theirs & ours) - 2 * len(ours - theirs)


def unclear_meaning(aligned: Aligned, habits: Habits, languages: Languages) -> Iterator[str]:
    """Texts of which one has a negation and the other none: what to ask a model about."""
    negated = [bool(known.search(text)) for text, code in zip(aligned[0], languages, strict=True)
               if (known := match_negations(base(code)))]
    if len(set(negated)) == 2:
        yield "one side has a negation, the other has none"


@cache
def match_negations(language: str) -> re.Pattern[str] | None:
    """An expression for the negations of a language, None where they are not known."""
    known = load_table(__package__, "words.yml")["negations"]
    return any_form(known[language]) if language in known else None


ALONE_KINDS: Sequence[tuple[str, Find]] = (
    ("number", other_numbers), ("unit", other_units), ("name", other_names), (MEANING, turned_words),
    (MEANING, unclear_meaning))
