"""Pages move into a folder for each language: whole or not at all, nothing in them changes."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from hexapla.config.layout import Layout, expression, index_pages, start, walk_files
from hexapla.errors import ConfigError
from hexapla.files import is_own_file, pages_under, read_text
from hexapla.pages import parse

Moves = tuple[tuple[Path, Path], ...]


def folder_moves(root: Path, docs: str, source: str, settings: Mapping[str, Any]) -> Moves:
    """Everything in the folder of pages goes into one of the source's, but for what the settings name by its path.

    Raises ConfigError.
    """
    folder = root / docs
    if docs in ("", ".") or not folder.resolve().is_relative_to(root.resolve()) or folder.resolve() == root.resolve():
        raise ConfigError(f"mkdocs.yml: docs_dir is {docs!r}; name a folder below the project's, and run this again")
    if not folder.is_dir():
        return ()
    staying = {path.partition("/")[0] for path in (*named_paths(settings, docs), *included_paths(root, docs))}
    return tuple((entry, folder / source / entry.name) for entry in sorted(folder.iterdir())
                 if entry.name not in staying)


def page_moves(layout: Layout, settings: Mapping[str, Any]) -> Moves:
    """`page.ja.md` becomes `ja/page.md`; what has no language goes to the source's. Raises ConfigError."""
    root, docs = layout.root, start(layout.source_pattern)
    codes = (layout.source, *layout.languages)
    ended = {code: expression(docs + "/{page}.{lang}", code) for code in codes}
    pages = {path: (code, f"{name}.md") for code, each in index_pages(layout).items() for name, path in each.items()}
    staying = {f"{docs}/{path}" for path in named_paths(settings, docs)}
    moves: dict[Path, Path] = {}
    for path in walk_files(root, docs):
        if any(path == each or path.startswith(f"{each}/") for each in staying):
            continue
        stem, dot, ending = path.rpartition(".")
        other = next((code for code in codes if dot and ended[code].fullmatch(stem)), "")
        bare = stem.removesuffix(f".{other}") + dot + ending if other else path
        code, name = pages.get(path) or (other or layout.source, bare.removeprefix(f"{docs}/"))
        target = root / docs / code / name
        if target in moves.values() or target.exists():
            raise ConfigError(f"{path}: would become {target.relative_to(root)}, which is there; take one of them away")
        moves[root / path] = target
    return tuple(moves.items())


def included_paths(root: Path, docs: str) -> Iterator[str]:
    """The paths below the folder of pages that pages include from the project's root. Raises ConfigError.

    They stay where they are if no page stands in the folder that they are in.
    """
    found: dict[str, str] = {}
    for file in pages_under(root / docs):
        for include in parse(read_text(root, file, errors="replace")).includes if is_own_file(root, file) else ():
            if include.path.startswith(f"{docs}/") and (root / include.path).is_file():
                found.setdefault(include.path, f"{file.relative_to(root).as_posix()}:{include.line}")
    for path, place in found.items():
        entry = root / docs / path.removeprefix(f"{docs}/").partition("/")[0]
        if path.endswith(".md") or any(pages_under(entry)):
            raise ConfigError(f"{place}: includes {path}, which would move with the pages beside it; move it out of "
                              f"{docs}/, or to a folder without pages, and run this again")
        yield path.removeprefix(f"{docs}/")


def named_paths(value: object, docs: str) -> Iterator[str]:
    """The paths below the folder of pages that settings name from the root: themes' templates, hooks."""
    if isinstance(value, str) and value.startswith(f"{docs}/"):
        yield value.removeprefix(f"{docs}/")
    for inside in value.values() if isinstance(value, Mapping) else value if isinstance(value, list) else ():
        yield from named_paths(inside, docs)


def move(moves: Moves) -> None:
    """Move all, or none: where one cannot be moved, those before it go back. Raises OSError that names a path."""
    done: list[tuple[Path, Path]] = []
    try:
        for old, new in moves:
            new.parent.mkdir(parents=True, exist_ok=True)
            old.rename(new)
            done.append((old, new))
    except OSError:
        move_back(done)
        raise
    remove_empty({old.parent for old, _ in moves})


def move_back(done: list[tuple[Path, Path]]) -> None:
    """Undo moves, the last first."""
    for old, new in reversed(done):
        old.parent.mkdir(parents=True, exist_ok=True)
        new.rename(old)
    remove_empty({new.parent for _, new in done})


def remove_empty(folders: set[Path]) -> None:
    """Remove folders that nothing is left in, and those above them that they emptied."""
    for folder in sorted(folders, key=lambda each: -len(each.parts)):
        while folder.is_dir() and not any(folder.iterdir()):
            folder.rmdir()
            folder = folder.parent
