"""The guide built by each engine and theme in an environment of its own, and compared: `make test-engines`.

    python -m benchmarks.engines [--queries 20] [--environments .hexapla/engines]

The first engine is the reference. By page are compared: its address and language, the ids of its headings, its
alternate links, its code and what stands below code of where it ran. Search is the share of readers' queries whose
first three results, in Chromium, hold an answer. Seconds are of the build's CPU, megabytes of all packages installed.
Exit status 1 where an engine does not build the guide, or builds another one.
"""

import argparse
import os
import resource
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from playwright.sync_api import sync_playwright
from selectolax.lexbor import LexborHTMLParser

from benchmarks.packaging import environment, megabytes
from benchmarks.search import box
from benchmarks.search.readers import LANGUAGES, address, rates, reader_queries

ROOT = Path(__file__).parents[1]
PROJECT = ("mkdocs.yml", "pyproject.toml", "docs", "snippets", "translations", "tests/snippets")
SEARCH = "  - search: {separator: '\\s+'}"


class SearchBox(NamedTuple):
    """The search box of a theme: the script that counts its answers, the key that opens it, the field to type into."""

    script: str
    key: str
    field: str


class Engine(NamedTuple):
    """An engine with a theme: what is installed, the command that builds, and what changes in mkdocs.yml.

    In the command and in `site` {} is a folder that is empty at first; `site` is where the site is in the end.
    """

    name: str
    extra: str
    packages: tuple[str, ...]
    command: str
    changes: Mapping[str, str]
    site: str = "{}"
    box: SearchBox = SearchBox(box.COUNT_ANSWERS, "/", ".md-search__input")


BUILD = "build --strict --config-file mkdocs.yml --site-dir {}"


ENGINES = (
    Engine("MkDocs, Material", "[site]", (), f"mkdocs {BUILD}", {}),
    Engine("ProperDocs, Material", "[site]", ("properdocs==1.6.7",), f"properdocs {BUILD}", {}),
    Engine(
        "ProperDocs, MaterialX", "",
        ("properdocs==1.6.7", "mkdocs-materialx==10.2.2", "mkdocs-static-i18n", "pillow"),
        f"properdocs {BUILD}",
        {"  name: material\n": "  name: materialx\n", SEARCH: "  - search: {provider: lunr}"},
    ),
    Engine(
        "Zensical", "[site]", ("zensical==0.0.73",), "hexapla stage --engine zensical {} --build", {}, "{}/site",
        SearchBox(box.COUNT_NUMBERED_ANSWERS, "Control+k", "input[type=text], input:not([type])"),
    ),
)
# What is read of a page, by the heading of its column.
FACTS: Mapping[str, Callable[[LexborHTMLParser], object]] = {
    "pages": lambda page: [each.attributes.get("lang") for each in page.css("html")],
    "ids": lambda page: [each.id for each in page.css("article :is(h1, h2, h3, h4, h5, h6)[id]")],
    "alternates": lambda page: sorted(
        (each.attributes["hreflang"], each.attributes["href"]) for each in page.css("link[rel=alternate][hreflang]")
    ),
    "code": lambda page: [each.text() for each in page.css("article pre code")],
    "evidence": lambda page: [each.text() for each in page.css("article .hx-run")],
}
Pages = Mapping[str, Mapping[str, object]]  # by fact, then by the page's address


class Built(NamedTuple):
    """A site that was built, with what it took."""

    site: Path
    seconds: float
    megabytes: float


def build(engine: Engine, folder: Path, environments: Path) -> Built:
    """Build the guide. Exits with what the engine said where it fails."""
    python = environment(environments / engine.name.lower().replace(", ", "-"), engine.extra, engine.packages)
    tree, site = folder / "tree", folder / "site"
    tree.mkdir(parents=True)
    archive = subprocess.run(["git", "ls-files", "-z", *PROJECT], cwd=ROOT, capture_output=True, check=True).stdout
    subprocess.run(["tar", "-c", "--null", "-T", "-", "-f", folder / "tree.tar"], cwd=ROOT, input=archive, check=True)
    subprocess.run(["tar", "-x", "-f", folder / "tree.tar"], cwd=tree, check=True)
    settings = (tree / "mkdocs.yml").read_text(encoding="utf-8")
    for old, new in engine.changes.items():
        if old not in settings:
            sys.exit(f"mkdocs.yml: has no {old!r}, which {engine.name} needs otherwise; correct ENGINES")
        settings = settings.replace(old, new)
    (tree / "mkdocs.yml").write_text(settings, encoding="utf-8")
    name, *options = (each.format(site) for each in engine.command.split())
    command = [python.with_name(name), *options]
    quiet = {"NO_MKDOCS_2_WARNING": "1", "DISABLE_MKDOCS_2_WARNING": "true"}
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    ended = subprocess.run(command, cwd=tree, env=os.environ | quiet, capture_output=True, text=True, check=False)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if ended.returncode:
        sys.exit(f"{engine.name} does not build the guide:\n{ended.stderr[-2000:]}")
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return Built(Path(engine.site.format(site)), seconds, megabytes(python))


def read_pages(site: Path) -> Pages:
    """What is compared of each page of a site."""
    parsed = {
        file.relative_to(site).as_posix(): LexborHTMLParser(file.read_text(encoding="utf-8"))
        for file in sorted(site.rglob("*.html"))
    }
    return {name: {path: fact(page) for path, page in parsed.items()} for name, fact in FACTS.items()}


def answered(site: Path, count: int, asked: SearchBox) -> float:
    """The share of readers' queries with an answer among the first three results."""
    answers = []
    with sync_playwright() as playwright, box.served(site) as url:
        browser = box.launch(playwright)
        for language in LANGUAGES:
            prefix = "" if language == LANGUAGES[0] else f"{language}/"
            tab = browser.new_page()
            tab.add_init_script(asked.script)
            tab.goto(url + prefix)
            opened = False
            while not opened:  # Zensical listens for the key some time after a page is loaded
                tab.keyboard.press(asked.key)
                tab.wait_for_timeout(1000)  # Material asks for nothing at first, MaterialX does not
                opened = tab.locator(asked.field).is_visible()
            for query in reader_queries(language, "held-out")[:count]:
                box.ask(tab, query.text, asked.field)
                found = [[address(each, prefix) for each in page] for page in box.sections(tab)]
                answers.append((query, [page for page in found if page]))
            tab.close()
        browser.close()
    return rates(answers)[1]


def compared(pages: Pages, reference: Pages) -> list[str]:
    """By fact: how many there are, and on how many pages they are not those of the reference."""
    cells = []
    for name, found in pages.items():
        count = len(found) if name == "pages" else sum(len(each) for each in found.values())  # type: ignore[arg-type]
        other = reference[name]
        differ = sum(found.get(path) != other.get(path) for path in found.keys() | other.keys())
        cells.append(f"{count}, {differ} differ" if differ else str(count))
    return cells


def main(arguments: Sequence[str] | None = None) -> int:
    """Build with each engine, print a row each."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.engines", description=__doc__.splitlines()[0])
    parser.add_argument("--queries", type=int, default=20, help="readers' queries a language (default: 20)")
    parser.add_argument("--environments", type=Path, default=ROOT / ".hexapla/engines", help="where they are kept")
    chosen = parser.parse_args(arguments)
    heads = [*FACTS, "search", "CPU seconds", "MB"]
    print(f"{'':24}" + "".join(f"{head:>18}" for head in heads))
    reference, least, status = None, 0.0, 0
    with tempfile.TemporaryDirectory() as folder:
        for number, engine in enumerate(ENGINES):
            built = build(engine, Path(folder, str(number)), chosen.environments)
            pages, share = read_pages(built.site), answered(built.site, chosen.queries, engine.box)
            cells = compared(pages, reference or pages)
            reference, least = reference or pages, least or share
            status |= any("differ" in cell for cell in cells) or share < least
            row = [*cells, f"{share:.2f}", f"{built.seconds:.1f}", f"{built.megabytes:.0f}"]
            print(f"{engine.name:24}" + "".join(f"{cell:>18}" for cell in row), flush=True)
    return int(status)


if __name__ == "__main__":
    sys.exit(main())
