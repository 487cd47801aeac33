"""Pages move into a folder for each language: whole or not at all, nothing in them changes."""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from hexapla.config.layout import Layout, compile_pattern, fixed_folder, index_pages
from hexapla.config.mkdocs_yaml import plugin_options, read_settings
from hexapla.errors import ConfigError
from hexapla.files import is_own_file, is_within, join_inside, pages_under, read_file, read_text, walk_files, write_file
from hexapla.pages import parse
from hexapla.yaml_text import texts_in

Moves = tuple[tuple[Path, Path], ...]
ON_THE_WAY = ".hexapla-moves.json"  # in the root, while pages move


def folder_moves(root: Path, docs: str, source: str, settings: Mapping[str, Any]) -> Moves:
    """All in the folder of pages goes into the source's, but for what settings name by its path. Raises ConfigError."""
    folder = root / docs
    if docs in ("", ".") or not is_within(root, folder) or folder.resolve() == root.resolve():
        raise ConfigError(f"mkdocs.yml: docs_dir is {docs!r}; name a folder below the project's, and run this again")
    if not folder.is_dir():
        return ()
    staying = {path.partition("/")[0] for path in (*named_paths(settings, docs), *included_paths(root, docs))}
    return tuple((entry, folder / source / entry.name) for entry in sorted(folder.iterdir())
                 if entry.name not in staying)


def page_moves(layout: Layout, settings: Mapping[str, Any]) -> Moves:
    """`page.ja.md` becomes `ja/page.md`; what has no language goes to the source's. Raises ConfigError."""
    root, docs = layout.root, fixed_folder(layout.source_pattern)
    codes = (layout.source, *layout.languages)
    ended = {code: compile_pattern(docs + "/{page}.{lang}", code) for code in codes}
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
    """The paths below the folder of pages that pages include from the root, which stay. Raises ConfigError."""
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
    return (text.removeprefix(f"{docs}/") for text in texts_in(value) if text.startswith(f"{docs}/"))


def move_pages(root: Path, moves: Moves) -> None:
    """Move all. What is on its way stands in a file until `finish` removes that. Raises OSError that names a path."""
    if moves:
        paths = [[path.relative_to(root).as_posix() for path in pair] for pair in moves]
        write_file(root / ON_THE_WAY, json.dumps({"schema": 1, "moves": paths}, indent=1).encode())
    for old, new in moves:
        new.parent.mkdir(parents=True, exist_ok=True)
        old.rename(new)
    remove_empty({old.parent for old, _ in moves})


def finish_moves(root: Path) -> None:
    """Forget what was on its way: it has arrived, and the settings say so."""
    (root / ON_THE_WAY).unlink(missing_ok=True)


def move_back(root: Path) -> None:
    """Undo the moves that are on their way, the last first. Raises ConfigError and OSError."""
    moves = moves_on_the_way(root)
    for old, new in reversed(moves):
        if new.exists() and not old.exists():
            old.parent.mkdir(parents=True, exist_ok=True)
            new.rename(old)
    remove_empty({new.parent for _, new in moves})
    finish_moves(root)


def moves_on_the_way(root: Path) -> Moves:
    """The moves of a run that was ended in between, none where there was none.

    Raises ConfigError, also for moves that do not stay in one folder of pages: the file may have come with the tree.
    """
    try:
        listed = json.loads(read_file(root, ON_THE_WAY))["moves"]
        moves = tuple((join_inside(root, old), join_inside(root, new)) for old, new in listed)
        [folder] = {path.relative_to(root.resolve()).parts[0] for pair in moves for path in pair}
        if folder.startswith("."):
            raise ValueError(folder)
        return moves
    except FileNotFoundError:
        return ()
    except (OSError, ValueError, TypeError, KeyError, IndexError, AttributeError, RecursionError) as error:
        raise ConfigError(f"{ON_THE_WAY}: is no list of moves within a folder of pages; take it away, and look where "
                          "your pages are") from error


def recover_moves(root: Path, put: bool) -> None:
    """Put back, or finish, the moves of a run that was ended in between. Raises ConfigError unless `put`, OSError."""
    if not (root / ON_THE_WAY).exists():
        return
    if not put:
        raise ConfigError(f"{ON_THE_WAY}: a run was ended while it moved pages; run hexapla init with --write, which "
                          "puts them back first")
    settings = read_settings(root / "mkdocs.yml") if (root / "mkdocs.yml").is_file() else {}
    arrived = (plugin_options(settings, "i18n") or {}).get("docs_structure") == "folder"  # they are written last
    finish_moves(root) if arrived else move_back(root)


def remove_empty(folders: set[Path]) -> None:
    """Remove folders that nothing is left in, and those above them that they emptied."""
    for folder in sorted(folders, key=lambda each: -len(each.parts)):
        while folder.is_dir() and not any(folder.iterdir()):
            folder.rmdir()
            folder = folder.parent
