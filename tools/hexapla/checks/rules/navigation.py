"""Compare the navigation with the pages: `nav` of a mkdocs.yml, `_toctree.yml` of Hugging Face's trees."""

from collections.abc import Iterator
from posixpath import normpath

import yaml

from hexapla.checks.finding import Finding
from hexapla.checks.site_index import SiteIndex
from hexapla.config.layout import Layout
from hexapla.files import read_text
from hexapla.yaml_text import load_yaml, texts_in

TOCTREE = "_toctree.yml"


def navigation(tree: SiteIndex) -> Iterator[Finding]:
    """`nav-missing`: entries that name no page, and pages that no entry names."""
    layout = tree.layout
    if isinstance(layout.navigation, list):
        entries = {entry for entry in texts_in(layout.navigation) if entry.endswith(".md") and "://" not in entry}
        yield from compare_navigation(tree, layout.source, entries, "mkdocs.yml")
    for language in (layout.source, *layout.languages):
        file = layout.folder(language) + TOCTREE
        if (layout.root / file).is_file():
            suffix = layout.suffix(language)
            yield from compare_navigation(tree, language, {name + suffix for name in toctree_pages(layout, file)}, file)


def compare_navigation(tree: SiteIndex, language: str, entries: set[str], file: str) -> Iterator[Finding]:
    layout, suffix = tree.layout, tree.layout.suffix(language)
    pages = tree.pages[language]
    text = read_text(layout.root, file, errors="replace").splitlines() if entries else []
    for entry in sorted(entries):
        name = normpath(entry).removesuffix(suffix)
        files = (layout.root / f"{layout.folder(layout.source)}{name}{ending}" for ending in (".md", ".mdx"))
        if name not in pages and name not in tree.pages[layout.source] and not any(file.is_file() for file in files):
            bare = entry.removesuffix(suffix)
            line = next((number for number, shown in enumerate(text, 1) if bare in shown), 1)
            yield Finding(path=file, line=line, column=1, rule="nav-missing", severity="warning", language=language,
                          message=f"this navigation names {entry}, which is no page",
                          hint="correct the path or add the page", subject=entry)
    if not entries:
        return
    for name in sorted(pages):
        if name + suffix not in entries:
            yield Finding(path=pages[name], line=1, column=1, rule="nav-missing", severity="warning",
                          language=language, message=f"no entry of {file} leads to this page",
                          hint="add it there, or delete it", subject=file)


def toctree_pages(layout: Layout, file: str) -> set[str]:
    """The pages that a `_toctree.yml` names, empty if it is not YAML."""
    try:
        text = read_text(layout.root, file)
        entries = load_yaml(text)
    except (OSError, yaml.YAMLError, UnicodeDecodeError):
        return set()
    found: set[str] = set()
    waiting = [entries]
    while waiting:
        entry = waiting.pop()
        if isinstance(entry, list):
            waiting += entry
        elif isinstance(entry, dict):
            waiting += [value for key, value in entry.items() if isinstance(value, list | dict)]
            if isinstance(entry.get("local"), str):
                found.add(entry["local"])
    return found
