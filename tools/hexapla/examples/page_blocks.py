"""Programs that stand in pages: fenced blocks of Python in the source's language that a name marks to be run.

    ``` { .python run="add" }
    print(1 + 1)
    ```

On the page start.md this is the program `start#add.py`; blocks of one name on a page are one program. Other attributes
say what the markers of a test do; `alt` says what a printed picture shows, in each language, for a snippet too.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from textwrap import dedent
from typing import NamedTuple

from hexapla.examples.markers import CORE, MarkerError, Requirements, check_pattern
from hexapla.files import OutsideError, is_own_file, pages_under, read_text
from hexapla.pages.lines import read_once
from hexapla.pages.parser import collect_fences

OPENING = re.compile(r"[ \t]*(?:`{3,}|~{3,})[^{}\n]*\{(?P<attributes>[^\n]*)\}[ \t]*$")
LONGEST = 1000  # characters of a line that opens a block
ATTRIBUTE = re.compile(r"""(?<!\S)([\w-]+)=(?:"([^"]*)"|'([^']*)'|([^\s"'}]+))""")
NAME = re.compile(r"[\w-]+")


class PageBlock(NamedTuple):
    """A program of a page: the page's file, its attributes, and the code of its blocks."""

    page: Path
    language: str
    attributes: Mapping[str, str]
    code: str


def read_attributes(opening: str) -> Mapping[str, str]:
    """The attributes of a line that opens a block which is to be run, {} for another.

    >>> read_attributes('``` { .python run="add" devices=2 }')
    {'run': 'add', 'devices': '2'}
    """
    given = list_attributes(opening) if "run=" in opening else {}
    return given if "run" in given else {}


def list_attributes(opening: str) -> Mapping[str, str]:
    found = OPENING.match(opening.rstrip("\r\n")) if "{" in opening and len(opening) <= LONGEST else None
    return {name: "".join(values) for name, *values in ATTRIBUTE.findall(found["attributes"])} if found else {}


def block_path(page: str, opening: str) -> str:
    """The path of the program that a block belongs to by the line that opens it; "" for a block that is not run.

    >>> block_path("guide/start.md", '``` { .python run="add" }')
    'guide/start#add.py'
    """
    name = read_attributes(opening).get("run")
    return f"{page.removesuffix('.md')}#{name}.py" if name else ""


def is_block(path: str) -> bool:
    """Whether a program stands in a page."""
    return "#" in path


def area_of(path: str) -> str:
    """What a program is listed under: the folder of a snippet, the page of a block.

    >>> [*map(area_of, ("demo/add.py", "guide/start#add.py"))]
    ['demo', 'guide/start#']
    """
    return f"{path.partition('#')[0]}#" if is_block(path) else path.partition("/")[0]


def read_blocks(pages: Iterable[tuple[str, Path]]) -> dict[str, PageBlock]:
    """The programs of pages by their path; a page is its path below its language's folder, and its file."""
    found: dict[str, PageBlock] = {}
    for name, file in pages:
        try:
            text = read_text(file.parent, file)
        except (OSError, UnicodeDecodeError, OutsideError):
            continue  # which the checks report
        lines = read_once(text) if "run=" in text else ()
        for fence in collect_fences(lines):
            opening = lines[fence.line - 1].text
            if path := block_path(name, opening):
                attributes, before = read_attributes(opening), found.get(path)
                block = PageBlock(file, fence.language, attributes, dedent(fence.content))
                found[path] = before._replace(code=before.code + block.code) if before else block
    return found


def source_pages(folder: Path, root: Path) -> Iterator[tuple[str, Path]]:
    """The pages below the folder of the source's language."""
    for file in pages_under(folder):
        if is_own_file(root, file):
            yield file.relative_to(folder).as_posix(), file


def block_requirements(block: PageBlock) -> Requirements:
    """What a block's attributes say that it requires. Raises MarkerError."""
    given = block.attributes
    if block.language not in {"python", "py", "python3"}:
        raise MarkerError(f"it is marked {block.language!r}, and only Python is run")
    if not NAME.fullmatch(given["run"]):
        raise MarkerError(f"run={given['run']!r} is no name; write letters, digits, - and _")
    devices = given.get("devices", "1")
    if not devices.isdecimal():
        raise MarkerError(f"devices={devices!r} is no number")
    varies = [given["varies"]] if "varies" in given else []
    return Requirements(
        given.get("env", CORE), int(devices), "measures" in given, given.get("device", ""), "network" in given,
        tuple(check_pattern(each) for each in varies),
    )
