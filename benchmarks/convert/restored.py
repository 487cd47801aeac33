"""`hexapla convert --beside` on pages copied out of a browser: what it puts back, against the clean pages.

    python -m benchmarks.convert.restored TREE [--from DIALECT] [--languages zh,ja] [--alone]

Each translation of a tree is rendered by Python-Markdown and copied as a browser copies it: no links, no headings, no
marks, hidden tabs left out, and the site's navigation, buttons and footer in three styles around it. The copy is
restored beside the English page and rendered again. Links count by their words and targets, headings by level, id and
words, both with their number. A link that the English page does not have is counted apart: nobody could put it back.
Pages are left out that show Markdown themselves, and those whose headings are not those of the English page in number
and level: they translate another version of it. `--alone` restores each page as if it were the only one of its
language; else its neighbours are there, as in a site of which one page was lost.
"""

import argparse
import re
import tempfile
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from html.parser import HTMLParser
from pathlib import Path

from hexapla.convert.scraped.restored_page import restore_text
from hexapla.convert.scraped.site_words import NO_WORDS, read_names, site_words
from hexapla.convert.source_formats import DIALECTS
from hexapla.convert.tree_conversion import EXTENSIONS, ConvertOptions, convert_tree
from markdown import Markdown

BLOCKS = {"p", "h1", "h2", "h3", "h4", "h5", "h6", "li", "pre", "tr", "table", "ul", "ol", "div", "blockquote", "dt",
          "dd", "summary", "details", "label", "hr"}
FRONT = re.compile(r"\A---\n.*?\n---\n", re.S)
INCLUDE = re.compile(r"^[ \t]*(?:-*8<-.*|\{\*.*\*\})\n", re.M)  # what a build would put in; left out on both sides
FORMER_ID = re.compile(r" data-id=\"[^\"\n]*\"")
MARKS = re.compile(r"\{#|\]\(http|^#{1,6} .*\]\]$", re.M)  # what only a page with broken Markdown shows
LIBRARY = Markdown(
    extensions=[*EXTENSIONS, "pymdownx.blocks.admonition", "pymdownx.blocks.details", "pymdownx.blocks.tab"],
    extension_configs={**EXTENSIONS, "pymdownx.highlight": {"use_pygments": False},
                       "pymdownx.blocks.admonition": {"types": [
                           "note", "tip", "info", "warning", "danger", "check", "question", "abstract"]}})


class Copy(HTMLParser):
    """Rendered HTML as a browser copies it, with the headings, links and blocks of code that it shows."""

    def __init__(self) -> None:
        super().__init__()
        self.parts: list[str] = []
        self.headings: list[tuple[str, str, str]] = []
        self.links: list[tuple[str, str]] = []
        self.code: list[str] = []
        self.open: list[tuple[str, bool]] = []  # tags, and whether what is in them is hidden
        self.link: tuple[str, int] | None = None
        self.heading: tuple[str, str, int] | None = None
        self.pre = -1
        self.tabs: list[int] = []

    def handle_starttag(self, tag: str, attrs: Sequence[tuple[str, str | None]]) -> None:
        given = {key: value or "" for key, value in attrs}
        if tag in {"img", "br", "input", "hr", "source", "wbr", "meta", "link"}:
            self.parts.append("\n" if tag in {"br", "hr"} else "")
            return
        kind = given.get("class", "").split()
        if "tabbed-set" in kind:
            self.tabs.append(0)
        hidden = tag in {"script", "style", "iframe", "video"}
        if "tabbed-block" in kind and self.tabs:
            hidden, self.tabs[-1] = self.tabs[-1] > 0, self.tabs[-1] + 1
        self.open.append((tag, hidden))
        if tag in BLOCKS:
            self.parts.append("\n" if tag in {"li", "tr", "label"} else "\n\n")
        if tag in {"td", "th"}:
            self.parts.append("\t")
        if tag == "a" and "headerlink" not in kind and "href" in given:
            self.link = given["href"], len(self.parts)
        if re.fullmatch(r"h[1-6]", tag):
            self.heading = tag, given.get("id", ""), len(self.parts)
        if tag == "pre":
            self.pre = len(self.parts)

    def handle_endtag(self, tag: str) -> None:
        if not any(name == tag for name, _ in self.open):
            return
        shown = self.shown
        while self.open.pop()[0] != tag:
            pass
        if tag == "a" and self.link:
            text = squeezed("".join(self.parts[self.link[1]:]))
            if shown and text:
                self.links.append((text, self.link[0]))
            self.link = None
        if self.heading and tag == self.heading[0]:
            text = squeezed("".join(self.parts[self.heading[2]:])).removesuffix("¶").strip()
            if shown:
                self.headings.append((tag, self.heading[1], text))
            self.heading = None
        if tag == "pre" and self.pre >= 0:
            if shown:
                self.code.append("".join(self.parts[self.pre:]).strip())
            self.pre = -1
        if tag in BLOCKS:
            self.parts.append("\n" if tag in {"li", "tr", "label"} else "\n\n")

    @property
    def shown(self) -> bool:
        """Whether what is read now is seen."""
        return not any(hidden for _, hidden in self.open)

    def handle_data(self, data: str) -> None:
        if self.shown:
            inside_pre = any(name == "pre" for name, _ in self.open)
            self.parts.append(data if inside_pre else re.sub(r"\s+", " ", data) if data.strip() else " " * bool(data))

    def text(self) -> str:
        """What is copied."""
        lines = [re.sub(r"^[ ]?\t", "", line).rstrip() if "\t" in line[:2] else line.rstrip()
                 for line in "".join(self.parts).split("\n")]
        return re.sub(r"\n{3,}", "\n\n", "\n".join(line if line.strip() else "" for line in lines)).strip() + "\n"


def squeezed(text: str) -> str:
    """Text with one space where there is any."""
    return " ".join(text.split())


def rendered(text: str) -> Copy:
    """A page as a browser shows it."""
    copy = Copy()
    copy.feed(LIBRARY.reset().convert(FRONT.sub("", text)))
    return copy


def with_site(copy: Copy, number: int, titles: Sequence[str]) -> str:
    """The copy of a page with what a site has around it."""
    contents = [text for _, _, text in copy.headings]
    menu = "\n".join(titles[number % 5 :][:12])
    style = number % 3
    if style == 0:
        return (f"Skip to content\nExample docs\nSearch\nEnglish\n日本語\n中文\n{menu}\nTable of contents\n"
                + "\n".join(contents[1:]) + f"\n\n{copy.text()}\nPrevious\n{titles[0]}\nNext\n{titles[-1]}\n"
                "Copyright © 2026 The authors\n")
    if style == 1:
        return (f"Files\ndocs/page.md\n3f0a1c2d9e\nupdate the pages\nBuild / test (push) Successful in 3m\n"
                f"2026-06-05 16:53:03 +08:00\n\n4.8 KiB\nRaw Blame History\n\n{copy.text()}\n"
                "Terms\nPrivacy\nSecurity\n© 2026 Example, Inc.\n")
    body = copy.text()
    for code in copy.code:
        body = body.replace(code, f"Copy\n\n{code}", 1) if code else body
    return (f"Docs\nGuides\nReference\nBlog\n\n{body.replace('¶', '')}\nWas this page helpful?\nYes\nNo\n"
            f"Edit this page\nOn this page\n" + "\n".join(contents) + f"\n{menu}\n")


def read_pages(tree: Path, dialect: str) -> dict[str, dict[str, str]]:
    """The pages of a tree by language, in our Markdown."""
    if dialect:
        with tempfile.TemporaryDirectory() as folder:
            files = convert_tree(ConvertOptions(tree, Path(folder) / "new", dialect)).files
        named = {path.removeprefix("docs/"): data.decode() for path, data in files.items() if path.endswith(".md")}
    else:
        named = {}
        for file in sorted(tree.rglob("*.md")):
            parts = file.relative_to(tree).parts
            named["/".join([parts[0], *(parts[2:] if parts[1:2] == ("docs",) else parts[1:])])] = file.read_text()
    found: dict[str, dict[str, str]] = {}
    for path, text in named.items():
        code, _, page = path.partition("/")
        found.setdefault(code, {})[page] = FORMER_ID.sub("", INCLUDE.sub("", text.replace("\r\n", "\n")))
    return found


def alike(first: Sequence[object], second: Sequence[object]) -> int:
    """How many are in both."""
    return sum((Counter(first) & Counter(second)).values())


def measure(
    code: str, english: Mapping[str, str], pages: Mapping[str, str], every: int, alone: bool, verbose: bool
) -> None:
    """Restore the pages of a language and print what came of it."""
    counts: Counter[str] = Counter()
    both = [page for page in pages if page in english][::every]
    titles = [found[0][2] for page in both if (found := rendered(pages[page]).headings)]
    names = read_names(english), read_names(pages)
    spent = 0.0
    for number, page in enumerate(both):
        clean, parallel = rendered(pages[page]), rendered(english[page])
        if MARKS.search(clean.text()) or [h[0] for h in clean.headings] != [h[0] for h in parallel.headings]:
            counts["left out"] += 1
            continue
        scraped = with_site(clean, number, titles)
        started = time.process_time()
        known = NO_WORDS if alone else site_words(page, *names)
        made = restore_text(scraped, english[page], f"en/{page}", page, known)
        spent += time.process_time() - started
        again = rendered(made.text)
        there = Counter(target for _, target in parallel.links)
        possible = [link for link in clean.links if link[1] in there]
        counts.update({
            "pages": 1, "links": len(clean.links), "in English": len(possible), "right": alike(again.links, possible),
            "other": len(again.links) - alike(again.links, clean.links),
            "headings": len(clean.headings), "as said": alike(again.headings, clean.headings),
            "invented": len(again.headings) - alike([h[2] for h in again.headings], [h[2] for h in clean.headings]),
            "code": len(clean.code),
            "equal": alike([squeezed(each) for each in again.code], [squeezed(each) for each in clean.code]),
            "text": squeezed(again.text()) == squeezed(clean.text()),
        })
        if verbose:
            for link in (Counter(again.links) - Counter(clean.links)):
                print(f"    {code}/{page}: other link {link}")
            for link in (Counter(possible) - Counter(again.links)):
                print(f"    {code}/{page}: lost link {link}")
            for heading in (Counter(again.headings) - Counter(clean.headings)):
                print(f"    {code}/{page}: other heading {heading}")
            for heading in (Counter(clean.headings) - Counter(again.headings)):
                print(f"    {code}/{page}: lost heading {heading}")
    print(f"{code:8}" + "".join(f"{counts[key]:{max(len(key) + 2, 7)}}" for key in COLUMNS) + f"{spent:8.1f}")


COLUMNS = ("pages", "links", "in English", "right", "other", "headings", "as said", "invented", "code", "equal", "text",
           "left out")


def main() -> None:
    """Print a table, one line a language."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tree", type=Path)
    parser.add_argument("--from", dest="dialect", choices=tuple(DIALECTS), default="")
    parser.add_argument("--languages", default="zh,ja")
    parser.add_argument("--alone", action="store_true")
    parser.add_argument("--verbose", action="store_true")
    parser.add_argument("--every", type=int, default=1, help="only each N-th page")
    chosen = parser.parse_args()
    pages = read_pages(chosen.tree, chosen.dialect)
    print(f"{'':8}" + "".join(f"{key:>{max(len(key) + 2, 7)}}" for key in COLUMNS) + f"{'CPU s':>8}")
    for code in chosen.languages.split(","):
        measure(code, pages["en"], pages[code], chosen.every, chosen.alone, chosen.verbose)


if __name__ == "__main__":
    main()
