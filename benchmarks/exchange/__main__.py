"""Pages through translators' files and back: `python -m benchmarks.exchange [--folder DIR | --git DIR FOLDER]`.

Every page of the guide's English, of another folder, or of one at the tip of a git repository, goes out as PO and as
XLIFF and comes back from the file's bytes: once untranslated, which must give the same bytes, and once with a mark put
into every message, which must leave headings, ids, code, includes and the number of messages as they were and give
back every message as it was written. `words` is the share of the page's words that stand in some message, so that a
page is not called the same because nothing was taken out of it.
"""

import argparse
import re
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from hexapla.pages import parse
from hexapla.pages.blocks import read_blocks
from hexapla.translation.exchange import po, xliff
from hexapla.translation.memory.catalog import Catalog, unit_message
from hexapla.translation.sections.sections import prose_words
from hexapla.translation.sections.segments import find_units, put_messages

ROOT = Path(__file__).resolve().parents[2]
LETTER = re.compile(r"[^\W\d_]")
FORMATS = {"po": po, "xliff": xliff}
MARK = "\u2713"


def below(folder: Path) -> Iterator[tuple[str, str]]:
    """The Markdown files below a folder."""
    for page in sorted(folder.rglob("*.md")):
        yield page.relative_to(folder).as_posix(), page.read_bytes().decode()


def repository(folder: Path, inside: str) -> Iterator[tuple[str, str]]:
    """The Markdown files below a folder at the tip of a repository."""
    def git(*arguments: str) -> bytes:
        return subprocess.run(["git", "-C", str(folder), *arguments], capture_output=True, check=True).stdout

    for name in git("ls-tree", "-r", "--name-only", "HEAD", "--", inside).decode().splitlines():
        if name.endswith(".md"):
            yield name, git("show", f"HEAD:{name}").decode()


def through(format: str, text: str, translate: Callable[[str], str]) -> str:
    """A page after its messages went through a file."""
    found = find_units(text)
    sent = tuple(unit_message(unit, translate(unit.text)) for unit in found)
    module = FORMATS[format]
    back: Catalog = module.parse(module.dump(Catalog("page", "xx", "en", "page.md", "", sent)), "page")
    targets = {each.key: each.target for each in back.messages}
    return put_messages(text, {n: targets[unit.section, unit.text, unit.number] for n, unit in enumerate(found)}, found)


def shape(text: str) -> object:
    """What a translation must not change."""
    page = parse(text)
    fences = [fence._replace(line=0, end_line=0) for fence in page.fences]
    includes = [include._replace(line=0) for include in page.includes]
    return [heading.id for heading in page.headings], fences, includes


def covered(text: str) -> tuple[int, int]:
    """How many words of a page stand in messages, and how many there are."""
    def count(part: str) -> int:
        return sum(bool(LETTER.search(word)) for word in prose_words(read_blocks(part)))

    return sum(count(unit.text) for unit in find_units(text)), count(text)


def main() -> None:
    """Print a row for each format."""
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    place = arguments.add_mutually_exclusive_group()
    place.add_argument("--folder", type=Path, metavar="DIR", default=ROOT / "docs/en", help="pages of another folder")
    place.add_argument("--git", nargs=2, metavar=("DIR", "FOLDER"), help="pages of a repository")
    chosen = arguments.parse_args()
    pages = list(repository(Path(chosen.git[0]), chosen.git[1]) if chosen.git else below(chosen.folder))
    covering, all_words = map(sum, zip(*(covered(text) for _, text in pages), strict=True))
    print(f"{len(pages)} pages, {sum(len(find_units(text)) for _, text in pages)} messages, words in messages: "
          f"{min(covering / all_words, 1):.1%}")
    print("format  same bytes  structure kept  CPU ms a page")
    for format in FORMATS:
        start = time.process_time()
        same = sum(through(format, text, str) == text for _, text in pages)
        spent = time.process_time() - start
        kept = 0
        for name, text in pages:
            marked = through(format, text, lambda words: f"{words} {MARK}")
            written = [f"{unit.text} {MARK}" for unit in find_units(text)]
            ok = shape(marked) == shape(text) and [unit.text for unit in find_units(marked)] == written
            kept += ok
            if not ok:
                print("not kept:", name)
        print(f"{format:6}  {same:5} of {len(pages):3}  {kept:7} of {len(pages):3}  {spent / len(pages) * 1000:13.1f}")


if __name__ == "__main__":
    main()
