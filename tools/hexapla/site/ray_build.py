"""Render the pages of a build on the nodes of a Ray cluster: `HEXAPLA_RAY=ADDRESS mkdocs build`.

A task is a batch of pages, rendered by ray_node.py. Ray runs it again where its node goes away; where it ends its
process each page gets a task of its own, so that the one that did it is found. Nothing is written on the nodes.
"""

import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import Any, Generic, TypeVar
from uuid import uuid4

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import PluginError

from hexapla.errors import ConfigError
from hexapla.ray_cluster import PATIENCE, RETRIES, connect, some_node_has
from hexapla.site import ray_node
from hexapla.site.language_site import Item, LanguageSite
from hexapla.site.page_renderer import PageContent, RenderedPage
from hexapla.site.process_pool import Failure

VARIABLE = "HEXAPLA_RAY"  # holds the cluster's address
BATCH_RETRIES = 1  # of a task with several pages; then each page has a task
CORE = {"CPU": 1.0}  # what a task needs
AT_A_TIME = 16  # pages of a task
Result = TypeVar("Result")


class RayPool(Generic[Result]):
    """Batches of pages at work. `start` makes a task of pages, to be run again so many times if it is lost."""

    def __init__(self, ray: Any, start: Callable[[Sequence[Item], int], Any]) -> None:
        self.ray = ray
        self.start = start
        self.running: dict[Any, Sequence[Item]] = {}

    def submit(self, items: Sequence[Item]) -> None:
        """Add a task."""
        self.running[self.start(items, BATCH_RETRIES if len(items) > 1 else RETRIES)] = items

    def all_results(self) -> Iterator[tuple[Item, Result | Failure]]:
        """Every result, as tasks end. Raises PluginError where no node is left."""
        while self.running:
            ended, _ = self.ray.wait([*self.running], timeout=PATIENCE)
            for reference in ended:
                yield from self._results(reference, self.running.pop(reference))
            if not ended and not some_node_has(CORE, self.ray):
                raise PluginError(f"{VARIABLE}: the cluster has no node with a CPU; add one with `ray start`")

    def _results(self, reference: Any, items: Sequence[Item]) -> Iterator[tuple[Item, Result | Failure]]:
        errors = self.ray.exceptions
        try:
            yield from zip(items, self.ray.get(reference), strict=True)
        except (errors.RayTaskError, errors.RuntimeEnvSetupError) as error:  # another process would end the same
            lines = [line for line in str(error).splitlines() if line.strip()] or [type(error).__name__]
            yield from ((item, Failure(f"{VARIABLE}: {lines[-1].strip()}", placed=True)) for item in items)
        except errors.RayError as error:
            if len(items) > 1:
                for item in items:
                    self.submit([item])
            else:
                reason = next(iter(str(error).splitlines()), type(error).__name__)
                yield items[0], Failure(f"its process on the cluster ended: {reason}")

    def close(self) -> None:
        """Stop all work."""
        for reference in self.running:
            self.ray.cancel(reference, force=True)
        self.running.clear()


class RayRenderer:
    """Renders the pages of one build; connects when there is a page to render. Raises PluginError."""

    def __init__(self, address: str, config: MkDocsConfig, events: Any, sites: Sequence[LanguageSite]) -> None:
        self.address = address
        self.config = config
        self.events = events
        self.sites = sites
        self.id = uuid4().hex

    @cached_property
    def ray(self) -> Any:
        """The module ray, connected."""
        root = self.events.config_file.parent
        try:
            if not Path(self.config.docs_dir).resolve().is_relative_to(root):
                raise ConfigError(
                    f"{VARIABLE}: nodes get the folder of mkdocs.yml, and docs_dir is outside; move mkdocs.yml above it"
                )
            ray = connect(self.address, root, VARIABLE, stays_here(self.events.staged.site, root))
        except ConfigError as error:
            raise PluginError(str(error)) from error
        return ray

    @cached_property
    def described(self) -> Any:
        """A reference to the build as nodes have to know it."""
        file = self.events.config_file
        return self.ray.put(ray_node.NodeBuild(
            file.name, self.config.site_url, self.config.use_directory_urls, environment(file),
            ray_node.rendering_packages(), ray_node.page_paths(self.sites), self.events.status.every_page(),
        ))

    def contents(self, items: Sequence[Item]) -> Iterator[tuple[Item, PageContent | Failure]]:
        """The contents of pages."""
        if items:
            remote = self.ray.remote(ray_node.render_contents)

            def start(batch: Sequence[Item], retries: int) -> Any:
                return remote.options(num_cpus=1, max_retries=retries).remote(self.id, [self.described], batch)

            yield from self._spread(items, start)

    def pages(
        self, items: Sequence[Item], contents: Mapping[Item, PageContent]
    ) -> Iterator[tuple[Item, RenderedPage | Failure]]:
        """Whole pages; `contents` are those of all pages."""
        if items:
            remote = self.ray.remote(ray_node.render_pages)
            titles = self.ray.put({item: (content.title, content.meta) for item, content in contents.items()})

            def start(batch: Sequence[Item], retries: int) -> Any:
                shown = [contents[item] for item in batch]
                described = [self.described, titles]
                return remote.options(num_cpus=1, max_retries=retries).remote(self.id, described, batch, shown)

            yield from self._spread(items, start)

    def _spread(
        self, items: Sequence[Item], start: Callable[[Sequence[Item], int], Any]
    ) -> Iterator[tuple[Item, Any]]:
        cores = int(self.ray.cluster_resources().get("CPU", 1))
        size = max(1, min(AT_A_TIME, len(items) // (2 * max(1, cores))))
        pool: RayPool[Any] = RayPool(self.ray, start)
        try:
            for at in range(0, len(items), size):
                pool.submit(items[at:at + size])
            yield from pool.all_results()
        finally:
            pool.close()

    def close(self) -> None:
        """Leave the cluster."""
        if "ray" in vars(self):
            self.ray.shutdown()


@contextmanager
def open_renderer(
    config: MkDocsConfig, events: Any, sites: Sequence[LanguageSite]
) -> Iterator[RayRenderer | None]:
    """The cluster that the environment names, None without one."""
    if not (address := os.environ.get(VARIABLE, "")):
        yield None
        return
    renderer = RayRenderer(address, config, events, sites)
    try:
        yield renderer
    finally:
        renderer.close()


def stays_here(site: Path, root: Path) -> list[Path]:
    """What of a project no node needs: sites that were built, and the cache."""
    return [site, site.with_name(f".{site.name}-new"), site.with_name(f".{site.name}-old"), root / ".hexapla"]


def environment(file: Path) -> dict[str, str]:
    """The variables that a configuration file names by `!ENV`, and the one that sets the date of a build."""
    lines = file.read_text(encoding="utf-8").splitlines()
    named = {name for line in lines if "!ENV" in line for name in re.findall(r"\w+", line)} | {"SOURCE_DATE_EPOCH"}
    return {name: os.environ[name] for name in sorted(named) if name in os.environ}
