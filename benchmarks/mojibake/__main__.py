"""Measure repair on held-out pages: `python -m benchmarks.mojibake [--corpus-root DIR] [--part held_out|tune]`.

DIR holds clean Markdown by language, DIR/<language>/**/*.md; by default the pages of this project.
"""

import argparse
import resource
import time
from pathlib import Path

from hexapla.mojibake import Corpus, looks_clean, repair

from benchmarks.mojibake.garbling import ALONE, CHAINS, lossless
from benchmarks.mojibake.pages import languages, split
from benchmarks.mojibake.scoring import Score, score_ftfy, score_repair

KNOWN = 30        # pages of the same documentation that are at hand
LOSSLESS = 4      # pages a language on which every pair of codecs is tried
HEAD = "| encoding chain | language | right % | to reach | ftfy % | accepted at 0.99: right % | coverage % | KB/s |"


def main() -> None:
    """Print the table, a line as soon as it is measured."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--corpus-root", type=Path, default=Path("docs"))
    parser.add_argument("--part", choices=("held_out", "tune"), default="held_out", help="held_out is reported")
    parser.add_argument("--languages", default="", help="comma-separated; default: all")
    parser.add_argument("--pages", type=int, default=20, help="at most so many pages a language")
    parser.add_argument("--chains", default="", help="only encoding chains whose name holds this")
    arguments = parser.parse_args()
    chosen = arguments.languages.split(",") if arguments.languages else languages(arguments.corpus_root)
    print(HEAD, "|---|---|---|---|---|---|---|---|", sep="\n", flush=True)
    for language in chosen:
        pages = split(arguments.corpus_root, language)
        measured = getattr(pages, arguments.part)[:arguments.pages]
        known = pages.model[:KNOWN]
        table(language, f"{len(known)} pages", Corpus(known), measured, False, arguments.chains)
        table(language, "no pages", Corpus(), measured, True, arguments.chains)
        exact(language, measured[:LOSSLESS])
        clean(language, measured)
    print(f"\nmost memory: {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MB")


def table(language: str, known: str, corpus: Corpus, measured: tuple[str, ...], alone: bool, only: str) -> None:
    """The lines of one language."""
    if measured:
        repair(CHAINS["latin-1, C1 dropped"][0](measured[0]), corpus)       # the model is built, the kernels compiled
    for name, (garbled, targets) in CHAINS.items():
        if only not in name or (alone and name not in ALONE):
            continue
        target = (ALONE[name] if alone else targets).get(language)
        score = score_repair(measured, garbled, corpus)
        peer = score_ftfy(measured, garbled)
        print(line(f"{name} ({known})", language, score, peer, target), flush=True)


def line(name: str, language: str, score: Score, peer: Score, target: float | None) -> str:
    """One line of the table."""
    return (f"| {name} | {language} | {score.accuracy:.2f} | {target or ''} | {peer.accuracy:.2f} "
            f"| {score.precision:.3f} | {score.coverage:.1f} | {score.speed:.0f} |")


def exact(language: str, measured: tuple[str, ...]) -> None:
    """Chains that lost nothing: how many documents come back whole."""
    documents = [(page, garbled) for page in measured for garbled in lossless(page)]
    whole = sum(1 for page, garbled in documents if repair(garbled, Corpus(listed=False)).text == page)
    share = 100 * whole / max(len(documents), 1)
    print(f"| lossless, {whole} of {len(documents)} documents whole | {language} | {share:.2f} | 100 |  |  |  |  |",
          flush=True)


def clean(language: str, measured: tuple[str, ...]) -> None:
    """Clean pages: how many are changed, and how fast they are waved through, beside ftfy."""
    import ftfy

    text = "\n".join(measured)
    changed = sum(1 for page in measured if repair(page).text != page)
    begin = time.process_time()
    for page in measured:
        looks_clean(page)
    middle = time.process_time()
    for page in measured:
        ftfy.fix_text(page)
    end = time.process_time()
    size = len(text.encode("utf-8")) / 1000
    print(f"| clean, {changed} of {len(measured)} pages changed | {language} |  |  |  |  |  "
          f"| {size / max(middle - begin, 1e-9):.0f} (ftfy {size / max(end - middle, 1e-9):.0f}) |", flush=True)


if __name__ == "__main__":
    main()
