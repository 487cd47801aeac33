"""The states of what violations were made of, by which a cached answer is known to stand."""

import os
from collections.abc import Callable, Sequence
from functools import cache

from hexapla.cache import digest
from hexapla.checks.engine.page_store import PageStore
from hexapla.checks.site_index import ALIASES, FIGURE, SNIPPET, SiteIndex
from hexapla.examples.figures import RecordedFigures


class DependencyStates:
    """States by the names that `SiteIndex.dependencies` collects, each looked up once.

    A page has two: its bytes' and its ids'. Another page's rules depend on its ids alone, which take longer to look up.
    """

    def __init__(
        self, index: SiteIndex, store: PageStore, figures: RecordedFigures, snippet_text: Callable[[str], str]
    ) -> None:
        self.index, self.store, self.figures, self.snippet_text = index, store, figures, snippet_text
        self.state = cache(self.current)
        self.state_of_ids = cache(self.current_ids)

    def clear(self) -> None:
        """Forget all states: files have changed."""
        self.state.cache_clear()
        self.state_of_ids.cache_clear()

    def of(self, dependency: str) -> tuple[str, str]:
        """Its state, and its ids' where it is a page."""
        return self.state(dependency), self.state_of_ids(dependency)

    def is_same(self, dependency: str, states: Sequence[str]) -> bool:
        """Whether a dependency is as it was."""
        state, state_of_ids = states
        return self.state(dependency) == state or (bool(state_of_ids) and self.state_of_ids(dependency) == state_of_ids)

    def current_ids(self, dependency: str) -> str:
        """What changes when a page's ids do, "" for what is no page."""
        if dependency not in self.index.owners:
            return ""
        ids = self.store.ids(dependency)
        return digest(*ids.headings, "", *sorted(ids.names), repr(ids.open), *ids.included)

    def current(self, dependency: str) -> str:
        """What changes when a dependency does: a page's digest, an included file's, which kind of file is there."""
        if dependency in self.index.owners:
            return self.store.digest(dependency)
        if dependency.startswith(SNIPPET):
            try:
                return digest(self.snippet_text(dependency.removeprefix(SNIPPET)))
            except (OSError, ValueError):
                return ""
        if dependency.startswith(FIGURE):
            return digest(self.figures.state(dependency.removeprefix(FIGURE)))
        if dependency == ALIASES:
            addresses = sorted(self.index.addresses.items())
            return digest(*(f"{place} {sorted(pages.items())}" for place, pages in addresses))
        file = os.path.join(self.index.layout.root, dependency)  # noqa: PTH118  # too long a name: Path raises
        return "file" if os.path.isfile(file) else "folder" if os.path.isdir(file) else ""  # noqa: PTH112, PTH113
