"""Which tree a command's options mean, and how the files that its pages include are read."""

import argparse
import contextlib
from collections.abc import Callable
from pathlib import Path

from hexapla import config
from hexapla.config import layout
from hexapla.config.layout import Layout
from hexapla.errors import ConfigError
from hexapla.files import inside
from hexapla.parsed import Parsed, anew


def find_root(args: argparse.Namespace) -> Path:
    """The folder that the tree of the options lies in. Raises ConfigError."""
    root = (args.root or Path.cwd()).resolve()
    if not root.is_dir():
        raise ConfigError(f"{root} is no folder; correct --root")
    return nearest_root(root) if args.root is None and not args.layout else root


def find_layout(args: argparse.Namespace, parsed: Parsed = anew) -> Layout:
    """The tree that options, a mkdocs.yml or a look around describe. Raises ConfigError."""
    codes = tuple(code.strip() for code in (args.languages or "").split(",") if code.strip())
    root, anchors = find_root(args), args.anchors or ""
    if args.layout:
        source = args.source or "en"
        return layout.of_options(root, args.layout, args.source_layout or "", source, codes, anchors, parsed)
    if args.source_layout:
        raise ConfigError("--source-layout needs --layout; say where the translations lie")
    if (root / "mkdocs.yml").is_file():
        settings = config.settings(root / "mkdocs.yml", parsed)
        made = layout.of_project(config.load(root, parsed), settings)
        kept = tuple(code for code in made.languages if not codes or code in codes)
        made = made._replace(languages=kept, anchors=anchors or made.anchors)
        if "i18n" in config.plugin_options(settings.get("plugins")):
            agree(made, codes, args.source)
            return made
        with contextlib.suppress(ConfigError):
            return layout.look(root, args.source or "en", codes, anchors, parsed)
        return made  # one language alone
    return layout.look(root, args.source or "en", codes, anchors, parsed)


def agree(made: Layout, codes: tuple[str, ...], source: str | None) -> None:
    """Refuse options that the project's own configuration contradicts. Raises ConfigError."""
    if source and source != made.source:
        raise ConfigError(f"--source {source!r}: mkdocs.yml says that the source is {made.source!r}; leave it out")
    unknown = set(codes) - {made.source, *made.languages}
    if unknown:
        raise ConfigError(f"--languages names {', '.join(sorted(unknown))}, which mkdocs.yml does not; correct it")


def nearest_root(start: Path) -> Path:
    """The nearest folder with a mkdocs.yml, or the one that a repository starts in, or `start`."""
    for folder in (start, *start.parents):
        if (folder / "mkdocs.yml").is_file() or (folder / ".git").exists():
            return folder
    return start


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
