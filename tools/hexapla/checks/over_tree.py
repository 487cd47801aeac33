"""A check of a tree's pages: where they lie, how they are read, which of them are meant."""

import argparse
import contextlib
import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from hexapla import config, layout
from hexapla.checks import fix
from hexapla.checks.cache import Cache
from hexapla.checks.context import Garbled, Settings, Term
from hexapla.checks.history import History
from hexapla.checks.run import Checker, Outcome, Progress
from hexapla.config import ConfigError
from hexapla.files import inside
from hexapla.layout import Layout
from hexapla.pages.render import Dialect


def check_tree(
    args: argparse.Namespace,
    terms: tuple[Term, ...],
    garbled: Garbled | None,
    traditional: Callable[[str], str] | None,
    progress: Progress | None,
) -> Outcome:
    """What is found in the tree that the options name, after --fix where that is asked for. Raises ConfigError."""
    place = find_layout(args)
    settings = Settings(terms, snippet_reader(place), garbled, traditional, pin(place))
    cache = Cache(None if args.no_cache else place.root)
    history = History(place.root)
    try:
        checker = Checker(place, dialect(place), settings, cache, history)
        paths = chosen(args.paths, place, checker)
        outcome = checker.run(paths, progress)
        if args.fix and fix.mend(place.root, outcome.findings):
            checker = Checker(place, dialect(place), settings, cache, history)
            outcome = checker.run(paths, progress)
        if args.external:
            from hexapla.checks.external import external

            outcome = replace(outcome, findings=outcome.findings + tuple(external(checker.links(paths))))
    finally:
        cache.close()
    return outcome


def find_layout(args: argparse.Namespace) -> Layout:
    """The tree that options, a mkdocs.yml or a look around describe. Raises ConfigError."""
    codes = tuple(code.strip() for code in (args.languages or "").split(",") if code.strip())
    root = (args.root or Path.cwd()).resolve()
    if not root.is_dir():
        raise ConfigError(f"{root} is no folder; correct --root")
    if args.layout:
        source = args.source or "en"
        return layout.of_options(root, args.layout, args.source_layout or "", source, codes, args.anchors or "")
    if args.source_layout:
        raise ConfigError("--source-layout needs --layout; say where the translations lie")
    if args.root is None:
        root = nearest_root(root)
    if (root / "mkdocs.yml").is_file():
        settings = config.settings(root / "mkdocs.yml")
        made = layout.of_project(config.load(root), settings)
        kept = tuple(code for code in made.languages if not codes or code in codes)
        made = replace(made, languages=kept, anchors=args.anchors or made.anchors)
        if "i18n" in config.plugin_options(settings.get("plugins")):
            return made
        with contextlib.suppress(ConfigError):
            return layout.look(root, args.source or "en", codes, args.anchors or "")
        return made  # one language alone
    return layout.look(root, args.source or "en", codes, args.anchors or "")


def nearest_root(start: Path) -> Path:
    """The nearest folder with a mkdocs.yml, or the one that a repository starts in, or `start`."""
    for folder in (start, *start.parents):
        if (folder / "mkdocs.yml").is_file() or (folder / ".git").exists():
            return folder
    return start


def dialect(place: Layout) -> Dialect:
    """How a tree's pages are rendered; a renderer is imported when it is needed."""
    if place.anchors in {"github", "doc-builder"}:
        from hexapla.pages import commonmark

        return commonmark.github() if place.anchors == "github" else commonmark.doc_builder()
    from hexapla.pages import pythonmarkdown

    asked = "pymdownx" if place.anchors == "pymdownx" else ""
    return pythonmarkdown.python_markdown(pythonmarkdown.setup(place.extensions, asked))


def pin(place: Layout) -> tuple[str, str]:
    """How the tree writes an id on a heading."""
    return (" [[", "]]") if place.anchors == "doc-builder" else (" {#", "}")


def snippet_reader(place: Layout) -> Callable[[str], str] | None:
    """Included files by their path, looked for below each of the layout's folders."""
    if not place.snippets:
        return None

    def read(path: str) -> str:
        for folder in place.snippets:
            file = inside(folder, path)
            if file.is_file():
                return file.read_text(encoding="utf-8")
        raise FileNotFoundError(path)

    return read


def chosen(paths: list[Path], place: Layout, checker: Checker) -> list[str] | None:
    """The pages that PATH arguments name, None for all; other files are no pages and are passed over."""
    if not paths:
        return None
    found: set[str] = set()
    for given in paths:
        path = given if given.is_absolute() or given.exists() else place.root / given
        if not path.exists():
            raise ConfigError(f"{given}: no such file; name a page or a folder of {place.root}")
        relative = Path(os.path.relpath(path.resolve(), place.root)).as_posix()
        folder = "" if relative == "." else f"{relative}/"
        if path.is_dir():
            found |= {page for page in checker.tree.owners if page.startswith(folder)}
        elif relative in checker.tree.owners:
            found.add(relative)
    return sorted(found)
