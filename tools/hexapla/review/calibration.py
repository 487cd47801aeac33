"""What a judge is worth on a tree: errors that are put into sections at random, and what of them is doubted."""

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from random import Random
from typing import NamedTuple

from hexapla.checks.rules.sentences.splitting import cut_pieces
from hexapla.languages import base
from hexapla.review.doubts import Languages
from hexapla.review.habits import Habits
from hexapla.review.said_pairs import SaidText
from hexapla.review.tree_review import ReviewedSection, certain_doubts, habits_without, section_habits
from hexapla.translation.verdicts import MEANING, SOUND, Doubt, Verdict, doubt_key

NUMBER = re.compile(r"(?<![\w.,`-])\d+(?:[.,]\d+)*(?![\w`])", re.A)
PROCESSOR = re.compile(r"(?<![\w`-])[CG]PU(?![\w`])", re.A)
EACH, SEED = 30, 42  # errors of a kind
Corrupt = Callable[[SaidText, SaidText, str, Random], str | None]


class SeededError(NamedTuple):
    """A section with one error of a kind, its number among the sections, and which of its texts has the error."""

    kind: str
    number: int
    section: ReviewedSection
    place: int


class Calibration(NamedTuple):
    """What a judge made of errors, by kind, and of what was sound: how many it was given, and how many it doubted."""

    made: Counter[str]
    caught: Counter[str]
    sound: int
    alarms: int


def drop_sentence(text: SaidText, other: SaidText, space: str, pick: Random) -> str | None:
    left = [*text.sentences]
    if len(left) < 2:
        return None
    del left[pick.randrange(len(left))]
    return space.join(left)


def add_sentence(text: SaidText, other: SaidText, space: str, pick: Random) -> str | None:
    new = pick.choice(other.sentences or ("",))
    return space.join([*text.sentences, new]) if text.sentences and new not in text.sentences else None


def repeat_sentence(text: SaidText, other: SaidText, space: str, pick: Random) -> str | None:
    return space.join([*text.sentences, pick.choice(text.sentences)]) if text.sentences else None


def swap_numbers(text: SaidText, other: SaidText, space: str, pick: Random) -> str | None:
    found = [*NUMBER.finditer(text.text)]
    pairs = [(one, two) for one in found for two in found if one.start() < two.start() and one[0] != two[0]]
    if not pairs:
        return None
    one, two = pick.choice(pairs)
    whole = text.text
    return whole[: one.start()] + two[0] + whole[one.end() : two.start()] + one[0] + whole[two.end() :]


def change_processor(text: SaidText, other: SaidText, space: str, pick: Random) -> str | None:
    found = [*PROCESSOR.finditer(text.text)]
    if not found:
        return None
    one = pick.choice(found)
    return text.text[: one.start()] + ("CPU" if one[0] == "GPU" else "GPU") + text.text[one.end() :]


KINDS: Mapping[str, Corrupt] = {
    "sentence dropped": drop_sentence, "sentence added": add_sentence, "sentence twice": repeat_sentence,
    "numbers swapped": swap_numbers, "CPU for GPU": change_processor,
}


def seed_errors(
    sections: Sequence[ReviewedSection], language: str, doubted: Collection[int]
) -> Iterator[SeededError]:
    """EACH errors of each kind, or fewer, in sections drawn at random, but for those `doubted` as they are."""
    pick, space = Random(SEED), "" if base(language) in {"zh", "yue", "ja"} else " "
    whole = [each for each, section in enumerate(sections) if each not in doubted
             and [text.kind for text in section.source] == [text.kind for text in section.target]]
    for kind, corrupt in KINDS.items():
        made = 0
        for number in pick.sample(whole, len(whole)):
            target = sections[number].target
            for place in pick.sample(range(len(target)), len(target)) if made < EACH else ():
                other = pick.choice(sections[pick.choice(whole)].target)
                new = corrupt(target[place], other, space, pick)
                if new and new != target[place].text:
                    text = target[place]._replace(text=new, sentences=cut_pieces(new, language) or (new,))
                    yield SeededError(kind, number, sections[number]._replace(
                        target=[*target[:place], text, *target[place + 1 :]]), place)
                    made += 1
                    break


def doubted_sections(sections: Sequence[ReviewedSection], habits: Habits, languages: Languages) -> set[int]:
    """The numbers of the sections that are doubted as they are."""
    return {number for number, section in enumerate(sections)
            if certain_doubts(section, habits_without(habits, section), languages)}


def calibrate_rules(sections: Sequence[ReviewedSection], languages: Languages) -> Calibration:
    """What is doubted without a model."""
    habits = section_habits(sections)
    alarms = doubted_sections(sections, habits, languages)
    errors = [*seed_errors(sections, languages.target, alarms)]
    caught = Counter(each.kind for each in errors
                     if certain_doubts(each.section, habits_without(habits, sections[each.number]), languages))
    return Calibration(Counter(each.kind for each in errors), caught, len(sections), len(alarms))


def model_questions(sections: Sequence[ReviewedSection], languages: Languages) -> list[tuple[str, Doubt]]:
    """What a model is asked to calibrate it, by page: the errors of `calibrate_rules` by kind, sound texts by ""."""
    alarms = doubted_sections(sections, section_habits(sections), languages)
    found = []
    for kind, number, section, place in seed_errors(sections, languages.target, alarms):
        for what, each in ((kind, section), ("", sections[number])):
            texts = each.source[place].text, each.target[place].text
            found.append((what, Doubt(languages.target, each.page, each.section, each.path, 0, 0, MEANING, "",
                                      *texts, doubt_key(MEANING, texts))))
    return sorted(dict.fromkeys(found), key=lambda question: question[1].page)


def calibrate_answers(questions: Sequence[tuple[str, Doubt]], decided: Mapping[Doubt, Verdict]) -> Calibration:
    """What a model decided; what it did not decide is neither caught nor an alarm."""
    said = [(kind, decided[doubt].decision != SOUND) for kind, doubt in questions if doubt in decided]
    made = Counter(kind for kind, _ in questions if kind)
    caught = Counter(kind for kind, wrong in said if kind and wrong)
    alarms = [wrong for kind, wrong in said if not kind]
    return Calibration(made, caught, len(alarms), sum(alarms))
