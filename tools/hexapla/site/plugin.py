"""The MkDocs plugin: it adapts MkDocs' events to the modules beside it, which do the work.

mkdocs-static-i18n builds the site once per language, each further build inside the first one's `on_post_build`
(priority -100); builder.py builds them all instead, where no other plugin needs MkDocs' own build. It makes every file
anew in `on_files` (-100) and loses what plugins generated; so a derived page is announced before it (-50) and gets its
text when it is rendered. i18n_contract.py checks that this is so.
"""

import logging
import sys
from collections.abc import Collection
from pathlib import Path
from typing import Any

from jinja2 import Environment
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import PluginError
from mkdocs.livereload import LiveReloadServer
from mkdocs.plugins import BasePlugin, CombinedEvent, event_priority
from mkdocs.structure.files import File, Files
from mkdocs.structure.nav import Navigation
from mkdocs.structure.pages import Page
from mkdocs.utils import write_file
from mkdocs.utils.templates import TemplateContext

from hexapla.config.mkdocs_yaml import read_settings
from hexapla.config.project import make_project
from hexapla.errors import ConfigError
from hexapla.files import CONTROL, is_own_file, links_outside
from hexapla.site import sources
from hexapla.site.build import builder, versions
from hexapla.site.build.check_hook import SavedPages, build_errors, check_errors, stop_on
from hexapla.site.build.site_config import extend, set_theme_language
from hexapla.site.build.swap_output import StagedSite
from hexapla.site.page import glossary_table, snippet_pages, translation_status
from hexapla.site.page.alternate_links import (
    absolute_alternates,
    alternate_urls,
    localized,
    set_original_urls,
    without_relative_alternates,
)
from hexapla.site.page.page_content import below_title, complete, identify, prepared
from hexapla.site.page.page_inputs import PageInputs, SiteInputs
from hexapla.site.page.page_renderer import limit_rendering
from hexapla.site.page.snippet_view import IncludedSnippet
from hexapla.site.plugin_options import PluginOptions
from hexapla.site.search import search_index
from hexapla.site.search.search_page_words import SectionWords
from hexapla.site.search.search_sections import SearchEntry, make_entry
from hexapla.site.serve.http_process import require_free_port
from hexapla.site.serve.live_site import LiveSite, make_live_site
from hexapla.site.serve.server import make_live_server
from hexapla.site.texts.strings import register_project_strings, say
from hexapla.site.upstream.i18n_contract import LanguageFiles, Plugins, check_languages, check_pages, check_plugins
from hexapla.site.upstream.mkdocs_build import mkdocs_build, replace_build, whole_site_plugins
from hexapla.site.upstream.theme_contract import check_theme
from hexapla.translation.records import records

LOG = logging.getLogger("mkdocs.plugins.hexapla")


class HexaplaPlugin(BasePlugin[PluginOptions]):  # type: ignore[no-untyped-call]
    """One object builds all languages, and all builds of a `mkdocs serve`."""

    def __init__(self) -> None:
        self.sources: sources.SiteSources
        self.status: translation_status.TranslationStatus
        self.page_inputs: PageInputs
        self.i18n: Any = None
        self.staged: StagedSite | None = None
        self.command = ""
        self.mkdocs_builds = True  # MkDocs renders page after page, since another plugin needs that
        self.saved = SavedPages()
        self.inputs: dict[str, SiteInputs] = {}  # by language
        self.included: list[IncludedSnippet] = []  # of the page that is rendered
        self.entry: SearchEntry | None = None  # of the page that was rendered last
        self.entries: dict[str, SearchEntry] = {}  # by the page's address, and their words where they are known
        self.page_words: dict[str, list[SectionWords]] = {}
        self.built: set[str] = set()
        self.live: LiveSite | None = None

    def on_startup(self, *, command: str, dirty: bool) -> None:
        """Having this event makes MkDocs keep one object for all builds of a `mkdocs serve`."""
        self.command = command
        replace_build(self.build)

    def build(self, config: MkDocsConfig, *, serve_url: str | None = None, dirty: bool = False) -> None:
        """Build a site: what MkDocs' commands call in the place of MkDocs' own build."""
        reason = "of --dirty" if dirty else whole_site_plugins(config)
        self.mkdocs_builds = bool(reason)
        if reason:
            LOG.info("Every page is built, by one process, because %s", reason)
            mkdocs_build(config, serve_url=serve_url, dirty=dirty)
        elif self.command == "serve" and "--no-livereload" not in sys.argv:
            self.live = make_live_site(config, self)
        else:
            builder.build(config, self)

    @property
    def building_further_language(self) -> bool:
        """Whether this is a build of a further language inside the first one's."""
        return bool(self.i18n.building)

    @property
    def language(self) -> str:
        """The language that is being built."""
        return str(self.i18n.current_language)

    @property
    def languages(self) -> dict[str, str]:
        """The names of the languages that the site is built in, the source first."""
        built = {entry["locale"] for entry in self.i18n.config["languages"] if entry["build"]}
        return {each.code: each.name for each in self.sources.project.languages if each.code in built}

    @property
    def index_path(self) -> str:
        """The address of the index of the language being built, from the site's root."""
        own = self.language != self.sources.project.source.code
        return f"{self.language}/{search_index.INDEX}" if own else search_index.INDEX

    @event_priority(100)
    def on_config(self, config: MkDocsConfig) -> MkDocsConfig:
        """Before the first language: check what is relied on, read the sources, and build into a folder of our own."""
        self.i18n = config.plugins.get("i18n")
        if self.i18n is None:
            raise PluginError("mkdocs.yml: the hexapla plugin needs the i18n plugin; add it above hexapla")
        if self.building_further_language or versions.guard_branch(config, self.command):
            return config
        if self.command == "serve" and self.staged is None:  # the first time: later the port is ours
            require_free_port(*config.dev_addr)
        check_plugins(Plugins(self, self.i18n, config))
        check_theme(config.theme, config.plugins)
        self.config_file = Path(config.config_file_path).resolve()  # as given: `--config-file mkdocs.yml` is relative
        self.read_sources(config)
        if self.staged:
            self.staged.discard()  # a build that was aborted left it there
        self.staged = StagedSite(Path(config.site_dir))
        self.built, self.inputs, self.entries = set(), {}, {}
        config.site_dir = str(self.staged.folder)
        return extend(config)

    def read_sources(self, config: MkDocsConfig) -> None:
        """Read what the site is made of; raise all findings in one error, before anything is written.

        A strict build is stopped by whatever `hexapla check` calls an error, in any language.
        """
        try:
            settings = read_settings(file := self.config_file)
            project = make_project(file.parent, config.docs_dir, self.i18n.config["languages"], self.config, settings)
            for link in links_outside(project.root, project.docs):  # MkDocs would follow it, for ever if it is a loop
                raise PluginError(f"{str(link)!a}: is a link out of the project, or to a folder above; take it out")
            self.sources = sources.read(project)
            if self.command == "serve" and self.mkdocs_builds:
                self.saved.report(self.sources, file)
            # Else each page tells what is wrong when it is rendered.
            ahead = self.mkdocs_builds or (config.strict and self.command != "serve")
            findings = build_errors(self.sources.findings, file) if ahead else ()
            if ahead and config.strict and not findings:
                findings = check_errors(self.sources, file)
            if findings:
                raise PluginError("\n".join(["the site was not built:", *map(str, findings)]))
            register_project_strings(project)
            self.status = translation_status.read(self.sources, settings)
        except ConfigError as error:
            raise PluginError(str(error)) from error

    def shared_errors(self) -> list[str]:
        """What is wrong in files that belong to no page."""
        return [str(each) for each in build_errors(self.sources.shared_findings, self.config_file)]

    @event_priority(-50)
    def _announce(self, files: Files, *, config: MkDocsConfig) -> Files:
        """Leave out what is no file of the docs; announce the derived pages, so that the i18n plugin counts them in.

        That has set the theme up, or we do.
        """
        root = self.sources.project.root
        for file in [*files]:
            if file.abs_src_path and file.src_dir == config.docs_dir and (
                CONTROL.search(file.src_uri) or not is_own_file(root, file.abs_src_path)
            ):
                LOG.warning("%a is a link that leads out of the project, or no file: it is left out", file.src_uri)
                files.remove(file)
        set_theme_language(config, self.i18n)
        for uri in self.sources.derived:
            files.append(File(uri, config.docs_dir, config.site_dir, config.use_directory_urls))
        return files

    @event_priority(-200)
    def _fill(self, files: Files, *, config: MkDocsConfig) -> Files:
        """Look at the pages as the i18n plugin has made them."""
        check_pages(LanguageFiles(self.language, self.languages, files.documentation_pages(), config.site_dir))
        self.inputs[self.language] = SiteInputs(self.sources, self.status, files)
        return files

    on_files = CombinedEvent(_announce, _fill)

    def on_nav(self, nav: Navigation, *, config: MkDocsConfig, files: Files) -> None:
        """Name the originals of pages that are not translated or derived, before anything shows their addresses."""
        set_original_urls(files.documentation_pages(), config.site_url, self.language, self.sources.derived)

    def on_env(self, env: Environment, *, config: MkDocsConfig, files: Files) -> Environment:
        """Give the templates the site's sentences."""
        env.globals["hexapla_say"] = say
        env.filters.update(without_relative_alternates=without_relative_alternates, below_title=below_title)
        return env

    def on_template_context(self, context: TemplateContext, *, template_name: str, config: MkDocsConfig) -> None:
        """Give the templates of no page the languages."""
        context.update(self.language_context())  # type: ignore[typeddict-item]

    def language_context(self) -> dict[str, object]:
        """What templates know of the languages."""
        return {"hexapla_language": self.language, "hexapla_languages": [*self.languages]}

    def on_pre_page(self, page: Page, *, config: MkDocsConfig, files: Files) -> Page:
        """Begin to note what the page reads; a derived page gets its text. Raises PlacedError for what is wrong."""
        self.page_inputs = PageInputs(self.inputs[self.language])
        derived = self.sources.derived.get(path := page.file.src_uri)
        key = derived or (localized(page.file).locale, localized(page.file).norm_src_uri)
        if self.mkdocs_builds:
            limit_rendering(page, Path(config.docs_dir))
        else:
            stop_on([*self.sources.page_findings(key)], self.config_file)
        text = self.page_inputs.text(path)
        if derived:
            page.file.content_string = text
        return page

    @event_priority(100)
    def on_page_markdown(self, markdown: str, *, page: Page, config: MkDocsConfig, files: Files) -> str:
        """Put the figures, the code and the glossary into the page, and the original of sections that it lacks."""
        file, terms = localized(page.file), self.page_inputs.terms
        text, self.included = prepared(markdown, file, self.language, self.page_inputs)
        return glossary_table.insert_glossary(text, terms, self.sources.project.languages, file.locale)

    def on_page_content(self, html: str, *, page: Page, config: MkDocsConfig, files: Files) -> str:
        """Complete the rendered page, and put it into our search index instead of the theme's."""
        identity = identify(page, self.language, page.file.src_uri in self.sources.derived, config)
        html = complete(html, self.included, identity, self.page_inputs, self.sources.project.source.code)
        settings, title = page.meta.get("search") or {}, str(page.title)
        self.entry = None if settings.get("exclude") else make_entry(page.url, title, html, identity.name, settings)
        self.entries |= {page.url: self.entry} if self.entry else {}
        page.meta["search"] = {**settings, "exclude": True}
        return html

    @event_priority(40)
    def on_page_context(self, context: TemplateContext, *, page: Page, config: MkDocsConfig, nav: Navigation) -> None:
        """After the i18n plugin: the same page in the other languages, and which of them is the original."""
        context.update(self.language_context())  # type: ignore[typeddict-item]
        urls, available = self.alternates(page.file)
        names = {language.code: language.name for language in self.sources.project.languages}
        # An attribute, as the i18n plugin sets it: templates look there before they look into the mapping.
        config.extra.alternate = [  # type: ignore[attr-defined]
            {"name": names[code], "link": url, "lang": code} for code, url in urls.items() if code in names
        ]
        if config.site_url:
            absolute = absolute_alternates(urls, available, config.site_url, self.sources.project.source.code)
            context["hexapla_alternates"] = absolute  # type: ignore[typeddict-unknown-key]

    def alternates(self, file: File) -> tuple[dict[str, str], list[str]]:
        """The addresses of a page in every language, and the languages that have it."""
        return alternate_urls(file), self.sources.available(localized(file).norm_src_uri)

    def on_post_page(self, output: str, *, page: Page, config: MkDocsConfig) -> str:
        """Give the theme's search box our worker, with the index of the page's language."""
        return search_index.use_worker(output, self.index_path)

    def on_post_template(self, output: str, *, template_name: str, config: MkDocsConfig) -> str:
        """MkDocs has one 404.html; each further language's goes into its own folder."""
        output = search_index.use_worker(output, self.index_path)
        if template_name != "404.html" or self.language == self.sources.project.source.code:
            return output
        write_file(output.encode(), str(Path(config.site_dir, self.language, template_name)))
        return ""

    @event_priority(-50)
    def _write_index(self, *, config: MkDocsConfig) -> None:
        """After each language: its search index."""
        language = search_index.search_language(self.language, self.sources.search, self.sources.terms)
        files = search_index.site_files(self.entries.values(), language, self.index_path, self.page_words)
        for name, text in files.items():
            write_file(text.encode(), str(Path(config.site_dir, name)))
        self.entries, self.page_words = {}, {}
        self.built.add(self.language)

    @event_priority(-200)
    def _finish(self, *, config: MkDocsConfig) -> None:
        """After the last language, where MkDocs builds."""
        if not self.building_further_language:
            pages = self.sources.pages.values()
            self.finish(config, {include.path for page in pages for include in page.includes})

    def finish(self, config: MkDocsConfig, included: Collection[str]) -> None:
        """Write the pages of the snippets and of the translations; the new site takes the old one's place."""
        if self.staged is None:
            return
        check_languages(self.built, {*self.languages})
        for url, content in snippet_pages.snippet_files(self.sources, included, config):
            write_file(content, str(self.staged.folder / url))
        for url, text in self.status.status_files({each.code: each.name for each in self.sources.project.languages}):
            write_file(text.encode(), str(self.staged.folder / url))
        if self.staged.publish(config):
            self.staged = None

    on_post_build = CombinedEvent(_write_index, _finish)

    def on_serve(self, server: LiveReloadServer, *, config: MkDocsConfig, builder: Any) -> Any:
        """Give MkDocs our server, or let its own build again when a snippet, its evidence or its comments change."""
        watched: Any = make_live_server(server, self, builder) if self.live else server
        project = self.sources.project
        for path in (project.snippets, *project.included, project.root / records.FOLDER):
            if path.is_dir():
                watched.watch(str(path), recursive=not project.docs.is_relative_to(path))
        watched.watch(str(project.root / "pyproject.toml"))
        return watched

    def on_shutdown(self) -> None:
        """Leave no half-written site behind, whatever stopped a build."""
        if self.staged is not None:
            self.staged.discard()
