"""Reading the pages of a tree, and nothing else; a module of its own, so that a new process can import it."""

import argparse
import time
from collections.abc import Sequence
from pathlib import Path

from hexapla.checks.engine import service
from hexapla.checks.engine.command import add_arguments
from hexapla.config.layout import index_pages
from hexapla.pages.reader import read


def reading(root: Path, options: Sequence[str]) -> tuple[int, float]:
    """How many pages the tree has, and the CPU seconds that reading each once takes."""
    parser = argparse.ArgumentParser()
    add_arguments(parser)
    place = service.find_layout(parser.parse_args(list(options), argparse.Namespace(root=root)))
    texts = [
        (root / path).read_text(encoding="utf-8") for pages in index_pages(place).values() for path in pages.values()
    ]
    dialect = service.dialect(place)
    read(texts[0], dialect)
    start = time.process_time()
    for text in texts:
        read(text, dialect)
    return len(texts), time.process_time() - start
