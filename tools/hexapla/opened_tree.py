"""Open a tree for translators: its layout, and what its sections show besides their text."""

from functools import partial

from hexapla.cache import Cache
from hexapla.config.discovery import SnippetFolders, TreeOptions, find_layout
from hexapla.config.project import load_project
from hexapla.examples.evidence_store import of_texts, recorded_outputs
from hexapla.translation.translation_tree import RecordedOutputs, TranslationTree, read_tree


def open_tree(options: TreeOptions, cache: Cache | None = None) -> TranslationTree:
    """The tree that options name; `cache` is its own by default. Raises ConfigError."""
    layout = find_layout(options)
    snippet, cache = SnippetFolders(layout.snippets).read, cache or Cache(layout.root)
    if not (layout.root / "mkdocs.yml").is_file():
        return read_tree(layout, snippet, lambda path: "", cache)
    project = load_project(layout.root)
    recordings = RecordedOutputs(project.evidence, partial(of_texts, hardware=tuple(project.hardware)))
    return read_tree(layout, snippet, recorded_outputs(project), cache, recordings)
