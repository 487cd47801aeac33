"""Find the layout of a tree: from its mkdocs.yml, from options, or by looking at its folders."""

import contextlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from hexapla.config.layout import RECORDS, Layout, expression, has_records, matching, start, walk_files
from hexapla.config.mkdocs_yaml import extensions_of, plugin_options, read_settings, snippet_folders
from hexapla.config.project import Project, load_project
from hexapla.errors import ConfigError
from hexapla.files import included_file, is_own_file, is_within, read_text
from hexapla.languages import is_code

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


class TreeOptions(NamedTuple):
    """The options that name a tree of pages: `root` None for the nearest one, "" and () for what is to be detected."""

    root: Path | None = None
    layout: str = ""
    source_layout: str = ""
    source: str = ""
    languages: tuple[str, ...] = ()
    anchors: str = ""


class SnippetFolders(NamedTuple):
    """The folders that included files are looked for in, the first that has one wins."""

    folders: tuple[Path, ...]

    @property
    def evidence(self) -> tuple[Path, ...]:
        """The folders that evidence is looked for in."""
        return tuple(folder / "evidence" for folder in self.folders)

    def read(self, path: str) -> str:
        """The text of an included file. Raises OSError and ValueError."""
        file = included_file(self.folders, path)
        return read_text(file.parent, file)


def find_root(options: TreeOptions) -> Path:
    """The root of the tree that the options name: by default the nearest folder with a mkdocs.yml or a repository.

    Raises ConfigError.
    """
    root = (options.root or Path.cwd()).resolve()
    if not root.is_dir():
        raise ConfigError(f"{root} is no folder; correct --root")
    if options.root is not None or options.layout:
        return root
    above = (root, *root.parents)
    return next((each for each in above if (each / "mkdocs.yml").is_file() or (each / ".git").exists()), root)


def find_layout(options: TreeOptions) -> Layout:
    """The layout by the options, by a mkdocs.yml, or detected from the folders. Raises ConfigError."""
    root, codes, source = find_root(options), options.languages, options.source or "en"
    if options.layout:
        return layout_of_options(root, options.layout, options.source_layout, source, codes, options.anchors)
    if options.source_layout:
        raise ConfigError("--source-layout needs --layout; say where the translations lie")
    if not (root / "mkdocs.yml").is_file():
        return detect_layout(root, source, codes, options.anchors)
    settings = read_settings(root / "mkdocs.yml")
    made = layout_of_project(load_project(root), settings)
    kept = tuple(code for code in made.languages if not codes or code in codes)
    made = made._replace(languages=kept, anchors=options.anchors or made.anchors)
    if plugin_options(settings, "i18n") is not None:
        refuse_contradictions(made, codes, options.source)
        return made
    with contextlib.suppress(ConfigError):
        return detect_layout(root, source, codes, options.anchors)
    return made  # one language alone


def refuse_contradictions(made: Layout, codes: tuple[str, ...], source: str) -> None:
    """Refuse options that the project's own configuration contradicts. Raises ConfigError."""
    if source and source != made.source:
        raise ConfigError(f"--source {source!r}: mkdocs.yml says that the source is {made.source!r}; leave it out")
    unknown = set(codes) - {made.source, *made.languages}
    if unknown:
        raise ConfigError(f"--languages names {', '.join(sorted(unknown))}, which mkdocs.yml does not; correct it")


def layout_of_project(project: Project, settings: Mapping[str, Any]) -> Layout:
    """The layout of a project with the i18n plugin's folders or suffixes, or of one language without that plugin.

    `settings` is its mkdocs.yml.
    """
    if not project.docs.is_relative_to(project.root) or ".." in project.docs.parts:
        raise ConfigError(f"mkdocs.yml: docs_dir {project.docs} lies outside of {project.root}; name that with --root")
    docs = project.docs.relative_to(project.root).as_posix()
    translations = [language for language in project.languages if language is not project.source]
    i18n, extensions = plugin_options(settings, "i18n"), extensions_of(settings)
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
        extensions=extensions,
        navigation=settings.get("nav"),
        snippets=(project.snippets, *project.included),
        inclusions=inclusion_folder(extensions, project.root, project.root),
        completed=frozenset(
            language.code for language in translations if plugin_options(settings, "hexapla") is not None
            and has_records(project.root, language.derived_from or language.code)
        ),
    )


def layout_of_options(
    root: Path, pattern: str, source_pattern: str = "", source: str = "en", languages: tuple[str, ...] = (),
    anchors: str = "",
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
    found = languages or tuple(sorted(found_languages(root, pattern) | begun_languages(root) - {source}))
    settings, base = settings_of(root, first, source)
    extensions = extensions_of(settings)
    made = Layout(
        root, pattern, first, source, tuple(code for code in found if code != source),
        anchors or guess_anchors(root, first, source, settings),
        extensions=extensions,
        navigation=settings.get("nav") if settings and "{lang}" not in first else None,
        snippets=snippet_folders(extensions, base, root),
        inclusions=inclusion_folder(extensions, base, root),
    )
    made = made._replace(mdx=made.anchors == "github" and first.endswith(".mdx"))
    if not any(matching(root, made.source_pattern, source)):
        raise ConfigError(
            f"{root}: no page matches {made.source_pattern!r} for the source language {source!r}; "
            "correct --layout, --source-layout or --source"
        )
    return made


def detect_layout(root: Path, source: str = "en", languages: tuple[str, ...] = (), anchors: str = "") -> Layout:
    """The first known layout with pages of the source and of another language. Raises ConfigError."""
    for pattern, source_pattern in KNOWN:
        if any(matching(root, source_pattern or pattern, source)) and found_languages(root, pattern) - {source}:
            return layout_of_options(root, pattern, source_pattern, source, languages, anchors)
    raise ConfigError(
        f"{root}: no layout of pages in several languages is known here; name it: --layout 'docs/{{lang}}/{{page}}.md'"
    )


def found_languages(root: Path, pattern: str) -> set[str]:
    """The languages that have a folder, or a file, where the pattern says, and a code for a name."""
    before = pattern.partition("{lang}")[0]
    if before.endswith("/"):
        folder = root / before
        entries = [entry.name for entry in folder.iterdir() if entry.is_dir()] if folder.is_dir() else []
        return {name for name in entries if is_code(name) and any(matching(root, pattern, name))}
    shape = expression(pattern)
    matches = (shape.fullmatch(path) for path in walk_files(root, start(pattern)))
    return {match["lang"] for match in matches if match and is_code(match["lang"])}


def begun_languages(root: Path) -> set[str]:
    """The languages that are begun by a file of their own among the records: no page may be translated yet."""
    return {file.stem for file in (root / RECORDS).glob("*.txt") if is_code(file.stem) and is_own_file(root, file)}


def settings_of(root: Path, pattern: str, source: str) -> tuple[dict[str, Any] | None, Path]:
    """The nearest mkdocs.yml from the source's folder up to the root, and its folder; None where there is none."""
    nearest = root / start(pattern.replace("{lang}", source))
    for folder in (nearest, *nearest.parents):
        if (folder / "mkdocs.yml").is_file():
            return read_settings(folder / "mkdocs.yml"), folder
        if folder == root:
            break
    return None, root


def guess_anchors(root: Path, pattern: str, source: str, settings: dict[str, Any] | None) -> str:
    """How a tree makes ids, from the files its generator needs."""
    if settings is not None:
        return "python-markdown"
    folder = root / start(pattern.replace("{lang}", source))
    return "doc-builder" if (folder / "_toctree.yml").is_file() else "github"


def inclusion_folder(extensions: Mapping[str, Any] | None, base: Path, root: Path) -> Path | None:
    """The folder below `root` that `{* path *}` starts from (mdx_include, or FastAPI's extension), None without one."""
    if not extensions or not {"mdx_include", "markdown_include_variants"} & extensions.keys():
        return None
    options = extensions.get("mdx_include")
    folder = base / str(options.get("base_path") or ".") if isinstance(options, dict) else base
    return folder if is_within(root, folder) else None
