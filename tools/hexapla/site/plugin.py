"""The MkDocs plugin: it adapts, the modules beside it work.

mkdocs-static-i18n builds the site once a language, each build inside the first one's `on_post_build` (priority -100).
It makes every file anew in `on_files` (priority -100) and loses what plugins generated; so a derived page is announced
before it (-50) and filled after it (-200).
"""

import logging
from html import escape
from pathlib import Path
from typing import Any
from urllib.parse import urljoin

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
from mkdocs.utils import CountHandler, get_relative_url, write_file
from mkdocs.utils.templates import TemplateContext

from hexapla.config.mkdocs_yaml import read_settings
from hexapla.config.project import make_project
from hexapla.errors import ConfigError
from hexapla.pages import parse, spans
from hexapla.site import (
    alternates,
    check_hook,
    glossary_table,
    localized_images,
    publication,
    run_matrix,
    search,
    snippet_pages,
    translations,
)
from hexapla.site.alternates import localized
from hexapla.site.cjk_line_breaks import join_lines
from hexapla.site.snippet_view import Shown, expand, fill, note
from hexapla.site.sources import Tree, read
from hexapla.site.strings import learn, say
from hexapla.translation.new_language import strings_path

THEME = Path(__file__).parent / "theme"
LOG = logging.getLogger("mkdocs.plugins.hexapla")


class Options(Config):  # type: ignore[no-untyped-call]
    """What mkdocs.yml says under `hexapla`; config.py reads the same for the command line."""

    snippets = config_options.Type(str, default="snippets")
    derived = config_options.Type(dict, default={})
    hardware = config_options.Type(dict, default={"cpu": "CPU"})
    checks = config_options.Type(dict, default={})


class HexaplaPlugin(BasePlugin[Options]):  # type: ignore[no-untyped-call]
    """One object builds all languages."""

    def __init__(self) -> None:
        self.tree: Tree
        self.translations: translations.Translations
        self.serving = False
        self.seen: dict[tuple[str, str], str] = {}
        self.site_dir = Path()
        self.staging: Path | None = None
        self.shown: dict[str, list[Shown]] = {}
        self.entries: dict[str, search.Entry] = {}
        self.warnings = CountHandler()
        self.i18n: Any = None

    def on_startup(self, *, command: str, dirty: bool) -> None:
        """Having this event makes MkDocs keep one object for all builds of a `mkdocs serve`."""
        self.serving = command == "serve"

    @property
    def building_further_language(self) -> bool:
        """Whether this is a build of a further language inside the first one's."""
        return bool(self.i18n.building)

    @property
    def language(self) -> str:
        """The language that is being built."""
        return str(self.i18n.current_language)

    @event_priority(100)
    def on_config(self, config: MkDocsConfig) -> MkDocsConfig:
        """Before the first language: read and check everything, and build into a folder of our own."""
        self.i18n = config.plugins.get("i18n")
        if self.i18n is None:
            raise PluginError("mkdocs.yml: the hexapla plugin needs the i18n plugin; add it above hexapla")
        if self.building_further_language:
            return config
        self.read_tree(config)
        self.site_dir = Path(config.site_dir)
        self.staging = publication.staging(self.site_dir)
        config.site_dir = str(self.staging)
        logging.getLogger("mkdocs").removeHandler(self.warnings)  # a build that was aborted left it there
        self.warnings = CountHandler()
        self.warnings.setLevel(logging.WARNING)
        logging.getLogger("mkdocs").addHandler(self.warnings)
        config.theme.dirs.insert(0, str(THEME))
        config.extra_css.insert(0, "assets/hexapla/hexapla.css")
        config.extra_javascript += ["assets/hexapla/hexapla.js", "assets/hexapla/beside.js"]
        return config

    def read_tree(self, config: MkDocsConfig) -> None:
        """Read the tree; raise all findings in one error, before anything is written.

        A strict build is stopped by whatever `hexapla check` calls an error, in any language.
        """
        file = Path(config.config_file_path).resolve()  # as given: `--config-file mkdocs.yml` is relative
        try:
            project = make_project(file.parent, config.docs_dir, self.i18n.config["languages"], self.config)
            self.tree = read(project)
            if self.serving:
                self.report_saved(file)
            findings = check_hook.stopping(self.tree.findings, file) or (
                check_hook.errors(project, file) if config.strict else ())
        except ConfigError as error:
            raise PluginError(str(error)) from error
        if findings:
            raise PluginError("\n".join(["the site was not built:", *map(str, findings)]))
        for language in project.languages:
            strings = project.root / strings_path(language.code)
            known = strings.read_text(encoding="utf-8", errors="replace") if strings.is_file() else ""
            if known and (wrong := learn(language.code, known)):
                raise PluginError(f"{strings}: {wrong}")
        self.translations = translations.read(self.tree, read_settings(file))

    def report_saved(self, file: Path) -> None:
        """Say what is found in the pages saved since the last build, and in their translations."""
        now = {place: page.text for place, page in self.tree.pages.items()}
        names = sorted({name for (code, name), text in now.items() if self.seen.get((code, name)) != text})
        if self.seen and names:
            found = check_hook.findings(self.tree.project, file, names)
            for finding in found:
                LOG.info("%s (%s)", finding, finding.severity)
            LOG.info("checked %s in every language: %s findings", ", ".join(names), len(found) or "no")
        self.seen = now

    @event_priority(-50)
    def _announce(self, files: Files, *, config: MkDocsConfig) -> Files:
        """Announce the derived pages, so that the i18n plugin counts them in."""
        for uri in self.tree.derived:
            files.append(File(uri, config.docs_dir, config.site_dir, config.use_directory_urls))
        return files

    @event_priority(-200)
    def _fill(self, files: Files, *, config: MkDocsConfig) -> Files:
        """Give the derived pages of this language their text."""
        for file in files.documentation_pages():
            if file.src_uri in self.tree.derived:
                original = self.tree.pages[self.tree.derived[file.src_uri]]
                file.content_string = self.tree.converters[self.language].page(spans(original.text))
        return files

    on_files = CombinedEvent(_announce, _fill)

    def on_env(self, env: Environment, *, config: MkDocsConfig, files: Files) -> Environment:
        """Give the templates the site's sentences."""
        env.globals["hexapla_say"] = say
        env.filters["without_alternates"] = alternates.without_alternates
        return env

    @event_priority(100)
    def on_page_markdown(self, markdown: str, *, page: Page, config: MkDocsConfig, files: Files) -> str:
        """Put the code and the glossary into the page."""
        written = localized(page.file).locale
        text, self.shown[page.file.src_uri] = expand(parse(markdown), self.tree, written)
        return glossary_table.fill(text, self.tree.terms, self.tree.project.languages, written)

    def on_page_content(self, html: str, *, page: Page, config: MkDocsConfig, files: Files) -> str:
        """Say below each block where it ran; say at the top what the reader has before them."""
        written = localized(page.file).locale
        shown = self.shown.pop(page.file.src_uri)
        notes = {
            number: note(each, self.tree, written, *(
                get_relative_url(url(each.include.path), page.url)
                for url in (snippet_pages.url, snippet_pages.notebook_url)
            ))
            for number, each in enumerate(shown)
        }
        html = join_lines(fill(html, shown, notes))
        drawn = {Path(file.src_uri).name for file in files.media_files()}
        html = localized_images.localize(html, drawn, self.tree.project.source.code, written)
        html = run_matrix.fill(html, self.tree, written, lambda url: get_relative_url(url, page.url))
        if written == self.language:
            name = localized(page.file).norm_src_uri.removesuffix(".md")
            html = self.translations.mark(html, written, name, get_relative_url("./", page.url))
        if written != self.language:
            html = banner(html, self.language, written)
        elif page.file.src_uri in self.tree.derived:
            html = html.replace("</h1>", f'</h1>\n<p class="hx-derived">{say(written, "derived")}</p>', 1)
        self.index(page, html)
        return html

    def index(self, page: Page, html: str) -> None:
        """Put a page into the index of the language being built, and keep it out of the theme's."""
        settings = page.meta.get("search") or {}
        if not settings.get("exclude"):
            self.entries[page.url] = search.entry(page.url, str(page.title), html)
        page.meta["search"] = {**settings, "exclude": True}

    @property
    def index_path(self) -> str:
        """Where the index of the language being built lies in the site."""
        return search.INDEX if self.language == self.tree.project.source.code else f"{self.language}/{search.INDEX}"

    @event_priority(40)
    def on_page_context(self, context: TemplateContext, *, page: Page, config: MkDocsConfig, nav: Navigation) -> None:
        """After the i18n plugin: the same page in the other languages, and which of them is the original."""
        context["hexapla_language"] = self.language  # type: ignore[typeddict-unknown-key]
        urls = alternates.urls(page.file)
        names = {language.code: language.name for language in self.tree.project.languages}
        # An attribute, as the i18n plugin sets it: templates look there before they look into the mapping.
        config.extra.alternate = [  # type: ignore[attr-defined]
            {"name": names[code], "link": url, "lang": code} for code, url in urls.items() if code in names
        ]
        source_language = self.tree.project.source.code
        available = self.tree.available(localized(page.file).norm_src_uri)
        if config.site_url:
            absolute = {code: urljoin(config.site_url, urls[code]) for code in available if code in urls}
            original = absolute[source_language]
            context["hexapla_alternates"] = absolute | {"x-default": original}  # type: ignore[typeddict-unknown-key]
            if localized(page.file).locale != self.language:
                page.canonical_url = original

    def on_post_page(self, output: str, *, page: Page, config: MkDocsConfig) -> str:
        """The theme's search box asks our worker, for the index of the page's language."""
        return search.use_worker(output, self.index_path)

    def on_post_template(self, output: str, *, template_name: str, config: MkDocsConfig) -> str:
        """MkDocs has one 404.html; each further language's goes into its own folder."""
        output = search.use_worker(output, self.index_path)
        if template_name != "404.html" or self.language == self.tree.project.source.code:
            return output
        write_file(output.encode(), str(Path(config.site_dir, self.language, template_name)))
        return ""

    @event_priority(-50)
    def _write_index(self, *, config: MkDocsConfig) -> None:
        """After each language: its search index."""
        write_file(search.index_json(self.entries.values()).encode(), str(Path(config.site_dir, self.index_path)))
        self.entries = {}

    @event_priority(-200)
    def _finish(self, *, config: MkDocsConfig) -> None:
        """After the last language: the pages of the sources, and the new site takes the old one's place."""
        if self.building_further_language or self.staging is None:
            return
        for url, content in snippet_pages.files(self.tree):
            write_file(content, str(self.staging / url))
        names = {language.code: language.name for language in self.tree.project.languages}
        for url, text in self.translations.files(names):
            write_file(text.encode(), str(self.staging / url))
        logging.getLogger("mkdocs").removeHandler(self.warnings)
        if config.strict and self.warnings.get_counts():
            return  # MkDocs is about to abort
        publication.publish(self.staging, self.site_dir)
        self.staging = None

    on_post_build = CombinedEvent(_write_index, _finish)

    def on_serve(self, server: LiveReloadServer, *, config: MkDocsConfig, builder: Any) -> None:
        """A change of a snippet, its evidence or its comments shows at once."""
        server.watch(str(self.tree.project.snippets))

    def on_shutdown(self) -> None:
        """Whatever stopped a build, leave nothing half-written behind."""
        if self.staging is not None:
            publication.discard(self.staging)


def banner(html: str, reader: str, written: str) -> str:
    """A page in another language than the reader's, marked as what it is."""
    title, text = escape(say(reader, "fallback-title")), escape(say(reader, "fallback"))
    return (
        f'<div class="admonition info hx-fallback" role="note"><p class="admonition-title">{title}</p>'
        f'<p>{text}</p></div>\n<div lang="{written}">\n{html}\n</div>'
    )
