"""Pages of MDX as Hexapla reads them beside @mdx-js/mdx: headings, links, code and text. Needs Node.js.

    python -m benchmarks.mdx ENDING=FOLDER [...]     md=react.dev/src/content mdx=docs/src/content/docs

Reads every page below each folder whose name ends so. npm installs @mdx-js/mdx into a temporary folder. Headings are
compared by level and words, links by target, fences by language and lines, text by its words, inline code left out.
"""

import argparse
import json
import re
import shutil
import subprocess
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Any

from hexapla.pages import Page
from hexapla.pages.dialects import make_dialect
from hexapla.pages.html_vocabulary import OBJECT
from hexapla.pages.lines import closes_mdx, mdx_of
from hexapla.pages.lines import read as read_lines
from hexapla.pages.reader import Positions, read

HERE = Path(__file__).parent
DIRECTIVE = re.compile(r":{3,}[ ]*[a-z-]*|\[!\w+\]|\[[ xX]\] ")  # call-outs and tasks, which GFM alone reads otherwise
PACKAGES = ("@mdx-js/mdx@3", "remark-frontmatter@5", "remark-gfm@4")


def tokens(text: str) -> list[str]:
    """The words of a text, marks left out."""
    return re.findall(r"\w+", DIRECTIVE.sub(" ", text.replace(OBJECT, " ")))


def without_indentation(text: str) -> list[str]:
    """The lines of code without what a container or a tag around it puts before them."""
    return [line.strip(" \t>") for line in text.rstrip().split("\n")]


def ours(text: str, page: Page) -> dict[str, Any]:
    """What Hexapla reads in a page, in the form in which both sides are compared."""
    positions = Positions(list(read_lines(text, closes_mdx)))
    attributes = {positions.at(place) for piece in mdx_of(text).pieces for _, (place, _) in piece.attributes}
    blocks = [block for block in page.blocks if (block.line, block.column) not in attributes]
    return {
        "headings": [(int(block.kind[1]), said) for block in blocks
                     if re.fullmatch("h[1-6]", block.kind) and (said := tokens(block.text))],
        "links": Counter(link.target for link in page.links),
        "code": (
            [(fence.language, without_indentation(fence.content)) for fence in page.fences],
            Counter(" ".join(code.text.split()) for code in page.codes),
        ),
        "text": Counter(word for block in blocks for word in tokens(block.text)),
    }


def theirs(found: dict[str, Any]) -> dict[str, Any]:
    """What @mdx-js/mdx reads in it, in the same form."""
    return {
        "headings": [(level, said) for level, words in found["headings"] if (said := tokens(words))],
        "links": Counter(found["links"]),
        "code": (
            [(language.lower().split("{")[0], without_indentation(value)) for language, value in found["fences"]],
            Counter(" ".join(value.split()) for value in found["codes"]),
        ),
        "text": Counter(word for text in found["texts"] for word in tokens(text)),
    }


def measure(folder: Path, ending: str, modules: Path) -> None:
    """Print how many pages of a folder are read as by the reference, and each that is not."""
    files = sorted(path for path in folder.rglob(f"*.{ending}") if "node_modules" not in path.parts)
    run = subprocess.run(["node", "structure.mjs"], cwd=modules, input="\n".join(map(str, map(Path.resolve, files))),
                         text=True, capture_output=True, check=True)
    dialect = make_dialect("github", None, mdx=True)
    differing, reasons, refused, characters, seconds = [], Counter[str](), 0, 0, 0.0
    for file, line in zip(files, run.stdout.splitlines(), strict=True):
        text, reference = file.read_text("utf-8-sig"), json.loads(line)
        before = time.process_time()
        page = read(text, dialect)
        seconds, characters = seconds + time.process_time() - before, characters + len(text)
        if "error" in reference or not page.rendered:
            refused += "error" in reference
            if ("error" in reference) == page.rendered:
                differing.append(f"{file}: {reference.get('error') or page.problems[0].message}")
                reasons["refused"] += 1
            continue
        here, there = ours(text, page), theirs(reference)
        wrong = [name for name in here if here[name] != there[name]]
        reasons.update(wrong)
        if wrong:
            differing.append(f"{file}: {', '.join(wrong)}")
    equal = len(files) - len(differing)
    print(f"{folder}: {len(files)} pages, {refused} that are not MDX; {equal} read alike ({equal / len(files):.1%}); "
          f"{dict(reasons)}; {seconds / characters * 1e6:.2f} CPU s a million characters", flush=True)
    for each in differing:
        print(f"    {each}")


def main() -> None:
    """Measure each folder."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("trees", nargs="+", metavar="ENDING=FOLDER")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as place:
        subprocess.run(["npm", "install", "--silent", "--prefix", place, *PACKAGES], check=True,
                       stdout=subprocess.DEVNULL)
        shutil.copy(HERE / "structure.mjs", place)
        for tree in given.trees:
            ending, _, folder = tree.partition("=")
            measure(Path(folder), ending, Path(place))


if __name__ == "__main__":
    main()
