"""The project: the paths of its pages, snippets, evidence and glossary, read from its configuration."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from hexapla import glossary
from hexapla.cache import Cache, key_of
from hexapla.config.mkdocs_yaml import CONFIGURATIONS, extensions_of, plugin_options, read_settings, snippet_folders
from hexapla.errors import ConfigError
from hexapla.files import is_within, read_text
from hexapla.glossary import GlossaryError, Term
from hexapla.yaml_text import texts_in


class Language(NamedTuple):
    """A language of the project; `derived_from` is the code of the language its pages are converted from, or None."""

    code: str
    name: str
    derived_from: str | None = None


class Project(NamedTuple):
    """A tree of parallel pages: `docs/<language>/<page>.md`; the first language is the source.

    Pages may include files of the folders `included`, too; with `run_blocks`, blocks that are marked so are programs.
    `navigation` has the pages that `nav` names, in its order.
    """

    root: Path
    docs: Path
    snippets: Path
    languages: tuple[Language, ...]
    hardware: Mapping[str, str] = {}
    included: tuple[Path, ...] = ()
    run_blocks: bool = False
    navigation: tuple[str, ...] = ()

    @property
    def source(self) -> Language:
        """The language that the others are translated from."""
        return self.languages[0]

    @property
    def evidence(self) -> Path:
        """The folder with one file of evidence a hardware."""
        return self.snippets / "evidence"

    @property
    def comments(self) -> Path:
        """The table of translated comment lines."""
        return self.snippets / "comments.yml"

    @property
    def glossary(self) -> Path:
        """The table of terms."""
        return self.docs / "glossary.yml"


def find_root(start: Path) -> Path:
    """The nearest folder with a configuration, from `start` upwards. Raises ConfigError where there is none."""
    start = start.resolve()
    for folder in (start, *start.parents):
        if any((folder / name).is_file() for name in CONFIGURATIONS):
            return folder
    raise ConfigError(
        f"{start}: no {' or '.join(CONFIGURATIONS)} here or above; go into the project or name it with --root"
    )


def find_project(root: Path | None) -> Project:
    """The project at `root`, or the nearest one from the current folder upwards. Raises ConfigError."""
    return load_project(root or find_root(Path.cwd()))


def read_project_settings(root: Path) -> dict[str, Any]:
    """The settings of the configuration in a folder. Raises ConfigError."""
    named = (root / name for name in CONFIGURATIONS)
    return read_settings(next((file for file in named if file.is_file()), root / CONFIGURATIONS[0]))


def load_project(root: Path) -> Project:
    """The project of the configuration in `root`. Raises ConfigError."""
    settings = read_project_settings(root)
    i18n = (plugin_options(settings, "i18n") or {}).get("languages")
    languages = i18n or [{"locale": "en", "name": "English", "default": True}]
    options = plugin_options(settings, "hexapla") or (extensions_of(settings) or {}).get("hexapla.markdown") or {}
    return make_project(root, settings.get("docs_dir") or "docs", languages, options, settings)


def make_project(
    root: Path, docs: str | Path, i18n: list[Mapping[str, Any]], options: Mapping[str, Any], settings: Mapping[str, Any]
) -> Project:
    """The project of the i18n plugin's languages and the hexapla plugin's options; paths are relative to `root`."""
    derived = options.get("derived") or {}
    ordered = sorted(i18n, key=lambda entry: not entry.get("default"))
    codes = [str(entry["locale"]) for entry in ordered]
    for code, origin in derived.items():
        if code not in codes or origin not in codes:
            missing = code if code not in codes else origin
            raise ConfigError(
                f"mkdocs.yml: hexapla.derived names {missing!r}, which is no language of the i18n plugin; add it there"
            )
    languages = tuple(
        Language(code, str(entry["name"]), derived.get(code)) for code, entry in zip(codes, ordered, strict=True)
    )
    snippets = root / str(options.get("snippets") or "snippets")
    if not is_within(root, snippets):
        raise ConfigError(f"mkdocs.yml: the folder of snippets {snippets} leads out of {root}; put it into the project")
    return Project(
        root=root,
        docs=root / docs,
        snippets=snippets,
        languages=languages,
        hardware=dict(options.get("hardware") or {"cpu": "CPU"}),
        included=snippet_folders(extensions_of(settings), root, root),
        run_blocks=options.get("run_blocks") is True,
        navigation=tuple(dict.fromkeys(texts_in(settings.get("nav")))),
    )


def find_terms(root: Path | None, cache: Cache | None = None) -> tuple[Term, ...]:
    """The terms that pages of a project have to use, kept in `cache` if given; () without one. Raises ConfigError."""
    try:
        project = find_project(root)
    except ConfigError:
        return ()
    return glossary.agreed_terms(read_terms(project, cache))


def read_terms(project: Project, cache: Cache | None = None) -> tuple[Term, ...]:
    """The glossary of a project, () where there is none. Raises ConfigError."""
    file = project.glossary
    try:
        text = read_text(project.root, file) if file.is_file() else ""
        key = key_of("terms", text)
        if cache and (kept := cache.get(key)) is not None:
            return tuple(map(glossary.term_of_data, kept))
        found = glossary.parse(text)
        if cache:
            cache.put(key, found)
        return found
    except (GlossaryError, UnicodeDecodeError) as error:
        raise ConfigError(f"{file}: {error}") from error
