"""Where the pages of a tree lie and how its Markdown is read: from its mkdocs.yml, from options, or by looking."""

import os
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from hexapla.config.project import Project, plugin_options
from hexapla.config.project import settings as read_settings
from hexapla.errors import ConfigError
from hexapla.parsed import Parsed, anew

# Layouts of trees in the wild, tried in order where neither options nor an i18n plugin say where pages lie.
KNOWN = (
    ("docs/source/{lang}/{page}.md", ""),                # Hugging Face
    ("docs/source/{lang}/{page}.mdx", ""),
    ("chapters/{lang}/{page}.mdx", ""),
    ("docs/{lang}/docs/{page}.md", ""),                  # FastAPI
    ("i18n/{lang}/pages/{page}.md", "docs/{page}.md"),   # MCP Python SDK
    ("content/{lang}/{page}.md", ""),                    # Hugo: OpenTelemetry, Kubernetes
    ("docs/{lang}/{page}.md", ""),
    ("src/content/docs/{lang}/{page}.md", "src/content/docs/{page}.md"),
    ("docs/{page}.{lang}.md", "docs/{page}.md"),         # mkdocs-static-i18n, suffix structure
)
# ISO 639-1, and what a folder of a language may add: a region, a script. `img`, `api` and `js` are none.
CODE = (
    "(?:a[abefkmnrsvyz]|b[aeghimnors]|c[aehorsuvy]|d[aevz]|e[elnostu]|f[afijory]|g[adlnuv]|h[aeiortuyz]|i[adegikostu]|"
    "j[av]|k[agijklmnorsuvwy]|l[abgilnotuv]|m[ghiklnrsty]|n[abdeglnorvy]|o[cjmrs]|p[ailst]|qu|r[mnouw]|"
    "s[acdegiklmnoqrstuvw]|t[aeghiklnorstwy]|u[gkrz]|v[eio]|w[ao]|xh|y[io]|z[ahu]|fil|ckb|gsw|nds|yue|tzm)"
    "(?:[-_][A-Za-z0-9]{2,8}){0,2}"
)
NO_PAGES = {"node_modules", "site-packages", "__pycache__"}


class Layout(NamedTuple):
    """A tree of parallel pages below `root`.

    `pattern` and `source_pattern` are paths relative to `root` with `{lang}` and `{page}`. `languages` are the
    translations', without the source's; `fallbacks` names, for a language, those shown where it lacks a page, the
    nearest first. `extensions` is `markdown_extensions` of the tree's configuration, None where it has none;
    `navigation` is its `nav`; `inclusions` is the folder that `{* path *}` starts from, None where that is plain text.
    Pages of `derived` languages are made from another's when the site is built.
    """

    root: Path
    pattern: str
    source_pattern: str
    source: str
    languages: tuple[str, ...]
    anchors: str = "python-markdown"
    fallbacks: Mapping[str, tuple[str, ...]] = {}
    derived: frozenset[str] = frozenset()
    extensions: object = None
    navigation: object = None
    snippets: tuple[Path, ...] = ()
    inclusions: Path | None = None

    def path(self, language: str, name: str) -> str:
        """Where the page `name` of a language lies, relative to `root`."""
        return self.folder_pattern(language).replace("{lang}", language).replace("{page}", name)

    def folder_pattern(self, language: str) -> str:
        """The pattern that a language's pages follow."""
        return self.source_pattern if language == self.source else self.pattern

    def folder(self, language: str) -> str:
        """The folder that a language's pages and site paths start from, "" or with a final slash."""
        before = self.folder_pattern(language).split("{page}")[0].replace("{lang}", language)
        return before[: before.rfind("/") + 1]

    def suffix(self, language: str) -> str:
        """What follows a page's name in its path: `.md`, `.ja.md`."""
        return self.folder_pattern(language).split("{page}")[1].replace("{lang}", language)

    def shown(self, language: str) -> tuple[str, ...]:
        """The languages a page of `language` is looked for in: its own, its fallbacks, the source."""
        own = (language, *self.fallbacks.get(language, ()), self.source)
        return tuple(dict.fromkeys(own))


def of_project(project: Project, settings: Mapping[str, Any]) -> Layout:
    """The layout of a project with the i18n plugin's folders or suffixes, or of one language without that plugin.

    `settings` is its mkdocs.yml.
    """
    if not project.docs.is_relative_to(project.root) or ".." in project.docs.parts:
        raise ConfigError(f"mkdocs.yml: docs_dir {project.docs} lies outside of {project.root}; name that with --root")
    docs = project.docs.relative_to(project.root).as_posix()
    translations = [language for language in project.languages if language is not project.source]
    i18n = plugin_options(settings.get("plugins")).get("i18n")
    pattern = source = f"{docs}/{{lang}}/{{page}}.md"
    if i18n is None or i18n.get("docs_structure", "suffix") == "suffix":
        pattern, source = f"{docs}/{{page}}.{{lang}}.md", f"{docs}/{{page}}.md"
    return Layout(
        root=project.root,
        pattern=pattern,
        source_pattern=source,
        source=project.source.code,
        languages=tuple(language.code for language in translations),
        fallbacks={language.code: (language.derived_from,) for language in translations if language.derived_from},
        derived=frozenset(language.code for language in translations if language.derived_from),
        extensions=settings.get("markdown_extensions"),
        navigation=settings.get("nav"),
        snippets=(project.snippets,),
        inclusions=inclusion_folder(settings, project.root),
    )


def of_options(
    root: Path, pattern: str, source_pattern: str = "", source: str = "en", languages: tuple[str, ...] = (),
    anchors: str = "", parsed: Parsed = anew,
) -> Layout:
    """The layout that options ask for; languages not named are looked for. Raises ConfigError."""
    for name, value in (("--layout", pattern), ("--source-layout", source_pattern)):
        if value and "{page}" not in value:
            raise ConfigError(f"{name} {value!r} has no {{page}}; write it as 'docs/{{lang}}/{{page}}.md'")
        if value.startswith("/") or ".." in value.split("/"):
            raise ConfigError(f"{name} {value!r} leads out of the root; write it relative to --root")
    if "{lang}" not in pattern and len(languages) != 1:
        raise ConfigError(f"--layout {pattern!r} has no {{lang}}; name the one language with --languages")
    if "{lang}" not in pattern and not source_pattern:
        raise ConfigError(f"--layout {pattern!r} has no {{lang}}; say where the source lies with --source-layout")
    first = source_pattern or pattern
    found = languages or tuple(sorted(found_languages(root, pattern) - {source}))
    settings, base = settings_of(root, first, source, parsed)
    made = Layout(
        root, pattern, first, source, tuple(code for code in found if code != source),
        anchors or guess_anchors(root, first, source, settings),
        extensions=settings.get("markdown_extensions") if settings else None,
        navigation=settings.get("nav") if settings and "{lang}" not in first else None,
        snippets=snippet_folders(settings, base),
        inclusions=inclusion_folder(settings, base),
    )
    if not any(matching(root, made.source_pattern, source)):
        raise ConfigError(
            f"{root}: no page matches {made.source_pattern!r} for the source language {source!r}; "
            "correct --layout, --source-layout or --source"
        )
    return made


def look(
    root: Path, source: str = "en", languages: tuple[str, ...] = (), anchors: str = "", parsed: Parsed = anew
) -> Layout:
    """The first known layout with pages of the source and of another language. Raises ConfigError."""
    for pattern, source_pattern in KNOWN:
        if any(matching(root, source_pattern or pattern, source)) and found_languages(root, pattern) - {source}:
            return of_options(root, pattern, source_pattern, source, languages, anchors, parsed)
    raise ConfigError(
        f"{root}: no layout of pages in several languages is known here; name it: --layout 'docs/{{lang}}/{{page}}.md'"
    )


def walk(root: Path, folder: str) -> Iterator[str]:
    """Files below `root/folder`, as paths relative to `root`; links to folders are not followed: they may be loops."""
    base = str(root)
    for directory, names, files in os.walk(root / folder if folder else root):
        names[:] = sorted(name for name in names if not name.startswith(".") and name not in NO_PAGES)
        inside = directory[len(base) :].strip(os.sep).replace(os.sep, "/")
        for name in sorted(files):
            yield f"{inside}/{name}" if inside else name


def expression(pattern: str, language: str = "") -> re.Pattern[str]:
    """What paths of a pattern look like, with groups `lang` and `page`."""
    text = re.escape(pattern).replace(r"\{page\}", "(?P<page>.+)", 1).replace(r"\{page\}", "(?P=page)")
    code = re.escape(language) if language else "[^/]+"
    return re.compile(text.replace(r"\{lang\}", f"(?P<lang>{code})", 1).replace(r"\{lang\}", "(?P=lang)"))


def start(pattern: str) -> str:
    """The folder that all paths of a pattern lie in."""
    fixed = pattern.split("{")[0]
    return fixed[: fixed.rfind("/") + 1].rstrip("/")


def matching(root: Path, pattern: str, language: str) -> Iterator[tuple[str, str]]:
    """The pages of one language that a pattern finds: name and path."""
    shape = expression(pattern, language)
    for path in walk(root, start(pattern.replace("{lang}", language))):
        if match := shape.fullmatch(path):
            yield match["page"], path


def index(layout: Layout) -> dict[str, dict[str, str]]:
    """For each language, the source's first: the path of each page by its name."""
    found = {
        code: dict(matching(layout.root, layout.folder_pattern(code), code))
        for code in (layout.source, *layout.languages)
    }
    if layout.pattern != layout.source_pattern:
        translated = {path for code in layout.languages for path in found[code].values()}
        source = found[layout.source].items()
        found[layout.source] = {name: path for name, path in source if path not in translated}
    return found


def found_languages(root: Path, pattern: str) -> set[str]:
    """The languages that have a folder, or a file, where the pattern says, and a code for a name."""
    before = pattern.partition("{lang}")[0]
    if before.endswith("/"):
        folder = root / before
        entries = [entry.name for entry in folder.iterdir() if entry.is_dir()] if folder.is_dir() else []
        return {name for name in entries if re.fullmatch(CODE, name) and any(matching(root, pattern, name))}
    shape = expression(pattern)
    matches = (shape.fullmatch(path) for path in walk(root, start(pattern)))
    return {match["lang"] for match in matches if match and re.fullmatch(CODE, match["lang"])}


def settings_of(
    root: Path, pattern: str, source: str, parsed: Parsed = anew
) -> tuple[dict[str, Any] | None, Path]:
    """The nearest mkdocs.yml from the source's folder up to the root, and its folder; None where there is none."""
    folder = root / start(pattern.replace("{lang}", source))
    while True:
        if (folder / "mkdocs.yml").is_file():
            return read_settings(folder / "mkdocs.yml", parsed), folder
        if folder == root or root not in folder.parents:
            return None, root
        folder = folder.parent


def guess_anchors(root: Path, pattern: str, source: str, settings: dict[str, Any] | None) -> str:
    """How a tree makes ids, from the files its generator needs."""
    if settings is not None:
        return "python-markdown"
    folder = root / start(pattern.replace("{lang}", source))
    return "doc-builder" if (folder / "_toctree.yml").is_file() else "github"


def inclusion_folder(settings: Mapping[str, Any] | None, base: Path) -> Path | None:
    """Where mdx_include, or FastAPI's extension that fills the same directives, looks for files; None without them."""
    entries = (settings or {}).get("markdown_extensions") or ()
    pairs = entries.items() if isinstance(entries, dict) else [
        pair for entry in entries for pair in (entry.items() if isinstance(entry, dict) else [(entry, None)])
    ]
    asked = {str(name): options for name, options in pairs}
    if not {"mdx_include", "markdown_include_variants"} & asked.keys():
        return None
    options = asked.get("mdx_include")
    return base / str(options.get("base_path") or ".") if isinstance(options, dict) else base


def snippet_folders(settings: dict[str, Any] | None, base: Path) -> tuple[Path, ...]:
    """Where pymdownx.snippets looks for included files."""
    for entry in (settings or {}).get("markdown_extensions") or []:
        if isinstance(entry, dict) and isinstance(options := entry.get("pymdownx.snippets"), dict):
            folders = options.get("base_path") or ["."]
            return tuple(base / str(folder) for folder in ([folders] if isinstance(folders, str) else folders))
    return ()
