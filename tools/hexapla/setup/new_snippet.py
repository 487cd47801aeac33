"""A new snippet: the program, its test, the block on a page, and what else a project wants of each.

    [tool.hexapla.new_snippet]      # what is appended to files of the project; {name} is area/technique.py
    "benchmarks/mutations.yml" = "{name}:\\n  'sum([1, 2])': 'sum([1])'\\n"
"""

import re
from collections.abc import Mapping
from contextlib import suppress
from functools import partial
from pathlib import Path

from hexapla.config.checks_config import pyproject_settings
from hexapla.config.discovery import layout_of_project
from hexapla.config.layout import index_pages
from hexapla.config.mkdocs_yaml import read_settings
from hexapla.config.project import Project
from hexapla.errors import ConfigError
from hexapla.files import join_inside, read_text
from hexapla.pages.dialects import make_dialect
from hexapla.pages.edits import SECTION, PageEdit, Read, apply_edits
from hexapla.pages.lines import split_lines
from hexapla.pages.reader import read
from hexapla.setup import read_template
from hexapla.translation.new_language import Edits, FileEdit, edited_file

NAME = re.compile(r"[a-z][a-z0-9_]*/[a-z][a-z0-9_]*")
BLOCK = '\n```python\n--8<-- "{name}:{part}"\n```\n'


def new_snippet(project: Project, name: str, page: str = "") -> Edits:
    """The files for the snippet `area/technique`, shown on `page`, a path with or without `#id`. Raises ConfigError."""
    name = name.removesuffix(".py")
    if not NAME.fullmatch(name):
        raise ConfigError(f"{name}: names no snippet; write it as area/technique, in small letters, digits and _")
    area, _, part = name.partition("/")
    folder, tests = project.snippets, project.root / "tests" / "snippets"
    words = {"folder": folder.relative_to(project.root).as_posix(), "area": area, "part": part, "name": f"{name}.py"}
    texts = {folder / f"{name}.py": read_template("templates/snippet.txt").format(**words)}
    if tests.is_dir():
        written = (read_text(tests, file) for file in tests.glob("*/test_*.py"))
        how = "imported" if any(f"from {words['folder']}." in text for text in written) else "by_path"
        texts[tests / area / f"test_{part}.py"] = read_template(f"templates/test_{how}.txt").format(**words)
    for file in texts:
        if file.exists():
            raise ConfigError(f"{file.relative_to(project.root)}: is there already; choose another name")
    made = {file: FileEdit(None, text.encode()) for file, text in texts.items()}
    blocks = with_blocks(project, page, BLOCK.format(**words)) if page else {}
    return made | blocks | append_to_files(project.root, words["name"])


def with_blocks(project: Project, page: str, block: str) -> dict[Path, FileEdit]:
    """The page with the block at the end of its section `#id`, or of the page, and so its translations that have that.

    Raises ConfigError.
    """
    path, _, section = page.partition("#")
    layout = layout_of_project(project, read_settings(project.root / "mkdocs.yml"))
    read_page = partial(read, dialect=make_dialect(layout.anchors, layout.extensions))
    pages = index_pages(layout)
    name = next((name for name, found in pages[layout.source].items() if found == path), "")
    beside = [pages[code].get(name, "") for code in layout.languages if code not in layout.derived]
    change = partial(with_block, block=block, section=section, read_page=read_page)
    try:
        made = {(place := join_inside(project.root, project.root / path)): edited_file(place, change)}
        for file in (join_inside(project.root, project.root / each) for each in beside if each):
            with suppress(LookupError):  # the section is still to be translated, the block with it
                made[file] = edited_file(file, change)
    except LookupError as error:
        raise ConfigError(f"{path}: has no section {section!r}; there are {error.args[0]}") from error
    except ValueError as error:
        raise ConfigError(f"{path}: cannot take the block ({error}); name another section of it") from error
    return made


def with_block(text: str, block: str, section: str, read_page: Read) -> str:
    """A page with a block at the end of a section, or of the page. Raises LookupError with its sections, ValueError."""
    headings = read_page(text).headings
    ids = [heading.id for heading in headings]
    if section and section not in ids:
        raise LookupError(", ".join(filter(None, ids)) or "none with an id")
    following = headings[ids.index(section) + 1 :] if section else ()
    lines = split_lines(text)
    last = following[0].line - 1 if following else len(lines)
    while last and not lines[last - 1].strip():
        last -= 1
    before = "".join(lines[:last])
    edit = PageEdit(SECTION, len(before), len(before), "\n" * (not before.endswith("\n")) + block)
    edited = apply_edits(text, [edit], read_page)
    if edited.left:
        raise ValueError(edited.left[0][1])
    return edited.text


def append_to_files(root: Path, name: str) -> dict[Path, FileEdit]:
    """The files of the project to which a new snippet appends something. Raises ConfigError."""
    wanted = pyproject_settings(root / "pyproject.toml").get("new_snippet", {})
    if not isinstance(wanted, Mapping) or not all(isinstance(text, str) for text in wanted.values()):
        raise ConfigError("pyproject.toml: tool.hexapla.new_snippet is no table of files and texts; write it as such")
    added = {join_inside(root, root / file): text.replace("{name}", name) for file, text in wanted.items()}
    return {file: edited_file(file, partial(append_text, text)) for file, text in added.items()}


def append_text(more: str, text: str) -> str:
    return text + more
