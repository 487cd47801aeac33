"""Reads the state of a build from MkDocs' configuration, and adds Hexapla's theme to that configuration."""

from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import PluginError

from hexapla.config.mkdocs_yaml import read_settings
from hexapla.config.project import make_project
from hexapla.errors import ConfigError
from hexapla.files import links_outside
from hexapla.languages import base, bcp47, is_traditional
from hexapla.pages import inline_markup
from hexapla.site import sources
from hexapla.site.build import highlighting_cache
from hexapla.site.build.check_hook import SavedPages, build_errors, check_pages
from hexapla.site.last_change import main_branch
from hexapla.site.page import translation_status
from hexapla.site.page.page_extension import EXTENSION
from hexapla.site.state import BuildState, CurrentBuild
from hexapla.site.texts.strings import register_project_strings
from hexapla.site.upstream.i18n_contract import I18nPlugin, i18n_plugin
from hexapla.site.upstream.theme_contract import OWN

EDITED = "edit/master/"  # where MkDocs has pages of GitHub and GitLab edited


def read_state(config: MkDocsConfig, ahead: bool = False, saved: SavedPages | None = None) -> BuildState:
    """Read what the site is made of. Raises PluginError.

    With `ahead` the findings of all pages are in that error, in a strict build those too that `hexapla check` calls
    errors. `saved` tells of the pages that were saved since the build before.
    """
    try:
        file = Path(config.config_file_path).resolve()  # as given: `--config-file mkdocs.yml` is relative
        settings, languages = read_settings(file), i18n_plugin(config).config["languages"]
        project = make_project(file.parent, config.docs_dir, languages, config.plugins["hexapla"].config, settings)
        for link in links_outside(project.root, project.docs):  # MkDocs would follow it, for ever if it is a loop
            raise PluginError(f"{str(link)!a}: is a link out of the project, or to a folder above; take it out")
        register_project_strings(project)
        read, site = sources.read_sources(project), Path(config.site_dir)
        built = {entry["locale"] for entry in languages if entry["build"]}
        names = {each.code: each.name for each in project.languages if each.code in built}
        state = BuildState(file, settings, read, translation_status.read_status(read, settings), names, site, site)
        if saved:
            saved.report(state)
        findings = build_errors(read.findings, state) if ahead else ()
        if ahead and config.strict and not findings:
            findings = tuple(each for each in check_pages(state) if each.severity == "error")
    except ConfigError as error:
        raise PluginError(str(error)) from error
    if findings:
        raise PluginError("\n".join(["the site was not built:", *map(str, findings)]))
    return state


def add_own_theme(config: MkDocsConfig, current: CurrentBuild) -> MkDocsConfig:
    """Add Hexapla's templates, styles and scripts, its extension of Markdown, and shortcuts in rendering."""
    config.theme.dirs.insert(0, str(OWN))
    edited = config.edit_uri or ""
    given = current.state.settings.get("edit_uri")
    if given is None and edited.startswith(EDITED) and (branch := main_branch(Path(config.config_file_path).parent)):
        config.edit_uri = edited.replace("master", branch, 1)  # MkDocs cannot know the name
    config.extra_css.insert(0, "assets/hexapla/hexapla.css")
    config.extra_javascript += ["assets/hexapla/hexapla.js"]
    if inline_markup.OTHER_MARKUP.isdisjoint(config.markdown_extensions):
        config.markdown_extensions.append(inline_markup.__name__)
    config.markdown_extensions += [highlighting_cache.__name__, EXTENSION]
    config.mdx_configs[EXTENSION] = {"build": current}
    return config


def set_theme_language(config: MkDocsConfig, i18n: I18nPlugin) -> None:
    """Set the theme's language to the one that is built, as the i18n plugin does for the theme named material alone.

    A language without strings in the theme has those of its base, or the English ones: the theme would raise an error.
    `hexapla_language` is then what its pages say they are written in, "" for any other.
    """
    if config.theme.name != "material" and "language" in config.theme:
        built = next(each for each in i18n.config["languages"] if each["locale"] == i18n.current_language)
        config.theme["language"] = (built["theme"] or {}).get("language", i18n.current_language)
    folders = [Path(folder, "partials/languages") for folder in config.theme.dirs]
    if "language" in config.theme and any((folder / "en.html").is_file() for folder in folders):
        wanted = str(config.theme["language"])
        near = (wanted, "zh-Hant" if is_traditional(wanted) else base(wanted), "en")
        known = next(code for code in near if any((folder / f"{code}.html").is_file() for folder in folders))
        config.theme["language"], config.theme["hexapla_language"] = known, "" if known == wanted else bcp47(wanted)
