"""A page in two steps, as MkDocs renders it: its content out of its Markdown, and the whole page out of its template.

The first step needs the page and what it reads. The second needs the titles of all pages, which the navigation shows.
"""

import logging
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple, Protocol, cast

from jinja2 import Environment
from mkdocs.commands.build import get_context
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page
from mkdocs.structure.toc import AnchorLink, get_toc

from hexapla.checks.engine.time_limit import TimeLimit, TimeLimitError
from hexapla.errors import ConfigError
from hexapla.site.language_site import LanguageSite
from hexapla.site.last_change import report_address
from hexapla.site.page.page_additions import PageIdentity
from hexapla.site.page.page_extension import RenderingPage
from hexapla.site.page.page_inputs import PageInputs, Reading, SiteInputs
from hexapla.site.page.site_files import as_localized_file
from hexapla.site.page.snippet_pages import colab_root
from hexapla.site.process_pool import TOO_LONG, PlacedError
from hexapla.site.search.search_sections import SearchEntry

LOG = logging.getLogger("mkdocs")


class LoggedMessage(NamedTuple):
    """What was logged while a page was rendered."""

    logger: str
    level: int
    text: str


class PageContent(NamedTuple):
    """A page's rendered Markdown and what else of it is known then.

    `toc` is as the toc extension has it, `links` maps the paths of files to the anchors that the page links to there,
    with the link as it is written. `for_programs` is the page's Markdown as programs read it, "" where none is
    written. `entry` is None for a page that is not searched. `readings` are digests by what was read.
    """

    markdown: str
    meta: Mapping[str, object]
    html: str
    title: str | None
    toc: Sequence[Any]  # MkDocs' type of an entry is private
    anchors: Sequence[str]
    links: Mapping[str, Mapping[str, str]]
    for_programs: str
    entry: SearchEntry | None
    messages: Sequence[LoggedMessage]
    readings: Sequence[tuple[Reading, str]]

    def arguments_read(self, kind: str) -> set[str]:
        """What a page read of a kind: the paths of snippets for "code", of files for "link"."""
        return {reading[1] for reading, _ in self.readings if reading[0] == kind}


class RenderedPage(NamedTuple):
    """The HTML of a whole page, and the messages that rendering it logged."""

    html: str
    messages: Sequence[LoggedMessage]


class PageState(NamedTuple):
    """What the events of a page whose content is rendered pass on: what it reads, what is made of it, its search entry.

    `for_programs` is its Markdown as programs read it.
    """

    inputs: PageInputs
    rendering: RenderingPage | None = None
    entry: SearchEntry | None = None
    for_programs: str = ""


class PageEvents(Protocol):
    """Where the plugin keeps the state of the page whose events were called last."""

    page: PageState


class ReadFiles:
    """The files of a site as MkDocs asks for them while it renders a page: what links lead to is noted."""

    def __init__(self, inputs: PageInputs, files: Files) -> None:
        self._inputs = inputs
        self._files = files

    def __getattr__(self, name: str) -> object:
        return getattr(self._files, name)

    def get_file_from_path(self, path: str) -> File | None:
        """The file that a link leads to."""
        self._inputs.read(SiteInputs.link, path)
        return self._files.get_file_from_path(path)


class MessageRecorder(logging.Handler):
    """A logging handler that records messages from a level on."""

    def __init__(self, level: int = logging.NOTSET) -> None:
        super().__init__(level)
        self.messages: list[LoggedMessage] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.messages.append(LoggedMessage(record.name, record.levelno, record.getMessage()))


@contextmanager
def recorded_messages() -> Iterator[list[LoggedMessage]]:
    """What MkDocs and its plugins log meanwhile, which is not printed."""
    recorder, handlers, propagate = MessageRecorder(), LOG.handlers, LOG.propagate
    LOG.handlers, LOG.propagate = [recorder], False
    try:
        yield recorder.messages
    finally:
        LOG.handlers, LOG.propagate = handlers, propagate


def log_again(messages: Sequence[LoggedMessage]) -> None:
    """Log messages again that were recorded before."""
    for each in messages:
        logging.getLogger(each.logger).log(each.level, "%s", each.text)


def identify_page(page: Page, reader: str, derived: bool, config: MkDocsConfig) -> PageIdentity:
    """Which page of the site this is, for readers of a language."""
    file, hardware = as_localized_file(page.file), str(page.meta.get("hardware") or "")
    name, repository = file.norm_src_uri.removesuffix(".md"), config.repo_url or ""
    report = report_address(repository, name, file.locale, str(config.extra.get("release") or ""))
    colab = colab_root(repository, config.remote_branch)
    return PageIdentity(page.url, name, file.locale, reader, derived, hardware, colab, report,
                        provenance=config.extra.get("provenance") is True)


def render_content(site: LanguageSite, path: str, events: PageEvents) -> PageContent:
    """The content of the page at `path`, by MkDocs' events. Raises whatever they raise."""
    site.enter()
    config, files, page = site.config, site.files, site.page(path)
    plugins = config.plugins
    if path not in site.titled:
        vars(page).pop("title", None)  # which was set before: now the page tells it
    with recorded_messages() as messages:
        read_markdown(site, page)
        page.render(config, cast(Files, ReadFiles(events.page.inputs, files)))
        page.content = plugins.on_page_content(page.content or "", page=page, config=config, files=files)
    links = {file.src_uri: dict(anchors) for file, anchors in (page.links_to_anchors or {}).items()}
    # `title: 2024` in the front matter is a number, and a date may stand there too.
    title = None if path in site.titled or page.title is None else str(page.title)
    return PageContent(
        page.markdown or "", dict(page.meta), page.content, title,
        [toc_token(each) for each in page.toc], sorted(filter(None, page.present_anchor_ids or ())), links,
        events.page.for_programs, events.page.entry, messages, tuple(events.page.inputs.readings.items()),
    )


def limit_rendering(page: Page, docs: Path) -> None:
    """Let MkDocs' own build stop, with a sentence, at a page that takes too long or lacks what it shows."""
    render = page.render

    def render_in_time(config: MkDocsConfig, files: Files) -> None:
        try:
            with TimeLimit():
                render(config, files)
        except TimeLimitError:
            raise PlacedError(f"{docs.name}/{page.file.src_uri}:1:1: {TOO_LONG}") from None
        except ConfigError as error:
            raise PlacedError(f"{docs.name}/{page.file.src_uri}:1:1: {error}") from error

    vars(page)["render"] = render_in_time


def read_markdown(site: LanguageSite, page: Page) -> str:
    """The Markdown of a page as it is rendered, by MkDocs' events. Raises whatever they raise."""
    plugins, config, files = site.config.plugins, site.config, site.files
    page = plugins.on_pre_page(page, config=config, files=files)
    page.read_source(config)
    page.markdown = plugins.on_page_markdown(page.markdown or "", page=page, config=config, files=files)
    return page.markdown


def toc_token(entry: AnchorLink) -> dict[str, Any]:
    """An entry of a page's contents as `get_toc` takes it."""
    children = [toc_token(each) for each in entry.children]
    return {"name": entry.title, "id": entry.id, "level": entry.level, "children": children}


def set_content(site: LanguageSite, path: str, content: PageContent) -> None:
    """Give a page its content, rendered here or elsewhere."""
    page = site.page(path)
    page.markdown, page.content = content.markdown, content.html
    page.toc = get_toc([*content.toc])
    set_links(site, path, content)
    set_title(site, path, content.title, content.meta)


def remove_content(site: LanguageSite, path: str) -> None:
    """Take from a page what no other page shows."""
    page = site.page(path)
    page.markdown, page.content = None, None
    page.toc = get_toc([])


def set_links(site: LanguageSite, path: str, content: PageContent) -> None:
    """Give a page its anchors, and the links that it has to those of others."""
    page, known = site.page(path), site.files.src_uris
    page.present_anchor_ids = {*content.anchors}
    page.links_to_anchors = {known[path]: {**links} for path, links in content.links.items() if path in known}


def set_title(site: LanguageSite, path: str, title: str | None, meta: Mapping[str, object]) -> None:
    """Give a page what other pages show of it: its title, unless the navigation gives it, and its front matter."""
    page = site.page(path)
    page.meta = {**meta}
    if path not in site.titled:
        page.title = title


def render_page(site: LanguageSite, path: str, env: Environment) -> RenderedPage:
    """The whole page at `path`, whose content is set, by MkDocs' events. Raises whatever they raise."""
    site.enter()
    config, page = site.config, site.page(path)
    page.active = True
    try:
        with recorded_messages() as messages:
            context = get_context(site.nav, site.pages, config, page)
            template = env.get_template(page.meta.get("template", "main.html"))
            context = config.plugins.on_page_context(context, page=page, config=config, nav=site.nav)
            html = config.plugins.on_post_page(template.render(context), page=page, config=config)
            return RenderedPage(str(html), messages)
    finally:
        page.active = False
