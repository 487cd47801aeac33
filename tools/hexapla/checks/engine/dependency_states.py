"""The states of what violations were made of, by which a cached answer is known to stand."""

import os
from collections.abc import Callable, Sequence
from functools import cache, cached_property
from typing import TYPE_CHECKING

from hexapla.cache import digest, key_of
from hexapla.checks.engine.page_store import PageStore
from hexapla.checks.site_index import ALIASES, FIGURE, SNIPPET, SiteIndex
from hexapla.file_digests import folder_states

if TYPE_CHECKING:
    from hexapla.examples.figures import RecordedFigures


class DependencyStates:
    """States by the names that `SiteIndex.dependencies` collects, each looked up once.

    A page has two: its bytes' and its ids'. Another page's rules depend on its ids alone, which take longer to look up.
    """

    def __init__(
        self, index: SiteIndex, store: PageStore, snippet_text: Callable[[str], str]
    ) -> None:
        self.index, self.store, self.snippet_text = index, store, snippet_text
        self.has_new_figures = False
        self.state = cache(self.current)
        self.state_of_ids = cache(self.current_ids)

    def clear(self) -> None:
        """Forget all states: files have changed."""
        self.state.cache_clear()
        self.state_of_ids.cache_clear()

    @cached_property
    def figures(self) -> "RecordedFigures":
        """The figures of the tree's recorded runs."""
        from hexapla.examples.figures import RecordedFigures

        return RecordedFigures(self.index.open_snippets)

    @cached_property
    def figures_key(self) -> str:
        """The key of the states of figures: all that they are made of; "" where bytes do not tell."""
        folders = [*self.index.open_snippets()]
        files = self.store.files
        states = [folder_states([each.root / "evidence"], files) for each in folders]
        code = [{file: files.digest(each.root, file) for file in map(str, each.root.glob("**/*.py"))} if of_runs else {}
                for each, of_runs in zip(folders, states, strict=True)]
        known = [(each.root, each.blocks) for each in folders]
        return key_of("figures", known, states, code) if None not in states else ""

    @cached_property
    def kept_figures(self) -> dict[str, str]:
        """The states of figures that the cache has, by their references."""
        return dict(self.store.cache.get(self.figures_key) or {}) if self.figures_key else {}

    def figure_state(self, reference: str) -> str:
        """What changes when a figure does."""
        if reference not in self.kept_figures:
            self.kept_figures[reference] = digest(self.figures.state(reference))
            self.has_new_figures = True
        return self.kept_figures[reference]

    def keep(self) -> None:
        """Keep the states of figures that were worked out."""
        if self.has_new_figures and self.figures_key:
            self.store.cache.put(self.figures_key, self.kept_figures)
            self.has_new_figures = False

    def of(self, dependency: str) -> tuple[str, str]:
        """The state of a dependency, and that of its ids where it is a page."""
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
            return self.figure_state(dependency.removeprefix(FIGURE))
        if dependency == ALIASES:
            addresses = sorted(self.index.addresses.items())
            return digest(*(f"{place} {sorted(pages.items())}" for place, pages in addresses))
        file = os.path.join(self.index.layout.root, dependency)  # noqa: PTH118  # too long a name: Path raises
        return "file" if os.path.isfile(file) else "folder" if os.path.isdir(file) else ""  # noqa: PTH112, PTH113
