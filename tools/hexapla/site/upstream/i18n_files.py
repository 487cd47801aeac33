"""The files of each language and their alternates, in time linear in languages.

mkdocs-static-i18n makes a File of every page of every language for each language that it lists, and to find the
alternates of one of its pages it makes those of all the others, for each language again. Here it is given the files
that it selects from, and each File of a language is made once: an alternate elsewhere, and a copy of it is listed
there. The lists of 100 pages in ten languages take 0.4 CPU seconds where they took 5.4; those of five languages 0.2
where they took 0.6: twice the languages, twice the time, not eight times.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from copy import copy
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs_static_i18n import folder  # type: ignore[import-untyped]

from hexapla.site.upstream.i18n_contract import I18nPlugin

create_file: Any = folder.create_i18n_file  # a File with attributes that MkDocs does not know


@contextmanager
def files_made_once(i18n: I18nPlugin) -> Iterator[None]:
    """While it holds, the i18n plugin selects files from those it may show, and alternates are made once."""
    plugin: Any = i18n
    if plugin.config["docs_structure"] != "folder":
        yield
        return
    made = FilesOfLanguages(plugin)
    plugin.reconfigure_files, plugin.reconfigure_files_alternates = made.select_files, made.add_alternates
    folder.create_i18n_file = made.list_file
    try:
        yield
    finally:
        folder.create_i18n_file = create_file
        del plugin.reconfigure_files, plugin.reconfigure_files_alternates


class FilesOfLanguages:
    """What is known of the files of a docs folder, whichever language is listed.

    A file's locale, and what its path begins with where that is a language's folder, are those of its first folder.
    """

    def __init__(self, plugin: Any) -> None:
        self.plugin, self.select = plugin, plugin.reconfigure_files
        self.languages: list[str] = plugin.all_languages
        self.places: dict[str, tuple[str, str]] = {}
        self.made: dict[tuple[str, str, object, str], Any] = {}
        self.others: dict[str, dict[str, File]] = {}

    def select_files(self, files: Files, config: MkDocsConfig) -> Files:
        """The files of the language that is listed; those that it cannot show are seen as alternates alone."""
        current, self.others = self.plugin.current_language, {}
        default = self.plugin.default_language if self.plugin.config["fallback_to_default"] is True else current
        shown: dict[str, File] = {}
        for file in files:
            locale, name = self.place(file, config)
            key = f"/{name}" if name and current != default else file.src_uri
            if locale == current or (locale in {default, ""} and key not in shown):
                shown[key] = file  # a translation in the place of its original, as the plugin orders them
            if locale not in {current, ""}:
                self.others.setdefault(name, {}).setdefault(locale, file)
        found: Files = self.select([*shown.values()], config)
        return found

    def place(self, file: File, config: MkDocsConfig) -> tuple[str, str]:
        """The locale of a page and its path below that language's folder, ("", "") for what is no page of the docs."""
        if not file.is_documentation_page() or file.src_dir != config.docs_dir:
            return "", ""
        above = file.src_uri.partition("/")[0]
        if above not in self.places:
            made = create_file(file, self.plugin.current_language, self.plugin.default_language, self.languages, config)
            self.places[above] = (made.locale, f"{made.localization}/" if made.localization else "")
        locale, localized = self.places[above]
        return locale, file.src_uri.removeprefix(localized)

    def add_alternates(
        self, found: Mapping[str, Any], others: Mapping[str, Sequence[File]], config: MkDocsConfig, create: object
    ) -> None:
        """Give each file its alternates: for each language the file in it, else what readers get instead."""
        default = self.plugin.default_language
        falls_back = self.plugin.config["fallback_to_default"] is True
        languages = sorted(self.plugin.build_languages)
        for name, file in found.items():
            there = self.others.get(name, {}) if file.is_documentation_page() else {}
            instead = there.get(default, file if file.locale == default else None) if falls_back else None
            for language in languages:
                shown = there.get(language, instead)
                if language not in file.alternates and shown is not None:
                    file.alternates[language] = self.create_file(shown, language, default, self.languages, config)

    def list_file(self, file: File, language: str, *rest: Any) -> Any:
        """A file as it is listed for a language, which gets a page there and alternates."""
        listed = copy(self.create_file(file, language, *rest))
        listed.alternates = {language: listed}
        return listed

    def create_file(
        self, file: File, language: str, default: str, languages: Sequence[str], config: MkDocsConfig
    ) -> Any:
        """A file as it is for a language, made once."""
        key = (file.src_uri, file.dest_uri, file.inclusion, language)
        if key not in self.made:
            self.made[key] = create_file(file, language, default, languages, config)
        return self.made[key]
