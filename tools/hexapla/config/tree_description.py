"""What was understood of a tree, as text: the first lines of `hexapla check`."""

import os
from collections.abc import Collection, Iterator

from hexapla.config.layout import Layout, fixed_folder
from hexapla.files import walk_files
from hexapla.frameworks.catalogs import describe_catalogs
from hexapla.git import COMMIT_DIGITS

LIKE_GITHUB = ("github", "mdc", "hugo", "rspress", "fumadocs", "unknown", "myst", "kramdown")
ID_NAMES = {**dict.fromkeys(LIKE_GITHUB, "GitHub"), "vitepress": "VitePress", "vitepress-2": "VitePress",
            "react": "React", "mintlify": "Mintlify", "hexo": "Hexo", "python-markdown": "Python-Markdown",
            "docsify": "docsify, compared by their letters",
            "loose": "its own code makes them, compared by their letters"}


def describe_pages(layout: Layout, paths: Collection[str]) -> Iterator[str]:
    """What was understood of a tree, and the files beside its pages that are none, a line each."""
    copies = {path for path in paths if layout.is_elsewhere(path)}
    paths = {*paths} - copies
    count, endings = len(layout.languages) + 1, sorted({os.path.splitext(path)[1] for path in paths})  # noqa: PTH122
    translated, told = describe_catalogs(layout.root, layout.site, layout.framework)
    count += len(translated)
    languages = f"{count} languages" if count > 1 else f"one language ({layout.source})"
    pages, copied = (f"{len(some)} pages" if len(some) != 1 else "one page" for some in (paths, copies))
    read = f"{pages} ({', '.join(endings)}), ids as {ID_NAMES.get(layout.anchors, layout.anchors)}"
    yield f"{layout.framework.name}, {languages}, {read if paths else 'no page that is read'}"
    if told:
        yield told
    if there := layout.elsewhere:
        yield f"{layout.source} is read from {there.folder} at {there.commit[:COMMIT_DIGITS]}: {copied}"
    folders = {fixed_folder(each) for each in (layout.source_pattern, layout.pattern) if not layout.is_elsewhere(each)}
    others = sorted({path for folder in folders for path in walk_files(layout.root, folder)
                     if path.endswith((".md", ".mdx", ".markdown"))}.difference(paths))
    if others:
        number = f"{len(others)} Markdown files beside them are not read" if len(others) > 1 else (
            "one Markdown file beside them is not read")
        yield f"{number}: {others[0]}{', ...' if len(others) > 1 else ''}"
