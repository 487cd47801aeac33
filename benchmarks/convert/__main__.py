"""`hexapla convert` on a tree of another dialect: what came over, by language, and at what speed.

    python -m benchmarks.convert SRC [--from DIALECT] [--reference URL] [--languages zh,ja]

Every page is rendered before and after by a CommonMark and a Python-Markdown library,
not by readers of ours: code blocks are compared token by token, headings, lists and items by number. A link between
pages is alive if its file and its id are there. Speed is that of the conversion alone, in CPU seconds.
"""

import argparse
import posixpath
import re
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from html.parser import HTMLParser
from pathlib import Path
from typing import NamedTuple

from hexapla.convert.prose import change_prose
from hexapla.convert.source_formats import DIALECTS, dialect_of
from hexapla.convert.source_tree import read_tree
from hexapla.convert.tree_conversion import EXTENSIONS, Conversion, ConvertOptions, convert_tree
from hexapla.pages.lines import FRONT, read
from markdown import Markdown
from markdown_it import MarkdownIt

TARGET = 50  # pages a CPU second
COMPONENT = re.compile(
    r"^ *(?:</?(?:Tip|hfoptions?|frameworkcontent|pt|tf|jax|Tabs|TabItem)\b[^<>]*>|> \[![A-Z]+\]|:{3,}.*|import .*"
    r"|\{(?:#if fw === .*|:else|/if)\}"
    r"|\{\{[<%].*[>%]\}\})$", re.M,
)
DIRECTIVE = re.compile(r"^[ \t]*\[\[(?:autodoc|open-in-colab)\]\].*(?:\n[ \t]+- .*)*", re.M)
LINK = re.compile(r"(?<!!)\[[^\]\n]*\]\((?P<path>[^()\s:#]*\.md)?(?P<id>#[^()\s]*)?(?: \"[^\"]*\")?\)")
IDS = re.compile(r"\{#(?P<id>[^\s{}]+)|\bid=[\"'](?P<html>[^\"']+)")
FENCES = re.compile(r"^(?P<indent>[ \t]*)(?P<marks>`{3,}|~{3,})[^`\n]*\n.*?^(?P=indent)(?P=marks)[ \t]*$", re.M | re.S)


class Shape(NamedTuple):
    """What a rendered page holds: the tokens of its code blocks in order, and how many of the rest."""

    code: tuple[tuple[str, ...], ...]
    headings: int
    lists: int
    items: int


class ShapeReader(HTMLParser):
    """The shape of HTML."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: Counter[str] = Counter()
        self.code: list[str] = []
        self.inside = False

    def handle_starttag(self, tag: str, attrs: Sequence[tuple[str, str | None]]) -> None:
        self.tags[tag] += 1
        if tag == "pre":
            self.inside = True
            self.code.append("")

    def handle_endtag(self, tag: str) -> None:
        self.inside = self.inside and tag != "pre"

    def handle_data(self, data: str) -> None:
        if self.inside:
            self.code[-1] += data


def shape(html: str) -> Shape:
    """What a rendered page holds."""
    reader = ShapeReader()
    reader.feed(html)
    tags = reader.tags
    return Shape(
        tuple(tuple(code.split()) for code in reader.code), sum(tags[f"h{level}"] for level in range(1, 7)),
        tags["ul"] + tags["ol"], tags["li"],
    )


def alive_links(conversion: Conversion, code: str, source: str) -> tuple[int, int]:
    """How many links between pages, and within one, a language has, and how many of them are alive."""
    pages = {path.removeprefix("docs/"): data for path, data in conversion.files.items() if path.endswith(".md")}
    texts = {path: data.decode() for path, data in pages.items()}
    ids = {path: {match["id"] or match["html"] for match in IDS.finditer(text)} for path, text in texts.items()}
    found = alive = 0
    for path, text in texts.items():
        for match in LINK.finditer(FENCES.sub("", text)) if path.startswith(f"{code}/") else ():
            if not match["path"] and not match["id"]:
                continue
            base = posixpath.dirname(path)
            target = posixpath.normpath(posixpath.join(base, match["path"])) if match["path"] else path
            target = target if target in texts else target.replace(f"{code}/", f"{source}/", 1)
            found += 1
            alive += target in texts and (not match["id"] or match["id"][1:] in ids[target])
    return found, alive


def without_front_matter(text: str) -> str:
    """A page as a renderer gets it."""
    return "".join(line.text for line in read(text.replace("\r\n", "\n")) if line.kind is not FRONT)


def without_components(text: str) -> str:
    """A page of the dialect without the lines that no Markdown renderer knows; its code stays."""
    return change_prose(without_front_matter(text), lambda run, _: COMPONENT.sub("", DIRECTIVE.sub("", run)))


def main() -> None:
    """Convert in memory and print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("source", type=Path)
    parser.add_argument("--from", dest="dialect", choices=tuple(DIALECTS))
    parser.add_argument("--reference", default="")
    parser.add_argument("--languages", default="", help="those to render and compare (default: all)")
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        started = time.process_time()
        name = chosen.dialect or dialect_of(chosen.source)
        options = ConvertOptions(chosen.source, Path(folder) / "new", name, reference=chosen.reference)
        conversion = convert_tree(options)
        spent = time.process_time() - started
    dialect = DIALECTS[name]
    before_pages = read_tree(chosen.source, "en", dialect.folders, dialect.index_page)[0]
    theirs = MarkdownIt("commonmark").enable("table")
    plain = {"use_pygments": False}
    ours = Markdown(extensions=list(EXTENSIONS), extension_configs={**EXTENSIONS, "pymdownx.highlight": plain})
    wanted = [code for code in conversion.pages if code in (chosen.languages or code).split(",")]
    print(f"{'':4}{'pages':>6}{'links':>7}{'alive':>7}{'code blocks':>13}{'equal':>7}"
          f"{'pages with as many headings':>29}{'lists':>7}{'items':>7}")
    for code in wanted:
        pairs = []
        for path, data in conversion.files.items():
            if path.startswith(f"docs/{code}/") and path.endswith(".md"):
                text = before_pages[code].pages[path.removeprefix(f"docs/{code}/").removesuffix(".md")]
                before = theirs.render(without_components(text))
                after = ours.reset().convert(without_front_matter(data.decode()))
                pairs.append((path, shape(before), shape(after)))
        blocks = sum(len(before.code) for _, before, _ in pairs)
        equal = sum(sum((Counter(before.code) & Counter(after.code)).values()) for _, before, after in pairs)
        found, alive = alive_links(conversion, code, "en")
        same = [sum(before[field] == after[field] for _, before, after in pairs) for field in (1, 2, 3)]
        print(f"{code:4}{len(pairs):6}{found:7}{alive:7}{blocks:13}{equal:7}{same[0]:29}{same[1]:7}{same[2]:7}")
        for path, before, after in pairs:
            if before.code != after.code or before.headings != after.headings:
                print(f"    {path}: code {len(before.code)} -> {len(after.code)}, headings {before.headings} -> "
                      f"{after.headings}", file=sys.stderr)
    print("\nnot brought over, by kind and language:")
    kinds = Counter((note.kind, note.path.partition("/")[0]) for note in conversion.notes)
    for (kind, code), count in sorted(kinds.items()):
        print(f"{count:6} {code:6} {kind}")
    pages = sum(conversion.pages.values())
    print(f"\n{pages} pages in {spent:.1f} CPU seconds: {pages / spent:.0f} a second (target {TARGET})")


if __name__ == "__main__":
    main()
