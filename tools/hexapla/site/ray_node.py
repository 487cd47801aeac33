"""Render pages on a node of a Ray cluster, in a folder with the project's files: the other end of ray_build.py.

A process makes the site in all languages once for a build. What only the first machine knows is sent: the command's
options, variables that mkdocs.yml names, and what git knows of translations.
"""

import os
import signal
import socket
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.metadata import EntryPoint
from logging import ERROR
from pathlib import Path
from tempfile import TemporaryDirectory
from types import FrameType
from typing import Any, NamedTuple, TypeVar

from jinja2 import Environment
from mkdocs.config import load_config
from mkdocs.config.defaults import MkDocsConfig

from hexapla.errors import ConfigError
from hexapla.site.language_site import Item, LanguageSite, make_environment, make_language_sites
from hexapla.site.page_cache import PACKAGES, installed
from hexapla.site.page_renderer import (
    PageContent,
    RenderedPage,
    recorded_messages,
    render_content,
    render_page,
    set_content,
    set_title,
)
from hexapla.site.process_pool import SECONDS, Failure, result_of
from hexapla.site.translation_status import KnownPage

Made = TypeVar("Made")
Titles = Mapping[Item, tuple[str | None, Mapping[str, Any]]]  # titles and front matter


class NodeBuild(NamedTuple):
    """A build as nodes have to know it.

    `config_file` is a path below the project's folder, `pages` are the paths of each language's pages, in order.
    """

    config_file: str
    site_url: str | None
    use_directory_urls: bool
    environment: Mapping[str, str]
    packages: Sequence[str]
    pages: Sequence[Sequence[str]]
    statuses: Mapping[tuple[str, str], KnownPage]


@dataclass
class NodeSite:
    """The site of a build in this process; `env` is made when the titles of all pages are known."""

    config: MkDocsConfig
    events: Any
    sites: Sequence[LanguageSite]
    env: Environment | None = None


class OutOfTimeError(BaseException):
    """A page takes too long; not an Exception, which what renders it may catch."""


_made: dict[str, NodeSite] = {}  # by the build's id, one at a time


def rendering_packages() -> tuple[str, ...]:
    """The packages that decide what a page looks like, with their versions here."""
    return tuple(map(installed, (*PACKAGES, "markdown", "pygments")))


def page_paths(sites: Sequence[LanguageSite]) -> list[list[str]]:
    """The paths of the pages of each site."""
    return [[file.src_uri for file in site.pages] for site in sites]


def render_contents(build: str, described: Sequence[Any], items: Sequence[Item]) -> Sequence[PageContent | Failure]:
    """The contents of pages. `described` holds a reference to the NodeBuild, which is fetched once a process."""
    return rendered(items, lambda: node_site(build, described), content_of)


def render_pages(
    build: str, described: Sequence[Any], items: Sequence[Item], contents: Sequence[PageContent]
) -> Sequence[RenderedPage | Failure]:
    """Whole pages of these contents; `described` also holds a reference to the titles of all pages."""

    def site() -> NodeSite:
        made = node_site(build, described)
        if made.env is None:
            titles: Titles = fetch(described[1])
            for (number, path), (title, meta) in titles.items():
                set_title(made.sites[number], path, title, meta)
            made.env = make_environment(made.sites, made.config)
        for (number, path), content in zip(items, contents, strict=True):
            set_content(made.sites[number], path, content)
        return made

    return rendered(items, site, page_of)


def content_of(made: NodeSite, item: Item) -> PageContent:
    """The content of a page."""
    return render_content(made.sites[item[0]], item[1], made.events)


def page_of(made: NodeSite, item: Item) -> RenderedPage:
    """A whole page."""
    assert made.env is not None
    return render_page(made.sites[item[0]], item[1], made.env)


def rendered(
    items: Sequence[Item], site: Callable[[], NodeSite], render: Callable[[NodeSite, Item], Made]
) -> list[Made | Failure]:
    """What `render` makes of each item; where the site cannot be made, each fails with the same sentence."""
    with recorded_messages() as messages:
        try:
            made = site()
        except (Exception, SystemExit) as error:  # MkDocs' Abort is both
            told = [each.text for each in messages if each.level >= ERROR] or [str(error) or type(error).__name__]
            return [Failure(f"on the node {socket.gethostname()}: {' '.join(told)}", placed=True) for _ in items]
    return [in_time(made, item, render) for item in items]


def in_time(made: NodeSite, item: Item, render: Callable[[NodeSite, Item], Made]) -> Made | Failure:
    """What `render` makes of an item, unless it takes too long."""
    try:
        with time_limit(SECONDS):
            return result_of(lambda each: render(made, each), item)
    except OutOfTimeError:
        return Failure(f"it took longer than {SECONDS:.0f} seconds and was stopped")


@contextmanager
def time_limit(seconds: float) -> Iterator[None]:
    """Raise OutOfTimeError inside after so many seconds, where the system has alarms."""
    if not hasattr(signal, "setitimer"):
        yield
        return

    def stop(number: int, frame: FrameType | None) -> None:
        raise OutOfTimeError

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def node_site(build: str, described: Sequence[Any]) -> NodeSite:
    """The site of a build, made once in this process."""
    if build not in _made:
        _made.clear()
        _made[build] = make_node_site(fetch(described[0]))
    return _made[build]


def fetch(reference: Any) -> Any:
    """An object of the cluster."""
    import ray

    return ray.get(reference)


def make_node_site(build: NodeBuild) -> NodeSite:
    """Load the configuration in the working directory and make the site in all languages. Raises ConfigError."""
    if differing := [each for each in rendering_packages() if each not in build.packages]:
        raise ConfigError(
            f"it has {', '.join(differing)}, unlike the machine that builds; install the same packages on every node"
        )
    os.environ.update(build.environment)
    plugins: Any = MkDocsConfig.plugins
    if "hexapla" not in plugins.installed_plugins:  # hexapla itself comes with the job
        own = EntryPoint("hexapla", "hexapla.site.plugin:HexaplaPlugin", "mkdocs.plugins")
        plugins.installed_plugins["hexapla"] = own
    with TemporaryDirectory() as scratch:
        config = load_config(
            build.config_file, site_url=build.site_url, use_directory_urls=build.use_directory_urls,
            site_dir=str(Path(scratch, "site")), strict=False,
        )
        events: Any = config.plugins["hexapla"]
        config.plugins.on_startup(command="build", dirty=False)
        events.mkdocs_builds = False
        sites = make_language_sites(config, serving=False)
        events.status.know(build.statuses)
        events.on_shutdown()
    if page_paths(sites) != build.pages:
        here, there = ({path for paths in each for path in paths} for each in (page_paths(sites), build.pages))
        raise ConfigError(
            f"other pages than on the machine that builds ({', '.join(sorted(here ^ there)[:3]) or 'their order'}); "
            "nodes get the files that .gitignore does not name"
        )
    return NodeSite(config, events, sites)
