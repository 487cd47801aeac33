"""Find the layout of a tree: from its mkdocs.yml, from options, or by looking at its folders."""

import contextlib
from collections.abc import Mapping
from pathlib import Path, PureWindowsPath
from typing import Any, NamedTuple

from hexapla.config.checks_config import OTHER_SETTINGS, own_settings
from hexapla.config.layout import (
    RECORDS,
    Layout,
    fixed_folder,
    found_languages,
    has_records,
    is_translation,
    match_pages,
    pages_of,
)
from hexapla.config.mkdocs_yaml import extensions_of, plugin_options, read_settings, snippet_folders
from hexapla.config.project import Project, load_project
from hexapla.config.recognition import FoundSite, content_pages, find_site, marking_files, plain_site
from hexapla.config.source_copy import copy_source, split_revision
from hexapla.errors import ConfigError
from hexapla.files import included_file, is_own_file, is_within, read_text
from hexapla.frameworks.catalogs import po_files
from hexapla.frameworks.framework import Framework
from hexapla.frameworks.registry import BY_KEY, FRAMEWORKS, PLAIN
from hexapla.languages import is_code
from hexapla.pages.lines import PYTHON_MARKDOWN

OWN_FILES = ("mkdocs.yml", "hexapla.toml", ".git")  # of which one stands in the root of a tree


class TreeOptions(NamedTuple):
    """The options that name a tree of pages: `root` None for the nearest one, "" and () for what is to be detected."""

    root: Path | None = None
    layout: str = ""
    source_layout: str = ""
    source: str = ""
    languages: tuple[str, ...] = ()
    anchors: str = ""
    framework: str = ""
    source_repo: str = ""


TREE_SETTINGS = {name.replace("_", "-"): name for name in TreeOptions._fields[1:]}  # keys of `[tool.hexapla]`


class SnippetFolders(NamedTuple):
    """The folders that included files are looked for in, the first that has one wins."""

    folders: tuple[Path, ...]

    def read(self, path: str) -> str:
        """The text of an included file. Raises OSError and ValueError."""
        file = included_file(self.folders, path)
        return read_text(file.parent, file)


def find_root(options: TreeOptions) -> Path:
    """The root of the tree that options name, else the nearest folder with one of OWN_FILES. Raises ConfigError."""
    root = (options.root or Path.cwd()).resolve()
    if not root.is_dir():
        raise ConfigError(f"{root} is no folder; correct --root")
    if options.root is not None or options.layout:
        return root
    above = (root, *root.parents)
    return next((each for each in above if any((each / name).exists() for name in OWN_FILES)), root)


def find_layout(options: TreeOptions) -> Layout:
    """The layout by the options, by the tree's settings, by a mkdocs.yml, or detected. Raises ConfigError."""
    root = find_root(options)
    options = with_settings(root, options)
    return layout_beside(root, options) if options.source_repo else layout_of_tree(root, options)


def layout_of_tree(root: Path, options: TreeOptions) -> Layout:
    """The layout of a tree that has its source. Raises ConfigError."""
    codes, source = options.languages, options.source
    if options.framework and options.framework not in BY_KEY:
        raise ConfigError(f"--framework {options.framework!r} is none; there are {', '.join(sorted(BY_KEY))}")
    if options.layout:
        return layout_of_options(root, options.layout, options.source_layout, source or "en", codes, options.anchors,
                                 options.framework)
    if options.source_layout:
        raise ConfigError("--source-layout needs --layout; say where the translations lie")
    if not (root / "mkdocs.yml").is_file() or options.framework not in ("", "mkdocs"):
        return detect_layout(root, source, codes, options.anchors, options.framework)
    settings = read_settings(root / "mkdocs.yml")
    made = layout_of_project(load_project(root), settings)
    kept = tuple(code for code in made.languages if not codes or code in codes)
    made = made._replace(languages=kept, anchors=options.anchors or made.anchors)
    if plugin_options(settings, "i18n") is not None:
        refuse_contradictions(made, codes, options.source)
        return made
    return beside_settings(root, options) or made  # one language alone


def beside_settings(root: Path, options: TreeOptions) -> Layout | None:
    """The layout of pages in several languages that a mkdocs.yml does not name, None without them.

    Raises ConfigError where there are those of another site too.
    """
    given = root, options.source, options.languages, options.anchors
    try:
        found = detect_layout(*given, options.framework)
        return found if found.languages else None
    except ConfigError:
        own = None
        with contextlib.suppress(ConfigError):
            own = None if options.framework else detect_layout(*given, "mkdocs")
        if own and own.languages:
            raise
        return None


def layout_beside(root: Path, options: TreeOptions) -> Layout:
    """The layout of a tree of translations with the source of another repository. Raises ConfigError."""
    elsewhere = copy_source(root, options.source_repo)
    pattern, source = source_pages(root / elsewhere.copies, elsewhere.folder, options)
    here = layout_of_translations(root, options)
    languages = tuple(code for code in here.languages if code != source)
    if not languages:
        raise ConfigError(f"{root}: its pages are taken for the source's language {source!r}; "
                          "name theirs with --languages, or the source's with --source")
    made = here._replace(source_pattern=f"{elsewhere.copies}{pattern}", source=source, languages=languages,
                         elsewhere=elsewhere)
    names = pages_of(made, source)
    if not any(is_translation(pages_of(made, code), names) for code in languages):
        raise ConfigError(f"{root}: no page of {made.pattern!r} is named as one of {pattern!r} in "
                          f"{elsewhere.folder}; say where they lie with --layout and --source-layout")
    return made


def source_pages(copies: Path, folder: Path, options: TreeOptions) -> tuple[str, str]:
    """The pattern of the source's pages in copies of another repository's, and its code. Raises ConfigError."""
    if options.source_layout:
        return options.source_layout.replace("{lang}", options.source or "en"), options.source or "en"
    try:
        found = layout_of_tree(copies, TreeOptions(source=options.source))
    except ConfigError as error:
        raise ConfigError(str(error).replace(str(copies), str(folder)).replace("--root", "--source-repo")) from error
    return found.source_pattern.replace("{lang}", found.source), found.source


def layout_of_translations(root: Path, options: TreeOptions) -> Layout:
    """The layout of a tree that has translations alone: its languages are those with pages. Raises ConfigError."""
    codes, given = options.languages, options.layout
    if given:
        codes = codes or tuple(sorted(found_languages(root, given)))
        if not codes:
            raise ConfigError(f"{root}: no page matches {given!r}; correct --layout, or name --languages")
        found = layout_of_tree(root, options._replace(source_layout=given, source=codes[0], languages=codes))
        return found._replace(languages=codes)
    found = layout_of_tree(root, options._replace(source="", source_layout="", languages=()))
    others = tuple(code for code in found.languages if pages_of(found, code))
    if found.pattern == found.source_pattern and "{lang}" in found.pattern:
        others = (found.source, *others)
    if others:
        return found._replace(languages=codes or others)
    return found._replace(pattern=found.source_pattern, languages=codes[:1] or (found.source,))


def with_settings(root: Path, options: TreeOptions) -> TreeOptions:
    """The options, those that are not given taken from `[tool.hexapla]` of the tree. Raises ConfigError."""
    place, settings = own_settings(root)
    given: dict[str, Any] = {}
    if unknown := sorted(settings.keys() - OTHER_SETTINGS - TREE_SETTINGS.keys()):
        raise ConfigError(f"{place}.{unknown[0]} is none; of a tree there are {', '.join(TREE_SETTINGS)}")
    for key, name in TREE_SETTINGS.items():
        value = settings.get(key)
        if key == "languages" and isinstance(value, list) and all(isinstance(code, str) for code in value):
            value = tuple(value)
        elif value is not None and (key == "languages" or not isinstance(value, str)):
            form = '["ja", "zh"]' if key == "languages" else f'{key} = "..."'
            raise ConfigError(f"{place}.{key} is {value!r}; write it as {form}")
        if value and not getattr(options, name):
            given[name] = own_source(root, place, str(value)) if key == "source-repo" else value
    return options._replace(**given)


def own_source(root: Path, place: str, named: str) -> str:
    """What a setting names as the source's repository, from the root. Raises ConfigError where it leads out of there.

    A tree may come from anybody: what it names is looked at on the disk when its words are known to stay in it.
    """
    words = PureWindowsPath(named)  # which knows the separators, drives and roots of every system
    if words.anchor or ".." in words.parts or not is_within(root, split_revision(str(root / named))[0]):
        raise ConfigError(f"{place}.source-repo is {named!r}; a setting names a folder of the tree: "
                          f"give another one as --source-repo {named}")
    return str(root / named)


def refuse_contradictions(made: Layout, codes: tuple[str, ...], source: str) -> None:
    """Refuse options that the project's own configuration contradicts. Raises ConfigError."""
    if source and source != made.source:
        raise ConfigError(f"--source {source!r}: mkdocs.yml says that the source is {made.source!r}; leave it out")
    unknown = set(codes) - {made.source, *made.languages}
    if unknown:
        raise ConfigError(f"--languages names {', '.join(sorted(unknown))}, which mkdocs.yml does not; correct it")


def layout_of_project(project: Project, settings: Mapping[str, Any]) -> Layout:
    """The layout of a project by its mkdocs.yml: the i18n plugin's folders or suffixes, or one language."""
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
        framework=BY_KEY["mkdocs"],
        run_blocks=project.run_blocks,
    )


def layout_of_options(
    root: Path, pattern: str, source_pattern: str = "", source: str = "en", languages: tuple[str, ...] = (),
    anchors: str = "", framework: str = "",
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
    settings, base = settings_of(root, first, source)
    chosen = BY_KEY[framework] if framework else guess_framework(root, first, source, settings)
    named = "python-markdown" if anchors in PYTHON_MARKDOWN else anchors
    if anchors and not framework and chosen.ids != named:
        chosen = next((each for each in reversed(FRAMEWORKS) if each.ids == named), chosen)  # the least special one
    found = languages or tuple(sorted(found_languages(root, pattern) | begun_languages(root) - {source}))
    made = complete_layout(Layout(
        root, pattern, first, source, tuple(code for code in found if code != source), anchors or chosen.ids,
        framework=chosen, mdx=first.endswith(chosen.mdx or ()) or (
            not chosen.marks and (anchors or chosen.ids) == "github" and first.endswith(".mdx")),
    ), settings, base)
    if not any(match_pages(root, made.source_pattern, source)):
        raise ConfigError(
            f"{root}: no page matches {made.source_pattern!r} for the source language {source!r}; "
            "correct --layout, --source-layout or --source"
        )
    return made


def complete_layout(layout: Layout, settings: dict[str, Any] | None, base: Path) -> Layout:
    """The layout with what a mkdocs.yml in the folder `base` says of it, None where there is none."""
    extensions = extensions_of(settings)
    return layout._replace(
        extensions=extensions,
        navigation=settings.get("nav") if settings and "{lang}" not in layout.source_pattern else None,
        snippets=snippet_folders(extensions, base, layout.root),
        inclusions=inclusion_folder(extensions, base, layout.root),
    )


def detect_layout(
    root: Path, source: str = "", languages: tuple[str, ...] = (), anchors: str = "", framework: str = ""
) -> Layout:
    """The layout of the site that is recognised, or the first known one in several languages. Raises ConfigError."""
    content_pages.cache_clear()
    po_files.cache_clear()
    site = find_site(root, source, framework)
    if not framework and not (site and site.languages):
        plain = plain_site(root, source)
        site = plain if plain and plain.languages else site
    if site is None:
        raise ConfigError(
            f"{root}: no pages in several languages and no site's files are known here; "
            "name them: --layout 'docs/{lang}/{page}.md', or the framework: --framework NAME"
        )
    return layout_of_site(root, site, languages, anchors)


def layout_of_site(root: Path, site: FoundSite, languages: tuple[str, ...], anchors: str) -> Layout:
    """The layout of a site that was recognised; languages not named are those that were found or begun."""
    found = languages or tuple(sorted({*site.languages} | begun_languages(root) - {site.source}))
    settings, base = settings_of(root, site.source_pattern, site.source)
    chosen = site.framework if site.framework is not PLAIN else guess_framework(
        root, site.source_pattern, site.source, settings)
    ids = anchors or site.ids or ("unknown" if chosen is PLAIN else chosen.ids)
    return complete_layout(Layout(
        root, site.pattern, site.source_pattern, site.source, tuple(code for code in found if code != site.source),
        ids, endings=chosen.endings, framework=chosen, site=site.folder,
        mdx=bool(chosen.mdx), lenient=site.lenient, plugin_ids=site.plugin_ids,
    ), settings, base)


def begun_languages(root: Path) -> set[str]:
    """The languages that are begun by a file of their own among the records: no page may be translated yet."""
    return {file.stem for file in (root / RECORDS).glob("*.txt") if is_code(file.stem) and is_own_file(root, file)}


def settings_of(root: Path, pattern: str, source: str) -> tuple[dict[str, Any] | None, Path]:
    """The nearest mkdocs.yml from the source's folder up to the root, or that of its language, and its folder."""
    nearest = root / fixed_folder(pattern.replace("{lang}", source))
    around = [each for each in (nearest, *nearest.parents) if is_within(root, each)]
    for folder in (*around, root / "config" / source):
        if (folder / "mkdocs.yml").is_file():
            return read_settings(folder / "mkdocs.yml"), folder
    return None, root


def guess_framework(root: Path, pattern: str, source: str, settings: dict[str, Any] | None) -> Framework:
    """The framework of a tree whose pages' places are given: by the files that it needs."""
    if settings is not None:
        return BY_KEY["mkdocs"]
    folder = root / fixed_folder(pattern.replace("{lang}", source))
    if (folder / "_toctree.yml").is_file():
        return BY_KEY["hugging-face"]
    around = (each.relative_to(root).as_posix() for each in (folder, *folder.parents) if is_within(root, each))
    places = ["" if each == "." else f"{each}/" for each in around]
    return next((each for place in places for each in FRAMEWORKS if marking_files(root, place, each)), PLAIN)


def inclusion_folder(extensions: Mapping[str, Any] | None, base: Path, root: Path) -> Path | None:
    """The folder below `root` that `{* path *}` starts from (mdx_include, or FastAPI's extension), None without one."""
    if not extensions or not {"mdx_include", "markdown_include_variants"} & extensions.keys():
        return None
    options = extensions.get("mdx_include")
    folder = base / str(options.get("base_path") or ".") if isinstance(options, dict) else base
    return folder if is_within(root, folder) else None
