"""The MkDocs plugin: it adapts MkDocs' events to the modules beside it, which do the work.

mkdocs-static-i18n builds the site once per language, each further build inside the first one's `on_post_build`
(priority -100); builder.py builds them all instead, where no other plugin needs MkDocs' own build. It makes every file
anew in `on_files` (-100) and loses what plugins generated; so a derived page is announced before it (-50) and gets its
text when it is rendered. i18n_contract.py checks that this is so.
"""

import gc
import logging
import sys
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import cast

from jinja2 import Environment
from mkdocs.config import config_options
from mkdocs.config.base import Config
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import PluginError
from mkdocs.livereload import LiveReloadServer
from mkdocs.plugins import BasePlugin, CombinedEvent, event_priority
from mkdocs.structure.files import File, Files
from mkdocs.structure.nav import Navigation
from mkdocs.structure.pages import Page
from mkdocs.utils import get_relative_url, is_error_template, write_file
from mkdocs.utils.templates import TemplateContext

from hexapla.files import CONTROL, own_files
from hexapla.site.build import builder, versions
from hexapla.site.build.check_hook import SavedPages, build_errors
from hexapla.site.build.markdown_files import FEED, page_address
from hexapla.site.build.plain_pages import pages_by_snippet
from hexapla.site.build.site_config import add_own_theme, read_state, set_theme_language
from hexapla.site.build.swap_output import make_folder_beside, remove_folder_beside
from hexapla.site.page.alternate_links import (
    absolute_alternates,
    absolute_url,
    set_original_urls,
    without_relative_alternates,
)
from hexapla.site.page.card_contents import find_card_fonts
from hexapla.site.page.front_doors import find_doors
from hexapla.site.page.navigation_titles import with_nav_titles, with_part_title
from hexapla.site.page.page_extension import RenderingPage
from hexapla.site.page.page_inputs import PageInputs, SiteInputs
from hexapla.site.page.page_markdown import describe_page, make_markdown, markdown_path
from hexapla.site.page.page_renderer import PageState, identify_page, limit_rendering
from hexapla.site.page.site_files import as_localized_file
from hexapla.site.process_pool import FORKS, PlacedError
from hexapla.site.search import search_index
from hexapla.site.search.search_sections import SearchEntry, make_entry
from hexapla.site.serve.http_process import require_free_port
from hexapla.site.serve.live_server import LiveServer
from hexapla.site.serve.site_in_memory import SiteInMemory, hold_site
from hexapla.site.state import BuildState, CurrentBuild
from hexapla.site.texts.strings import say_sentence
from hexapla.site.upstream.i18n_contract import (
    LanguageFiles,
    Plugins,
    check_pages,
    check_plugins,
    current_language,
    i18n_plugin,
)
from hexapla.site.upstream.mkdocs_build import mkdocs_build, replace_build, whole_site_plugins
from hexapla.site.upstream.theme_contract import check_theme
from hexapla.translation.records import records

LOG = logging.getLogger("mkdocs.plugins.hexapla")
OBJECTS = 50_000  # between collections, some ten megabytes; by Python's 700 they take a twentieth of the time


class PluginOptions(Config):  # type: ignore[no-untyped-call]
    """The options of mkdocs.yml under `hexapla`; the config room reads the same for the command line."""

    snippets = config_options.Type(str, default="snippets")
    derived = config_options.Type(dict, default={})
    run_blocks = config_options.Type(bool, default=False)
    hardware = config_options.Type(dict, default={"cpu": "CPU"})
    redirect_maps = config_options.Type(dict, default={})
    checks = config_options.Type(dict, default={})
    owners = config_options.Type(dict, default={})
    drafts = config_options.Type(dict, default={})
    cards = config_options.Type(bool, default=True)
    markdown = config_options.Type(bool, default=True)


class HexaplaPlugin(BasePlugin[PluginOptions]):  # type: ignore[no-untyped-call]
    """One object builds all languages, and all builds of a `mkdocs serve`."""

    def __init__(self) -> None:
        self.command = ""
        self.foreign: set[str] = set()  # files of the docs that no page may show
        self.mkdocs_builds = True  # MkDocs renders page after page, since another plugin needs that
        self.saved = SavedPages()
        self.current = CurrentBuild()
        self.entries: dict[str, SearchEntry] = {}  # of the language that MkDocs builds, by the page's address
        self.texts: dict[str, str] = {}  # of that language, for programs, by the page's path
        self.nav = Navigation([], [])
        self.pages: list[Page] = []
        self.built: set[str] = set()  # the languages that MkDocs has built
        self.live: SiteInMemory | None = None

    @property
    def state(self) -> BuildState:
        """What the build knows."""
        return self.current.state

    def on_startup(self, *, command: str, dirty: bool) -> None:
        """Having this event makes MkDocs keep one object for all builds of a `mkdocs serve`."""
        self.command = command
        gc.set_threshold(OBJECTS)
        replace_build(self.build)

    def build(self, config: MkDocsConfig, *, serve_url: str | None = None, dirty: bool = False) -> None:
        """Build a site: what MkDocs' commands call in the place of MkDocs' own build."""
        reason = "of --dirty" if dirty else whole_site_plugins(config)
        self.mkdocs_builds = bool(reason)
        if reason:
            LOG.info("Every page is built, by one process, because %s", reason)
            mkdocs_build(config, serve_url=serve_url, dirty=dirty)
        elif self.command == "serve" and "--no-livereload" not in sys.argv and FORKS:
            self.live = hold_site(config, self.current)
        else:
            builder.build_site(config, self.current)

    @event_priority(100)
    def on_config(self, config: MkDocsConfig) -> MkDocsConfig:
        """Before the first language: check what is relied on, read the sources, and build into a folder of our own."""
        if "i18n" not in config.plugins:
            raise PluginError("mkdocs.yml: the hexapla plugin needs the i18n plugin; add it above hexapla")
        i18n = i18n_plugin(config)
        if i18n.building or versions.guard_branch(config, self.command):
            return config
        serving = self.command == "serve"
        if serving and not self.current.started:  # the first time: later the port is ours
            require_free_port(*config.dev_addr)
        check_plugins(Plugins(self, i18n, config))
        check_theme(config.theme, config.plugins)
        saved = self.saved if serving and self.mkdocs_builds else None
        # Where pages are rendered by our builder, each tells what is wrong with it then.
        state = read_state(config, self.mkdocs_builds or (config.strict and not serving), saved)
        self.current.state = replace(
            state, folder=make_folder_beside(state.site),
            has_cards=self.config.cards and not serving and bool(config.site_url),  # whose addresses are absolute
        )
        self.built, self.entries, self.texts = set(), {}, {}
        config.site_dir = str(self.state.folder)
        return add_own_theme(config, self.current)

    @event_priority(-50)
    def _announce_pages(self, files: Files, *, config: MkDocsConfig) -> Files:
        """Leave out what is no file of the docs; announce the derived pages, so that the i18n plugin counts them in.

        That has set the theme up, or we do.
        """
        if not self.state.inputs:  # before the first language: the files are the same for each
            root = self.state.sources.project.root
            paths = {file.src_uri: file.abs_src_path for file in files
                     if file.abs_src_path and file.src_dir == config.docs_dir}
            own = {*own_files(root, paths.values())}
            self.foreign = {uri for uri, path in paths.items() if CONTROL.search(uri) or path not in own}
            for uri in sorted(self.foreign):
                LOG.warning("%a is a link that leads out of the project, or no file: it is left out", uri)
        for file in [each for each in files if each.src_uri in self.foreign]:
            files.remove(file)
        set_theme_language(config, i18n_plugin(config))
        for uri in self.state.sources.derived:
            files.append(File(uri, config.docs_dir, config.site_dir, config.use_directory_urls))
        return files

    @event_priority(-200)
    def _note_files(self, files: Files, *, config: MkDocsConfig) -> Files:
        """Look at the pages as the i18n plugin has made them."""
        language, state = current_language(config), self.state
        check_pages(LanguageFiles(language, state.languages, files.documentation_pages(), config.site_dir))
        inputs = SiteInputs(state.sources, state.status, files)
        self.current.state = replace(state, inputs={**state.inputs, language: inputs})
        return files

    on_files = CombinedEvent(_announce_pages, _note_files)

    @event_priority(-150)
    def on_nav(self, nav: Navigation, *, config: MkDocsConfig, files: Files) -> None:
        """Name the originals of pages that are not translated or derived, before anything shows their addresses."""
        self.nav = nav
        for item in nav.items:  # what the i18n plugin has taken a language's section away from
            item.parent = None
        pages, derived = files.documentation_pages(), self.state.sources.derived
        set_original_urls(pages, config.site_url, current_language(config), derived)
        self.pages = [file.page for file in pages if file.page]  # those outside of the navigation, too

    def on_env(self, env: Environment, *, config: MkDocsConfig, files: Files) -> Environment:
        """Give the templates the site's sentences."""
        env.globals["hexapla_say"] = say_sentence
        for function in (without_relative_alternates, with_nav_titles, with_part_title):
            env.filters[function.__name__] = function
        env.policies["json.dumps_kwargs"] = {"sort_keys": True, "ensure_ascii": False}  # Han in three bytes, not six
        return env

    def on_template_context(self, context: TemplateContext, *, template_name: str, config: MkDocsConfig) -> None:
        """Give the templates of no page the languages, and the doors of the front page."""
        self.give_languages(context, config)
        front = context["nav"].homepage
        if is_error_template(template_name) and front and front.content:
            doors = find_doors(front.content, f"{context['base_url'].rstrip('/')}/{front.url}")
            context["hexapla_doors"] = doors  # type: ignore[typeddict-unknown-key]

    def give_languages(self, context: TemplateContext, config: MkDocsConfig) -> None:
        """Give a template the language that is built, and those that the site has."""
        known = {"hexapla_language": current_language(config), "hexapla_languages": [*self.state.languages]}
        context.update(known)  # type: ignore[typeddict-item]  # MkDocs' type has its own names alone

    def on_pre_page(self, page: Page, *, config: MkDocsConfig, files: Files) -> Page:
        """Begin to note what the page reads; a derived page gets its text. Raises PlacedError for what is wrong."""
        state, path = self.state, page.file.src_uri
        inputs = PageInputs(state.inputs[current_language(config)])
        self.current.page = PageState(inputs)
        derived = state.sources.derived.get(path)
        if self.mkdocs_builds:
            limit_rendering(page, Path(config.docs_dir))
        else:
            file = as_localized_file(page.file)
            found = [*state.sources.page_findings(derived or (file.locale, file.norm_src_uri))]
            if errors := build_errors(found, state):
                raise PlacedError("\n".join(map(str, errors)))
        text = inputs.read(SiteInputs.text, path)
        if derived:
            page.file.content_string = text
        return page

    @event_priority(-200)
    def on_page_markdown(self, markdown: str, *, page: Page, config: MkDocsConfig, files: Files) -> None:
        """Say which page our extension of Markdown renders next, after others, which may convert texts of theirs."""
        inputs, path = self.current.page.inputs, page.file.src_uri
        identity = identify_page(page, current_language(config), path in self.state.sources.derived, config)
        self.current.page = PageState(inputs, RenderingPage(identity, inputs, inputs.read(SiteInputs.text, path)))

    def on_page_content(self, html: str, *, page: Page, config: MkDocsConfig, files: Files) -> None:
        """Put the rendered page into our search index instead of the theme's."""
        state, known = self.state, self.current.page
        assert known.rendering is not None
        identity, page.markdown = known.rendering.identity, known.rendering.markdown or ""
        settings, title = page.meta.get("search") or {}, str(page.title)
        if not settings.get("exclude"):
            entry = make_entry(page.url, title, html, identity.name, settings)
            self.current.page = known._replace(entry=entry)
            self.entries[page.url] = entry
        if self.config.markdown:
            available = known.inputs.read(SiteInputs.available, f"{identity.name}.md")
            having = [code for code in available if code in state.languages]
            described = describe_page(page, identity, having, state.source, config.site_url)
            text = make_markdown(page.markdown, known.rendering.included, described, known.inputs)
            self.current.page = self.current.page._replace(for_programs=text)
            self.texts[page.file.src_uri] = text
        page.meta["search"] = {**settings, "exclude": True}

    @event_priority(40)
    def on_page_context(self, context: TemplateContext, *, page: Page, config: MkDocsConfig, nav: Navigation) -> None:
        """After the i18n plugin: the page in the other languages, its original, and where its path leads."""
        self.give_languages(context, config)
        sections = self.state.front_sections(page, nav, current_language(config))
        context["hexapla_front_sections"] = sections  # type: ignore[typeddict-unknown-key]
        if self.state.sources.changes and config.site_url:
            feed = markdown_path(FEED, current_language(config), self.state.source)
            context["hexapla_feed"] = get_relative_url(feed, page.url)  # type: ignore[typeddict-unknown-key]
        if self.config.markdown:
            address = page_address(page, current_language(config), self.state.source)
            context["hexapla_markdown"] = get_relative_url(address, page.url)  # type: ignore[typeddict-unknown-key]
        urls, available = self.state.alternates(page.file)
        names = self.state.language_names
        # An attribute, as the i18n plugin sets it: templates look there before they look into the mapping.
        config.extra.alternate = [  # type: ignore[attr-defined]
            {"name": names[code], "link": url, "lang": code} for code, url in urls.items() if code in names
        ]
        if config.site_url:
            absolute = absolute_alternates(urls, available, config.site_url, self.state.source)
            context["hexapla_alternates"] = absolute  # type: ignore[typeddict-unknown-key]
            for path, card in self.state.make_cards([page], current_language(config), config).items():
                if find_card_fonts(card):
                    address = absolute_url(config.site_url, path)
                    context["hexapla_card"] = address  # type: ignore[typeddict-unknown-key]

    def on_post_page(self, output: str, *, page: Page, config: MkDocsConfig) -> str:
        """Give the theme's search box our worker, with the index of the page's language."""
        return search_index.use_worker(output, self.state.index_path(current_language(config)))

    def on_post_template(self, output: str, *, template_name: str, config: MkDocsConfig) -> str:
        """MkDocs has one 404.html; each further language's goes into its own folder."""
        language = current_language(config)
        output = search_index.use_worker(output, self.state.index_path(language))
        if template_name != "404.html" or language == self.state.source:
            return output
        write_file(output.encode(), str(Path(config.site_dir, language, template_name)))
        return ""

    @event_priority(-50)
    def _write_index(self, *, config: MkDocsConfig) -> None:
        """After each language, where MkDocs builds: its search index."""
        if self.mkdocs_builds:
            places = search_index.nav_places(self.nav.pages)
            builder.write_index(self.state, current_language(config), [*self.entries.values()], places)
            builder.write_markdown(self.state, current_language(config), self.texts, self.nav, config)
            cards = self.state.make_cards(self.pages, current_language(config), config)
            builder.write_cards(self.state, cards, builder.taken_files(self.state))
            self.built.add(current_language(config))
            self.entries, self.texts = {}, {}

    @event_priority(-200)
    def _finish_site(self, *, config: MkDocsConfig) -> None:
        """After the last language, where MkDocs builds."""
        if not i18n_plugin(config).building:
            pages = self.state.sources.pages.items()
            included = pages_by_snippet((name, [each.path for each in page.includes]) for (_, name), page in pages)
            builder.finish_site(self.state, config, included, self.built)

    on_post_build = CombinedEvent(_write_index, _finish_site)

    def on_serve(
        self, server: LiveReloadServer, *, config: MkDocsConfig, builder: Callable[[], None]
    ) -> LiveReloadServer:
        """Give MkDocs our server, or let its own build again when a snippet, its evidence or its comments change."""
        if self.live:
            # MkDocs' command calls no more of it than `watch`, `serve` and `shutdown`.
            server = cast(LiveReloadServer, LiveServer(server, partial(self.make_live_again, builder), self.live))
        project = self.state.sources.project
        for path in (project.snippets, *project.included, project.root / records.FOLDER):
            if path.is_dir():
                server.watch(str(path), recursive=not project.docs.is_relative_to(path))
        server.watch(str(project.root / "pyproject.toml"))
        return server

    def make_live_again(self, load_and_build: Callable[[], None]) -> SiteInMemory:
        """The site that is served, made of settings that MkDocs' command has loaded again."""
        load_and_build()
        assert self.live is not None
        return self.live

    def on_shutdown(self) -> None:
        """Leave no half-written site behind, whatever stopped a build."""
        if self.current.started:
            remove_folder_beside(self.state.folder)
