"""What the site relies on inside mkdocs-static-i18n, and inside MkDocs for both of them.

Line numbers are those of mkdocs-static-i18n 1.3.1, below mkdocs_static_i18n/, and of MkDocs 1.6.1, below mkdocs/.
"""

import sys
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple, Protocol, cast

from mkdocs.commands import build as build_command
from mkdocs.commands import serve as serve_command
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.livereload import LiveReloadServer
from mkdocs.plugins import BasePlugin
from mkdocs.structure.files import File
from mkdocs.utils import get_relative_url

from hexapla.site.upstream.contract import Contract, Expectation, enforce_contract, name_with_version
from hexapla.site.upstream.mkdocs_build import mkdocs_build

# The order in which one event reaches the two plugins, ours by the names of methods; when the i18n plugin takes it.
ORDER = {
    "config": (("on_config", "i18n"), "after Hexapla", "plugin.py:33-34"),
    "files": (("_announce_pages", "i18n", "_note_files"),
              "(priority -100) after Hexapla has announced pages and before it fills them", "plugin.py:67-68"),
    "page_context": (("i18n", "on_page_context"), "(priority 50) before Hexapla", "plugin.py:198-199"),
    "post_build": (("_write_index", "i18n", "_finish_site"),
                   "(priority -100) after Hexapla has written an index and before it finishes the site",
                   "plugin.py:226-227"),
}
# What it gives the method that finds alternates.
FILES = ("i18n_src_uris", "i18n_alternate_src_uris", "mkdocs_config", "create_i18n_file")


class I18nPlugin(Protocol):
    """What a build reads and sets of the i18n plugin, which has no types of its own."""

    building: bool
    current_language: str
    default_language: str
    build_languages: Sequence[str]
    config: Mapping[str, list[Mapping[str, Any]]]  # an entry has values of many types


def i18n_plugin(config: MkDocsConfig) -> I18nPlugin:
    """The i18n plugin of a configuration that has it."""
    return cast(I18nPlugin, config.plugins["i18n"])


def current_language(config: MkDocsConfig) -> str:
    """The language that is being built."""
    return i18n_plugin(config).current_language


class Plugins(NamedTuple):
    """The two plugins of a build."""

    own: BasePlugin  # type: ignore[type-arg]  # MkDocs makes a class of its argument
    i18n: I18nPlugin
    config: MkDocsConfig


class LanguageFiles(NamedTuple):
    """The pages of the build of one language, after the i18n plugin."""

    language: str
    languages: Collection[str]
    pages: Sequence[Any]  # a File with attributes that MkDocs does not know
    site_dir: str


def is_in_order(event: str, plugins: Plugins) -> bool:
    """Whether the methods of an event are called in the order of `ORDER`."""
    names = []
    for method in plugins.config.plugins.events[event]:
        owner = getattr(method, "__self__", None)
        if owner is plugins.i18n:
            names.append("i18n")
        elif owner is plugins.own:
            names.append(getattr(method, "__name__", ""))
    return tuple(names) == ORDER[event][0]


def builds_inside(plugins: Plugins) -> bool:
    """Whether the i18n plugin's module calls MkDocs' own build for the further languages."""
    modules = (sys.modules[each.__module__] for each in type(plugins.i18n).__mro__)
    return any(getattr(module, "build", None) is mkdocs_build for module in modules)


def on_each_page(holds: Callable[[Any, LanguageFiles], bool]) -> Callable[[LanguageFiles], bool]:
    """A check of every page."""
    return lambda files: all(holds(page, files) for page in files.pages)


STARTED: Contract[Plugins] = Contract("mkdocs-static-i18n", "1.3.1", (
    Expectation(
        "state",
        "say in its attributes `building` and `current_language` what it builds",
        "reconfigure.py:84-85",
        lambda plugins: isinstance(plugins.i18n.building, bool) and hasattr(plugins.i18n, "current_language"),
    ),
    Expectation(
        "languages",
        "have its languages in config[\"languages\"], each with locale, name, default and build",
        "config.py:27-45",
        lambda plugins: all(
            {"locale", "name", "default", "build"} <= {*each} for each in plugins.i18n.config["languages"]
        ),
    ),
    Expectation(
        "list of languages",
        "name the languages that are built in build_languages, and the first in default_language",
        "reconfigure.py:93-111",
        lambda plugins: plugins.i18n.default_language in plugins.i18n.build_languages,
    ),
    Expectation(
        "builds",
        "build the further languages inside on_post_build with mkdocs.commands.build.build",
        "plugin.py:10, 227-285",
        builds_inside,
    ),
    Expectation(
        "lists of files",
        "select a language's files in reconfigure_files, and give reconfigure_files_alternates those, the others, the "
        "configuration and what makes a file",
        "reconfigure.py:521-647, 653-707; folder.py:15-94",
        lambda plugins: cast(Any, type(plugins.i18n)).reconfigure_files_alternates.__code__.co_varnames[1:5] == FILES,
    ),
    *(Expectation(f"order of on_{event}", f"take on_{event} {when}", upstream, partial(is_in_order, event))
      for event, (_, when, upstream) in ORDER.items()),
))

PAGES: Contract[LanguageFiles] = Contract("mkdocs-static-i18n", "1.3.1", (
    Expectation(
        "locale",
        "say in File.locale which language a page is written in",
        "folder.py:87",
        on_each_page(lambda page, files: page.locale in files.languages),
    ),
    Expectation(
        "path",
        "say in File.norm_src_uri a page's path below its language's folder",
        "folder.py:92-94",
        on_each_page(lambda page, files: page.src_uri in (page.norm_src_uri, f"{page.locale}/{page.norm_src_uri}")),
    ),
    Expectation(
        "alternates",
        "map in File.alternates languages to the same page, the page itself among them",
        "folder.py:86, reconfigure.py:659-707",
        on_each_page(lambda page, files: isinstance(page.alternates, Mapping) and files.language in page.alternates
                     and all(isinstance(each, File) for each in page.alternates.values())),
    ),
    Expectation(
        "place",
        "write pages into the folder that MkDocs' site_dir names",
        "folder.py:75",
        on_each_page(lambda page, files: Path(page.abs_dest_path).is_relative_to(files.site_dir)),
    ),
))

BUILT: Contract[tuple[set[str], set[str]]] = Contract("mkdocs-static-i18n", "1.3.1", (
    Expectation(
        "every language",
        "build every language of its configuration",
        "plugin.py:260-264",
        lambda languages: languages[0] >= languages[1],
    ),
))

MKDOCS: Contract[MkDocsConfig] = Contract("mkdocs", "1.6.1", (
    Expectation(
        "commands",
        "look up the build that its commands call in mkdocs.commands.build and mkdocs.commands.serve",
        "__main__.py:288; commands/serve.py:67",
        lambda config: callable(build_command.build) and callable(vars(serve_command)["build"]),
    ),
    Expectation(
        "server",
        "give its server the attributes server_address, url and mount_path",
        "livereload/__init__.py:115-116",
        lambda config: {"url", "mount_path"} <= {*LiveReloadServer.__init__.__code__.co_names},
    ),
    Expectation(
        "events",
        "keep the methods of an event as a list in plugins.events, in the order of their calls",
        "plugins.py:506-525",
        lambda config: all(isinstance(config.plugins.events[event], list) for event in ORDER),
    ),
    Expectation(
        "folders of templates",
        "look for templates in the list theme.dirs",
        "theme.py:54-64, 160",
        lambda config: isinstance(config.theme.dirs, list) and Path(config.theme.dirs[0]).is_dir(),
    ),
    Expectation(
        "relative addresses",
        "give with get_relative_url an address as seen from a page",
        "utils/__init__.py:177-206",
        lambda config: get_relative_url("a/b.html", "zh/c/") == "../../a/b.html",
    ),
    Expectation(
        "generated text",
        "let a plugin give a page its text with File.content_string",
        "structure/files.py:450-470",
        lambda config: isinstance(getattr(File, "content_string", None), property),
    ),
))


def check_plugins(plugins: Plugins) -> None:
    """Raise PluginError where MkDocs or the i18n plugin is not what a build relies on."""
    engine = "properdocs" if "properdocs" in sys.modules else "mkdocs"
    enforce_contract(MKDOCS, plugins.config, name_with_version(engine))
    enforce_contract(STARTED, plugins, name_with_version("mkdocs-static-i18n"))


def check_pages(files: LanguageFiles) -> None:
    """Raise PluginError where the pages of a language are not as the i18n plugin should have made them."""
    enforce_contract(PAGES, files, name_with_version("mkdocs-static-i18n"))


def check_languages(built: set[str], wanted: set[str]) -> None:
    """Raise PluginError where a language was not built."""
    enforce_contract(BUILT, (built, wanted), name_with_version("mkdocs-static-i18n"))
