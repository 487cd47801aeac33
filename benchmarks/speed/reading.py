"""Reading the pages of a tree, and nothing else; a module of its own, so that a new process can import it."""

import time
from pathlib import Path

from hexapla.cache import Cache
from hexapla.checks.engine.checker import Checker
from hexapla.checks.engine.tree_check import tree_of
from hexapla.config.discovery import TreeOptions, find_layout


def reading(root: Path) -> tuple[int, float]:
    """How many pages the tree has, and the CPU seconds that reading each once takes."""
    store = Checker(tree_of(find_layout(TreeOptions(root)), ()), Cache(None))
    texts = [store.store.text(path) for path in store.index.owners]
    store.store.read(texts[0])
    start = time.process_time()
    for text in texts:
        store.store.read(text)
    return len(texts), time.process_time() - start
