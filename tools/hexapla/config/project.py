"""Where a project's pages, snippets, evidence and glossary lie, read from its mkdocs.yml."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from hexapla.errors import ConfigError as ConfigError
from hexapla.parsed import Parsed, anew


class Language(NamedTuple):
    """A language of the project; `derived_from` is the code of the language its pages are converted from, or None."""

    code: str
    name: str
    derived_from: str | None = None


class Project(NamedTuple):
    """A tree of parallel pages: `docs/<language>/<page>.md`; the first language is the source."""

    root: Path
    docs: Path
    snippets: Path
    languages: tuple[Language, ...]
    hardware: Mapping[str, str] = {}

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
    """The nearest folder with a mkdocs.yml, from `start` upwards. Raises ConfigError where there is none."""
    start = start.resolve()
    for folder in (start, *start.parents):
        if (folder / "mkdocs.yml").is_file():
            return folder
    raise ConfigError(f"{start}: no mkdocs.yml here or above; go into the project or name it with --root")


def read_yaml(text: str) -> Any:
    """What a text says in the YAML that MkDocs allows. Raises ValueError."""
    from hexapla.config.mkdocs_yaml import parse  # with PyYAML

    return parse(text)


def settings(file: Path, parsed: Parsed = anew) -> dict[str, Any]:
    """What a mkdocs.yml says; tags that name code are read as None. Raises ConfigError."""
    try:
        data = parsed(file.read_text(encoding="utf-8"), read_yaml)
    except OSError as error:
        raise ConfigError(f"{file}: {error.strerror or error}; check the path given to --root") from error
    except ValueError as error:
        raise ConfigError(f"{file}: is not YAML ({' '.join(str(error).split())}); correct it") from error
    if not isinstance(data, dict):
        raise ConfigError(f"{file}: holds no settings; start from the example in the README")
    return data


def find(root: Path | None, parsed: Parsed = anew) -> Project:
    """The project at `root`, or the nearest one from the current folder upwards. Raises ConfigError."""
    return load(root or find_root(Path.cwd()), parsed)


def load(root: Path, parsed: Parsed = anew) -> Project:
    """The project of `root/mkdocs.yml`. Raises ConfigError."""
    data = settings(root / "mkdocs.yml", parsed)
    plugins = plugin_options(data.get("plugins"))
    i18n = plugins.get("i18n", {}).get("languages") or [{"locale": "en", "name": "English", "default": True}]
    return project(root, data.get("docs_dir") or "docs", i18n, plugins.get("hexapla", {}))


def project(root: Path, docs: str | Path, i18n: list[Mapping[str, Any]], options: Mapping[str, Any]) -> Project:
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
    return Project(
        root=root,
        docs=root / docs,
        snippets=root / (options.get("snippets") or "snippets"),
        languages=languages,
        hardware=dict(options.get("hardware") or {"cpu": "CPU"}),
    )


def plugin_options(plugins: object) -> dict[str, dict[str, Any]]:
    """MkDocs' list of names and one-key mappings, as one mapping of name to options."""
    found: dict[str, dict[str, Any]] = {}
    for entry in plugins if isinstance(plugins, list) else []:
        for name, options in entry.items() if isinstance(entry, dict) else [(entry, None)]:
            found[str(name)] = options if isinstance(options, dict) else {}
    return found
