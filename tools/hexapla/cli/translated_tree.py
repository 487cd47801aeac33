"""The tree that a translator's command works on."""

import argparse

from hexapla.cache import Cache
from hexapla.cli.options import tree_options
from hexapla.config.discovery import find_layout
from hexapla.config.project import load_project
from hexapla.opened_tree import open_tree
from hexapla.site.texts.site_texts import ProjectTexts
from hexapla.translation.translation_tree import TranslationTree


def translated_tree(args: argparse.Namespace, cache: Cache | None = None) -> TranslationTree:
    """The tree that options name; `cache` is its own by default."""
    return open_tree(tree_options(args), cache)


def site_texts(args: argparse.Namespace) -> ProjectTexts | None:
    """The texts beside the pages of the project that options name, None for a tree without a mkdocs.yml."""
    root = find_layout(tree_options(args)).root
    return ProjectTexts(load_project(root)) if (root / "mkdocs.yml").is_file() else None
