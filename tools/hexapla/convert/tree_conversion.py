"""Convert a tree: every page, the navigation, and a mkdocs.yml that builds it."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import yaml

from hexapla.cldr import native_name
from hexapla.convert.conversion_records import ConversionNote, LinkIndex, Take
from hexapla.convert.doc_builder.references import documented_objects, documented_package
from hexapla.convert.doc_builder.toctree import make_navigation, read_toctree, translated_titles
from hexapla.convert.fences import portable_fences
from hexapla.convert.headings import former_ids, give_ids, note_headings
from hexapla.convert.inert_markup import SUSPECT
from hexapla.convert.prose import find_written
from hexapla.convert.source_formats import DIALECTS, Headings, SourceDialect
from hexapla.convert.source_tree import LanguageTree, check_target, language_folders, name_index, read_tree, write_tree
from hexapla.errors import ConfigError
from hexapla.pages import parse
from hexapla.pages.dialects import make_dialect
from hexapla.pages.lines import Closes, closes_longer, closes_same
from hexapla.pages.reader import read

Progress = Callable[[int, int], None]
EXTENSIONS: Mapping[str, Any] = {
    "admonition": {}, "attr_list": {}, "footnotes": {}, "md_in_html": {}, "tables": {}, "toc": {"permalink": True},
    "pymdownx.details": {}, "pymdownx.highlight": {}, "pymdownx.inlinehilite": {}, "pymdownx.superfences": {},
    "pymdownx.tabbed": {"alternate_style": True},
}


class ConvertOptions(NamedTuple):
    """What to convert; with `back`, a tree of ours to the dialect. `reference` is the published one's address."""

    source: Path
    target: Path
    dialect: str = "doc-builder"
    back: bool = False
    language: str = "en"
    reference: str = ""


class Conversion(NamedTuple):
    """What a conversion would write, by path below the target, and what it could not bring over."""

    files: Mapping[str, bytes]
    notes: tuple[ConversionNote, ...]
    pages: Mapping[str, int]  # by language


def convert_tree(options: ConvertOptions, step: Progress | None = None) -> Conversion:
    """Convert a tree in memory. Raises ConfigError."""
    check_target(options.target, options.source)
    return (convert_back if options.back else convert_to_site)(options, step or (lambda done, total: None))


def write_conversion(options: ConvertOptions, conversion: Conversion) -> None:
    """Write what was converted, whole or not at all. Raises ConfigError and OSError."""
    check_target(options.target, options.source)
    write_tree(options.target, conversion.files)


def convert_to_site(options: ConvertOptions, step: Progress) -> Conversion:
    """A tree of the dialect as a project of ours. Raises ConfigError."""
    dialect = DIALECTS[options.dialect]
    trees, notes = read_tree(options.source, options.language, dialect.folders, dialect.index_page)
    trees = with_portable_fences(trees, closes_longer, notes)
    refuse_converted(options, dialect, trees)
    headings = {code: {page: dialect.read_headings(with_unix_ends(text)) for page, text in tree.pages.items()}
                for code, tree in trees.items()}
    source = headings[options.language]
    documented = documented_objects(trees[options.language].pages, documented_package(options.reference))
    files: dict[str, bytes] = {}
    total, done = sum(len(tree.pages) for tree in trees.values()), 0
    for code, tree in trees.items():
        ids = {page: give_ids(each, source.get(page)) for page, each in headings[code].items()}
        index = link_index(headings[code], ids, frozenset(source), options.reference, documented)
        for page, text in tree.pages.items():
            take = partial(add_note, notes, f"{code}/{page}.md")
            note_headings(headings[code][page], None if code == options.language else source.get(page), take)
            made = convert_page(dialect, text, page, index, headings[code][page], ids[page], take)
            refuse_live(made, f"{code}/{page}.md")
            files[f"docs/{code}/{page}.md"] = made.encode()
            done += 1
            step(done, total)
        files |= {f"docs/{code}/{path}": data for path, data in tree.files.items()}
    if "index" not in trees[options.language].pages:
        add_note(notes, f"{options.language}/index.md", "no-home", 1, "is not there: write it, the site's first page")
    entries, shown = read_navigation(options, dialect, trees, notes)
    name = documented_package(options.reference) or options.target.name
    files["mkdocs.yml"] = mkdocs_yml(name, list(trees), options.language, entries, shown).encode()
    return Conversion(files, tuple(notes), {code: len(tree.pages) for code, tree in trees.items()})


def convert_page(
    dialect: SourceDialect, text: str, page: str, index: LinkIndex, headings: Headings, ids: list[str], take: Take
) -> str:
    """One page as it is written here; says so if it could not be taken back as it was."""
    unixed = with_unix_ends(text)
    made = dialect.to_site(unixed, page, index, headings, ids, take)
    if dialect.from_site(made, page, index) != unixed:
        take("not-reversible", 1, "cannot be taken back to every character; read the page after --to")
    return made.replace("\n", "\r\n") if unixed != text else made


def convert_back(options: ConvertOptions, step: Progress) -> Conversion:
    dialect = DIALECTS[options.dialect]
    trees, notes = read_tree(options.source / "docs", options.language, lambda root, _: language_folders(root), "index")
    trees = with_portable_fences(trees, closes_same, notes)
    files: dict[str, bytes] = {}
    total, done = sum(len(tree.pages) for tree in trees.values()), 0
    for code, tree in trees.items():
        pages = frozenset(tree.pages) | frozenset(trees[options.language].pages)
        bare = {page: dialect.from_site(with_unix_ends(text), page, LinkIndex()) for page, text in tree.pages.items()}
        headings = {page: dialect.read_headings(text) for page, text in bare.items()}
        ids = {page: [each.id or "" for each in parse(with_unix_ends(text)).headings]
               for page, text in tree.pages.items()}
        index = link_index(headings, ids, pages, options.reference, {})
        back: dict[str, str] = {}
        for page, text in tree.pages.items():
            made = dialect.from_site(with_unix_ends(text), page, index)
            back[page] = made.replace("\n", "\r\n") if with_unix_ends(text) != text else made
            done += 1
            step(done, total)
        folder = dialect.folder(code, options.language)
        named = name_index(LanguageTree(back, {}), "index", dialect.index_page, code).pages
        files |= {f"{folder}/{page}.md": text.encode() for page, text in named.items()}
        files |= {f"{folder}/{path}": data for path, data in tree.files.items()}
    return Conversion(files, tuple(notes), {code: len(tree.pages) for code, tree in trees.items()})


def with_portable_fences(
    trees: Mapping[str, LanguageTree], closes_fence: Closes, notes: list[ConversionNote]
) -> dict[str, LanguageTree]:
    """The trees with fences that end on the same lines in the dialect that they come from and in the other one."""
    return {
        code: tree._replace(pages={
            page: portable_fences(text, closes_fence, partial(add_note, notes, f"{code}/{page}.md"))
            for page, text in tree.pages.items()
        }) for code, tree in trees.items()
    }


def with_unix_ends(text: str) -> str:
    """A text with line ends as Unix has them, if all of its line ends are Windows'; else as it is."""
    return text.replace("\r\n", "\n") if text.count("\r\n") == text.count("\n") == text.count("\r") else text


def link_index(
    headings: Mapping[str, Headings], ids: Mapping[str, list[str]], source: frozenset[str], reference: str,
    documented: Mapping[str, str],
) -> LinkIndex:
    both = {page: former_ids(each, ids[page]) for page, each in headings.items() if len(each) == len(ids[page])}
    return LinkIndex(
        frozenset(headings) | source, {page: now for page, (now, was) in both.items()},
        {page: was for page, (now, was) in both.items()}, reference, documented,
    )


def add_note(notes: list[ConversionNote], path: str, kind: str, line: int, message: str) -> None:
    notes.append(ConversionNote(kind, path, line, message))


def refuse_converted(options: ConvertOptions, dialect: SourceDialect, trees: Mapping[str, LanguageTree]) -> None:
    """See that no page is ours already. Raises ConfigError."""
    for code, tree in trees.items():
        for page, text in tree.pages.items():
            if found := find_written(dialect.ours, text):
                raise ConfigError(
                    f"{code}/{page}.md:{found[0]}: {found[1]!r} is this site's own Markdown in a page of "
                    f"{options.dialect}; convert the tree as it was before, or write that part as its dialect does"
                )


def refuse_live(text: str, place: str) -> None:
    """See that nothing in a page would run. Raises ConfigError."""
    if not SUSPECT.search(text):
        return
    for markup in read(text, make_dialect("python-markdown", EXTENSIONS)).markup:
        raise ConfigError(
            f"{place}:{markup.line}: <{markup.tag}> {markup.attribute} would run a script or load a page, in a form "
            "that cannot be taken out; close its quotation marks and brackets, or take it out"
        )


def read_navigation(
    options: ConvertOptions, dialect: SourceDialect, trees: Mapping[str, LanguageTree], notes: list[ConversionNote]
) -> tuple[list[object], dict[str, Mapping[str, str]]]:
    """The navigation of the source, and its titles by language. Raises ConfigError."""
    entries = {
        code: read_toctree(tree.files[dialect.toctree].decode("utf-8", "replace"), f"{code}/{dialect.toctree}")
        for code, tree in trees.items() if dialect.toctree in tree.files
    }
    if options.language not in entries:
        return [], {}
    source = entries.pop(options.language)
    take = partial(add_note, notes, f"{options.language}/{dialect.toctree}")
    made = make_navigation(source, frozenset(trees[options.language].pages), take)
    return made, {
        code: translated_titles(source, each, partial(add_note, notes, f"{code}/{dialect.toctree}"))
        for code, each in entries.items()
    }


def mkdocs_yml(
    name: str, languages: Sequence[str], source: str, navigation: Sequence[object],
    titles: Mapping[str, Mapping[str, str]],
) -> str:
    """The configuration of a site of these languages, the source's first."""
    codes = sorted(languages, key=lambda code: (code != source, code))
    settings: dict[str, Any] = {
        "site_name": name,
        "docs_dir": "docs",
        "exclude_docs": "_*.yml",
        "theme": {"name": "material", "font": False, "features": ["content.code.copy", "navigation.footer"]},
        "plugins": [
            "search",
            {"i18n": {
                "docs_structure": "folder", "fallback_to_default": True, "reconfigure_search": False,
                "languages": [language_entry(code, source, titles.get(code, {})) for code in codes],
            }},
            "hexapla",
        ],
        "markdown_extensions": [{key: dict(value)} if value else key for key, value in EXTENSIONS.items()],
    }
    if navigation:
        settings["nav"] = list(navigation)
    return yaml.safe_dump(settings, allow_unicode=True, sort_keys=False, width=120)


def language_entry(code: str, source: str, titles: Mapping[str, str]) -> dict[str, Any]:
    """A language as the i18n plugin lists it."""
    try:
        shown = native_name(code)
    except ValueError:
        shown = code
    entry: dict[str, Any] = {"locale": code, "name": shown, **({"default": True} if code == source else {})}
    return {**entry, "nav_translations": dict(titles)} if titles else entry
