"""Plan `hexapla init`: the files to move and to write for a folder to become a project in several languages."""

from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from hexapla.config.project import load_project
from hexapla.errors import ConfigError
from hexapla.files import read_file
from hexapla.setup import read_template
from hexapla.setup.folder_contents import Survey, survey_folder
from hexapla.setup.page_moves import Moves, finish_moves, move_back, move_pages
from hexapla.setup.settings_edit import with_extensions, with_plugins, with_theme
from hexapla.translation import new_language
from hexapla.translation.records import records

SETTINGS = """\
site_name: {name}
# site_url: https://docs.example.org/  # where the site will be; with it come canonical links, a feed and cards
"""


class SetupOptions(NamedTuple):
    """Where to set up, the language translated from, and those to begin; `sentences` are the site's by language."""

    root: Path
    source: str
    languages: tuple[str, ...]
    sentences: Mapping[str, new_language.Sentences]


class SetupPlan(NamedTuple):
    """What stands in a folder, what moves there, and the files to write."""

    survey: Survey
    moves: Moves = ()
    files: Mapping[Path, new_language.FileEdit] = {}


def make_plan(options: SetupOptions) -> SetupPlan:
    """What has to be done; nothing is written. Raises ConfigError."""
    root = options.root
    if not root.is_dir():
        raise ConfigError(f"{root}: is no folder; make it, or name one that is there with --root")
    for code in (options.source, *options.languages):
        new_language.check_code(code)
    seen = survey_folder(root, options.source)
    begun = tuple(code for code in dict.fromkeys(options.languages) if code != seen.source)
    if seen.foreign:
        # Languages begin by their files of records in a tree whose settings are another generator's.
        files = [root / records.path(code) for code in begun if seen.in_place]
        empty = new_language.FileEdit(None, records.BEGUN.encode())
        return SetupPlan(seen, files={file: empty for file in files if not file.is_file()})
    new: dict[Path, new_language.FileEdit] = {}
    for code in (*(() if seen.complete else seen.languages), *begun):
        new |= new_language.language_files(root, code, options.sentences["en"], code in options.sentences)
    new |= with_columns(root, begun) if seen.complete else first_files(root, seen)
    settings = root / "mkdocs.yml"  # last: with it, all is done
    new[settings] = new_language.edited_file(
        settings, lambda text: new_settings(text, seen, begun), SETTINGS.format(name=root.name))
    return SetupPlan(seen, seen.moves, new_language.effective_edits(new))


def carry_out(root: Path, plan: SetupPlan) -> None:
    """Move and write all of a plan, or nothing. Raises ConfigError and OSError."""
    try:
        move_pages(root, plan.moves)
        new_language.write_files(root, plan.files)
    except (ConfigError, OSError):
        move_back(root)
        raise
    finish_moves(root)


def new_settings(text: str, seen: Survey, begun: tuple[str, ...]) -> str:
    """A mkdocs.yml with what is missing in it. Raises ConfigError."""
    if not seen.complete:
        option = f"{{snippets: {seen.snippets}}}" if seen.snippets else ""
        text = with_extensions(with_plugins(with_theme(text), seen.source, seen.languages, option))
    for code in begun:
        text = new_language.with_language(text, code, None)
    return text


def first_files(root: Path, seen: Survey) -> new_language.Edits:
    """The first page of a project without pages, and the first snippet of one without snippets."""
    snippets = root / (seen.snippets or "snippets")
    made = {} if any(snippets.rglob("*.py")) else {snippets / "hello/greet.py": new_language.FileEdit(
        None, read_template("templates/first_snippet.txt").encode())}
    if not seen.pages:
        page = read_template("templates/first_page.txt").format(title=root.name).encode()
        made[root / "docs" / seen.source / "index.md"] = new_language.FileEdit(None, page)
    ignoring = root / ".gitignore"  # what git does not keep: the site, if nothing is said yet, and the cache
    before = read_file(root, ignoring) if ignoring.is_file() else None
    lines = b"/site/\n" if before is None else before
    if b".hexapla/" not in lines:
        lines += (b"" if lines.endswith(b"\n") or not lines else b"\n") + b".hexapla/\n"
    return made | {ignoring: new_language.FileEdit(before, lines)}


def with_columns(root: Path, begun: tuple[str, ...]) -> new_language.Edits:
    """The glossary of a project with a line for each language that begins."""
    project = load_project(root)
    file = project.glossary
    if not file.is_file():
        return {}

    def add_columns(text: str) -> str:
        for code in begun:
            text = new_language.with_column(text, code, project)
        return text

    return {file: new_language.edited_file(file, add_columns)}
