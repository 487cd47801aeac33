"""The site in one language, as MkDocs' events make it: several can be held at a time.

MkDocs and the i18n plugin have one configuration, which is made over for each language in turn, and one list of files
and one navigation, which are thrown away. Here each language keeps its own.
"""

from collections.abc import Sequence
from copy import copy, deepcopy
from dataclasses import dataclass

from jinja2 import Environment
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files, InclusionLevel, get_files, set_exclusions
from mkdocs.structure.nav import Navigation, get_navigation
from mkdocs.structure.pages import Page

from hexapla.site.upstream.i18n_contract import current_language, i18n_plugin
from hexapla.site.upstream.i18n_files import files_made_once

Item = tuple[int, str]  # the number of a language's site, and the path of a page in docs


@dataclass
class LanguageSite:
    """A language's configuration, files and navigation; `titled` are the pages whose title the navigation gives."""

    language: str
    config: MkDocsConfig
    files: Files
    nav: Navigation
    pages: Sequence[File]
    titled: frozenset[str]

    def enter(self) -> None:
        """Make this the language that the plugins work for."""
        i18n_plugin(self.config).current_language = self.language

    def page(self, path: str) -> Page:
        """The page at a path in docs."""
        page = self.files.src_uris[path].page
        assert isinstance(page, Page)
        return page


def make_language_sites(config: MkDocsConfig, serving: bool) -> list[LanguageSite]:
    """The site in every language that is built, the default one first; `config` is as it was loaded."""
    i18n = i18n_plugin(config)
    listed: Files | None = None
    made: list[LanguageSite] = []
    others = (each for each in i18n.build_languages if each != i18n.default_language)
    with files_made_once(i18n):
        for language in [i18n.default_language, *others]:
            i18n.current_language = language
            i18n.building = bool(made)
            config = config.plugins.on_config(config)
            config.plugins.on_pre_build(config=config)
            listed = listed or list_files(config)
            made.append(make_language_site(config, listed, serving))
    i18n.building = True  # or its on_post_build would build them all again
    return made


def list_files(config: MkDocsConfig) -> Files:
    """The files of the docs, then those of the theme that these do not replace."""
    files, theme_files = get_files(config), Files([])
    theme_files.add_files_from_theme(config.theme.get_env(), config)
    for file in theme_files:
        if file.src_uri not in files.src_uris:
            files.append(file)
    return files


def make_language_site(config: MkDocsConfig, listed: Files, serving: bool) -> LanguageSite:
    """The site in the language that the i18n plugin is set to."""
    files = Files([copy(file) for file in listed])  # plugins change them
    files = config.plugins.on_files(files, config=config)
    set_exclusions(files, config)
    nav = config.plugins.on_nav(get_navigation(files, config), config=config, files=files)
    inclusion = InclusionLevel.is_in_serve if serving else InclusionLevel.is_included
    pages = files.documentation_pages(inclusion=inclusion)
    for file in pages:
        if file.page is None:
            Page(None, file, config)  # one that the navigation leaves out on purpose
    titled = frozenset(file.src_uri for file in pages if file.page is not None and file.page.title is not None)
    own = copy(config)
    own.theme, own.extra = deepcopy(config.theme), deepcopy(config.extra)
    return LanguageSite(current_language(config), own, files, nav, pages, titled)


def make_environment(sites: Sequence[LanguageSite], config: MkDocsConfig) -> Environment:
    """The environment of the templates of all languages; a line with a tag alone is none of a page."""
    env = config.theme.get_env()
    env.trim_blocks = env.lstrip_blocks = True
    for site in sites:
        site.enter()
        env = config.plugins.on_env(env, config=site.config, files=site.files)
    return env
