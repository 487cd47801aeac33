"""Measure refusals: `python -m benchmarks.mojibake.refusals DIR [--part tune|report] [--pages N] [--each N]`.

DIR holds clean Markdown by language, DIR/<language>/**/*.md. Of each page the 2,000 bytes that hold most beyond ASCII
are garbled in EACH of the ways of `losses`, in turn, and in one hopeless way. A page is tuned on or reported on by a
hash of its path, which was fixed before anything was measured. Two errors are counted:

- refused: a text of which a reader who is told the chain gets half of the characters or more, and repair refuses it.
- "repaired": a text of which neither that reader nor repair gets one character in five, and a tenth or more of what is
  shown is shown as sure. One that is taken for clean is counted apart.
"""

import argparse
import hashlib
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path
from typing import NamedTuple

from hexapla.mojibake import Corpus, repair
from hexapla.mojibake.decode.decoder import choose_characters
from hexapla.mojibake.decode.slots import candidate_index
from hexapla.mojibake.encodings.encoding_chain import MULTI_BYTE
from hexapla.mojibake.encodings.steps import Edit, Unpack, apply_edits, unpack_bytes

from benchmarks.mojibake.losses import Loss, hopeless, losses
from benchmarks.mojibake.pages import SUFFIXES
from benchmarks.mojibake.scoring import GETA, marked, right

LANGUAGES = ("zh", "ja", "ko", "ru", "de", "fr", "es", "tr")
SIZE = 2000         # bytes of a page that are garbled
LEAST = 10          # characters beyond ASCII that they hold
MENDED, HOPELESS, SURE = 0.5, 0.2, 0.1
HEAD = ("| language | pages | can be mended | refused | % | not noticed | % | hopeless | \"repaired\" | % "
        "| not noticed | shown as sure: right % | clean pages changed |")


class Case(NamedTuple):
    """One garbled text: how much of it can be read, and what repair made of it; shares from 0 to 1."""

    language: str
    loss: str
    page: str
    readable: float     # by a reader who is told the chain, or by repair if that is more
    mended: float       # by repair, guesses included
    sure: float         # of what is shown beyond ASCII, what is shown as sure
    accepted: int       # characters beyond ASCII that are shown as sure
    accepted_right: int
    garbled: bool
    refused: str

    @property
    def outcome(self) -> str:
        """In which column the text is counted."""
        if self.readable >= MENDED:
            return "refused" if self.refused else "mended" if self.garbled else "missed"
        if self.readable >= HOPELESS:
            return "between"
        return "hopeless" if self.refused else "unnoticed" if not self.garbled else (
            "repaired" if self.sure >= SURE else "shown as uncertain")


def excerpts(root: Path, language: str, part: str, pages: int) -> list[tuple[str, str]]:
    """The path and the excerpt of so many pages of a part, by the order of their hashes."""
    found = []
    for path in (root / language).rglob("*"):
        name = path.relative_to(root).as_posix()
        digest = hashlib.sha256(f"refusals {name}".encode()).digest()
        if path.suffix in SUFFIXES and (digest[0] % 2 == 0) == (part == "tune"):
            text = _densest(path.read_text("utf-8"))
            if _beyond(text) >= LEAST:
                found.append((digest, name, text))
    return [(name, text) for _, name, text in sorted(found)[:pages]]


def _densest(text: str) -> str:
    """The lines of about SIZE bytes that hold most characters beyond ASCII."""
    windows, taken = [""], 0
    for line in text.splitlines(keepends=True):
        line = line.encode("utf-8")[:SIZE].decode("utf-8", "ignore")
        size = len(line.encode("utf-8"))
        if taken + size > SIZE:
            windows.append("")
            taken = 0
        windows[-1] += line
        taken += size
    return max(windows, key=_beyond)


def _beyond(text: str) -> int:
    return sum(1 for character in text if character >= "\x80" and character != GETA)


def measure(language: str, corpus: Corpus, name: str, text: str, loss: Loss) -> Case | None:
    """Garble an excerpt, have it repaired, and score it; None where the garbling changes nothing."""
    broken = loss.garbled(text)
    if broken == text or broken.isascii():
        return None
    repaired = repair(broken, corpus, guess=True)
    sure = marked(repaired)
    size = _beyond(text)
    mended = right(text, repaired.text) / size
    told = right(text, read_through(broken, loss, language, corpus)) / size if loss.chain else 0.0
    shown = _beyond(sure)
    return Case(language, loss.name, name, max(told, mended), mended, shown / max(_beyond(repaired.text), 1), shown,
                right(text, sure), repaired.garbled, repaired.diagnosis.refused)


def read_through(broken: str, loss: Loss, language: str, corpus: Corpus) -> str:
    """The text as it is read by somebody who knows the chain and the language."""
    assert loss.chain
    layer = loss.chain.layers[-1]
    if "comma" in loss.name:
        broken = broken.replace(",", "")
    if layer.decoded in MULTI_BYTE:
        broken = unpack_bytes(broken, Unpack(layer.decoded, layer.instead))
    slots = candidate_index(loss.chain).read_slots(broken)
    chosen = choose_characters(broken, slots, corpus.model(language))
    pairs = zip(slots, chosen, strict=True)
    return apply_edits(broken, [Edit(slot.start, slot.end, choice.text) for slot, choice in pairs])


def cases(root: Path, part: str, pages: int, each: int, language: str) -> list[Case]:
    """All cases of a language; a clean page that is changed is one of them."""
    corpus, ways = Corpus(), losses()
    found: list[Case | None] = []
    for number, (name, text) in enumerate(excerpts(root, language, part, pages)):
        if repair(text, corpus).text != text:
            found.append(Case(language, "clean", name, 1.0, 0.0, 1.0, 0, 0, True, ""))
        lost = hopeless(language)
        for loss in (*(ways[(each * number + k) % len(ways)] for k in range(each)), lost[number % len(lost)]):
            found.append(measure(language, corpus, name, text, loss))
    return [case for case in found if case]


def line(name: str, pages: int, found: Sequence[Case]) -> str:
    """A line of the table."""
    often = Counter(case.outcome for case in found if case.loss != "clean")
    can = often["refused"] + often["mended"] + often["missed"]
    cannot = often["hopeless"] + often["unnoticed"] + often["repaired"] + often["shown as uncertain"]
    changed = sum(1 for case in found if case.loss == "clean")
    shown = [case for case in found if case.readable >= MENDED and case.garbled]
    sure = 100 * sum(case.accepted_right for case in shown) / max(sum(case.accepted for case in shown), 1)
    return (f"| {name} | {pages} | {can} | {often['refused']} | {100 * often['refused'] / max(can, 1):.2f} "
            f"| {often['missed']} | {100 * often['missed'] / max(can, 1):.2f} | {cannot} | {often['repaired']} "
            f"| {100 * often['repaired'] / max(cannot, 1):.2f} | {often['unnoticed']} | {sure:.2f} | {changed} |")


def worst(found: Sequence[Case]) -> Iterator[str]:
    """The ways of garbling with errors, most first."""
    wrong = Counter((case.loss, case.language, case.outcome) for case in found
                    if case.outcome in ("refused", "missed", "repaired", "unnoticed"))
    every = Counter((case.loss, case.language) for case in found)
    for (loss, language, outcome), often in wrong.most_common():
        yield f"{outcome}: {loss}, {language}: {often} of {every[loss, language]}"


def main() -> None:
    """Print the table, then the ways of garbling in which something was wrong."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("root", type=Path)
    parser.add_argument("--part", choices=("tune", "report"), default="report")
    parser.add_argument("--pages", type=int, default=300, help="at most so many a language")
    parser.add_argument("--each", type=int, default=8, help="ways in which each page is garbled")
    parser.add_argument("--languages", default=",".join(LANGUAGES))
    parser.add_argument("--jobs", type=int, default=2)
    arguments = parser.parse_args()
    languages = arguments.languages.split(",")
    print(HEAD, "|---" * HEAD.count("| ") + "|", sep="\n", flush=True)
    everything: list[Case] = []
    with ProcessPoolExecutor(arguments.jobs) as pool:
        run = partial(cases, arguments.root, arguments.part, arguments.pages, arguments.each)
        for language, found in zip(languages, pool.map(run, languages), strict=True):
            print(line(language, len({case.page for case in found}), found), flush=True)
            everything += found
    print(line("all", len({case.page for case in everything}), everything), "", *worst(everything), sep="\n")


if __name__ == "__main__":
    main()
