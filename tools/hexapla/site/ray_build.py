"""Render the pages of a build on the nodes of a Ray cluster: `HEXAPLA_RAY=ADDRESS mkdocs build`.

A task is a batch of pages, rendered by ray_node.py. Nothing is written on the nodes.
"""

import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import Any
from uuid import uuid4

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import PluginError

from hexapla.errors import ConfigError
from hexapla.ray_cluster import LostItem, batches, connect, results_of_batches
from hexapla.site import ray_node
from hexapla.site.language_site import Item, LanguageSite
from hexapla.site.page_renderer import PageContent, RenderedPage
from hexapla.site.process_pool import Failure

VARIABLE = "HEXAPLA_RAY"  # holds the cluster's address
AT_A_TIME = 16  # pages of a task


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
        try:
            for item, result in results_of_batches(self.ray, start, batches(self.ray, items, AT_A_TIME), VARIABLE):
                yield item, failure(result) if isinstance(result, LostItem) else result
        except ConfigError as error:
            raise PluginError(str(error)) from error

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


def failure(lost: LostItem) -> Failure:
    """What is told of a page that the cluster has no result for."""
    if lost.told:
        return Failure(f"{VARIABLE}: {lost.reason}", placed=True)
    return Failure(f"its process on the cluster ended: {lost.reason}")


def stays_here(site: Path, root: Path) -> list[Path]:
    """What of a project no node needs: sites that were built, and the cache."""
    return [site, site.with_name(f".{site.name}-new"), site.with_name(f".{site.name}-old"), root / ".hexapla"]


def environment(file: Path) -> dict[str, str]:
    """The variables that a configuration file names by `!ENV`, and the one that sets the date of a build."""
    lines = file.read_text(encoding="utf-8").splitlines()
    named = {name for line in lines if "!ENV" in line for name in re.findall(r"\w+", line)} | {"SOURCE_DATE_EPOCH"}
    return {name: os.environ[name] for name in sorted(named) if name in os.environ}
