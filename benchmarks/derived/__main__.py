"""The conversion to Traditional Chinese: a seeded sample of sentences to read, and what was decided on each mistake.

    python -m benchmarks.derived
    python -m benchmarks.derived --sample DIR... [--seed 20] [--count 200]
    python -m benchmarks.derived --compare docs/zh
    python -m benchmarks.derived --time

`--sample` prints sentences as converted. The mistakes that a reader found in them are in decisions.yml; without an
option they are counted, and those that the conversion still makes. `--compare` lists what differs from plain OpenCC
(s2twp), most frequent first. The project's glossary is used for its own pages alone. `--time` compares the CPU
seconds of loading and converting with those of a clean build.
"""

import argparse
import random
import re
import tempfile
import time
from collections import Counter
from difflib import SequenceMatcher
from pathlib import Path

import yaml
from hexapla import glossary
from hexapla.hanzi.converter import Converter, to_traditional
from hexapla.pages import spans

from benchmarks.build import ROOT, cpu_seconds, lay, ours

DECISIONS = Path(__file__).with_name("decisions.yml")


def converter(folder: Path = ROOT) -> Converter:
    """The conversion; with the project's glossary for a folder of the project."""
    if not folder.resolve().is_relative_to(ROOT):
        return Converter({})
    terms = glossary.parse((ROOT / "docs/glossary.yml").read_text(encoding="utf-8"))
    return Converter(glossary.conversions(terms, "zh", "zh-Hant"))


def lines(*folders: Path) -> list[str]:
    """The prose of all pages below folders, line by line, with its inline code; all else is a space."""
    text = [
        "".join(piece.text if piece.prose or is_inline_code(piece.text) else " " for piece in spans(page))
        for folder in folders
        for page in (file.read_text(encoding="utf-8") for file in sorted(folder.rglob("*.md")))
    ]
    return [line for page in text for line in page.split("\n")]


def is_inline_code(text: str) -> bool:
    """Whether a piece of a page is code inside of a line."""
    return text.startswith("`") and "\n" not in text


def sample(folders: list[Path], seed: int, count: int) -> list[str]:
    """Sentences of at least eight Chinese characters, picked by a seed."""
    found = [sentence.strip() for line in lines(*folders) for sentence in re.findall(r"[^。！？]+[。！？]?", line)
             if len(re.findall(r"[\u4e00-\u9fff]", sentence)) >= 8]
    return random.Random(seed).sample(found, count)


def compare(folder: Path) -> Counter[tuple[str, str]]:
    """The words that plain OpenCC and the project's conversion give differently."""
    convert, found = converter(folder), Counter[tuple[str, str]]()
    for line in lines(folder):
        pieces = spans(line)
        plain = "".join(to_traditional(piece.text) if piece.prose else piece.text for piece in pieces)
        mine = convert.page(pieces)
        if plain != mine:
            for tag, a, b, c, d in SequenceMatcher(None, plain, mine, autojunk=False).get_opcodes():
                if tag != "equal":
                    found[plain[max(0, a - 1) : b + 1], mine[max(0, c - 1) : d + 1]] += 1
    return found


def seconds(folder: Path) -> tuple[float, float]:
    """CPU seconds of loading the conversion and converting the guide, and of a clean build that does it too."""
    root = folder / "site"
    root.mkdir()
    lay(root, 1)
    ours(root)
    cpu_seconds(root)
    whole = cpu_seconds(root)
    pages = [spans(page.read_text(encoding="utf-8")) for page in sorted((ROOT / "docs/zh").rglob("*.md"))]
    convert = converter()  # it loads when it is first called; the build reads the glossary anyway
    start = time.process_time()
    for page in pages:
        convert.page(page)
    return time.process_time() - start, whole


def report() -> None:
    """Print, by sample, the mistakes that its reader found, and those that the conversion gives today."""
    kinds = ("broken", "reversed", "wrong", "mainland")
    print(f"{'sample':32}{''.join(f'{kind:>10}' for kind in kinds)}{'today':>10}")
    for each in yaml.safe_load(DECISIONS.read_text(encoding="utf-8")):
        count = Counter(mistake["kind"] for mistake in each["mistakes"])
        convert = converter(ROOT if each["texts"].startswith("guide") else Path("/"))
        left = sum(mistake["was"] in convert.page(spans(mistake["words"])) for mistake in each["mistakes"])
        name = f"{each['texts']}, seed {each['seed']}"
        print(f"{name:32}{''.join(f'{count[kind]:10}' for kind in kinds)}{left:10}")


def main() -> None:
    """Print what was asked for."""
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--sample", type=Path, nargs="+", metavar="DIR")
    arguments.add_argument("--compare", type=Path, metavar="DIR")
    arguments.add_argument("--time", action="store_true")
    arguments.add_argument("--seed", type=int, default=20)
    arguments.add_argument("--count", type=int, default=200)
    chosen = arguments.parse_args()
    if not (chosen.sample or chosen.compare or chosen.time):
        report()
    if chosen.sample:
        convert = converter(chosen.sample[0])
        for sentence in sample(chosen.sample, chosen.seed, chosen.count):
            print(convert.page(spans(sentence)))
    if chosen.compare:
        for (plain, mine), count in compare(chosen.compare).most_common():
            print(count, plain, mine, sep="\t")
    if chosen.time:
        with tempfile.TemporaryDirectory() as folder:
            own, whole = seconds(Path(folder))
        print(f"{own:.2f} s of {whole:.2f} s, {own / whole:.1%}")


if __name__ == "__main__":
    main()
