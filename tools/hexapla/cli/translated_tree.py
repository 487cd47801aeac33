"""The tree that a translator's command works on."""

import argparse
from functools import partial

from hexapla.cache import Cache
from hexapla.cli.options import tree_options
from hexapla.config.discovery import SnippetFolders, find_layout
from hexapla.config.project import load_project
from hexapla.examples.outputs import of_texts, outputs
from hexapla.site.texts.site_texts import ProjectTexts
from hexapla.translation.translation_tree import RecordedOutputs, TranslationTree, read_tree


def translated_tree(args: argparse.Namespace, cache: Cache | None = None) -> TranslationTree:
    """The tree that options name, with what its sections show besides their text; `cache` is its own by default."""
    layout = find_layout(tree_options(args))
    snippet, cache = SnippetFolders(layout.snippets).read, cache or Cache(layout.root)
    if not (layout.root / "mkdocs.yml").is_file():
        return read_tree(layout, snippet, lambda path: "", cache)
    project = load_project(layout.root)
    recordings = RecordedOutputs(project.evidence, partial(of_texts, hardware=tuple(project.hardware)))
    return read_tree(layout, snippet, outputs(project), cache, recordings)


def site_texts(args: argparse.Namespace) -> ProjectTexts | None:
    """The texts beside the pages of the project that options name, None for a tree without a mkdocs.yml."""
    root = find_layout(tree_options(args)).root
    return ProjectTexts(load_project(root)) if (root / "mkdocs.yml").is_file() else None
