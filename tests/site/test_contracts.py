"""What the site relies on inside the theme, the i18n plugin and MkDocs holds; where it does not, the build stops."""

import logging
import re
import shutil
import subprocess
from importlib.metadata import version
from pathlib import Path
from types import SimpleNamespace

import mkdocs_static_i18n.plugin
import pytest
from hexapla.errors import ConfigError
from hexapla.site.page.snippet_includes import insert_notes
from hexapla.site.search import search_index
from hexapla.site.upstream import i18n_contract, theme_contract
from hexapla.site.upstream.contract import is_met
from hexapla.site.upstream.i18n_contract import LanguageFiles, Plugins
from hexapla.site.upstream.theme_contract import ThemeFiles, check_theme
from mkdocs.commands.build import build as build_in_process
from mkdocs.config import load_config
from mkdocs.exceptions import Abort, PluginError
from mkdocs.structure.files import File

from tests.site.project import CONFIG, build, lay

PATCH = Path(__file__).parents[2] / "docs/assets/static-i18n-alternates.patch"

ROOT = Path(__file__).parents[2]
CONSTRAINTS = (ROOT / "constraints.txt").read_text(encoding="utf-8")
CONTRACTS = (theme_contract.MATERIAL, i18n_contract.STARTED, i18n_contract.PAGES, i18n_contract.BUILT,
             i18n_contract.MKDOCS)
BUNDLE = "assets/javascripts/bundle.*.min.js"
# What another theme, or another version of this one, may write instead: file, text there, text then.
OTHER_THEMES = {
    "search worker": ("base.html", '"search": "assets/javascripts/workers/', '"search": "assets/workers/'),
    "search messages": (BUNDLE, "{type:2,data:", '{type:"query",data:'),
    "search items": (BUNDLE, "md-search-result__article", "mx-search-result__article"),
    "search box": (BUNDLE, '"keyup"', '"input"'),
    "blocks": ("base.html", "{% block extrahead %}", "{% block head_end %}"),
    "hreflang": ("base.html", '<link rel="alternate" href="{{ alt.link', '<link href="{{ alt.link'),
    "language switcher": ("partials/alternate.html", "md-select__link", "mx-select__link"),
    "strings": ("partials/language.html", "macro t(key)", "macro text(key)"),
    "version menu": (BUNDLE, 'document.body,"click")', 'document.head,"click")'),
    "index of its own": ("../plugins/search/plugin.py", 'search.get("exclude")', 'search.get("hidden")'),
    "md-footer-meta": ("partials/footer.html", "md-footer-meta ", "mx-footer-meta "),
    "md-source__fact--version": (BUNDLE, "md-source__fact--", "mx-source__fact--"),
    "md-code__button--active": (BUNDLE, "md-code__button--active", "mx-code__button--active"),
    "--md-code-hl-comment-color": ("assets/stylesheets/*.min.css", "--md-code-hl-comment-color", "--mx-comment"),
    "search dialog": ("partials/search.html", 'role="dialog"', 'role="search"'),
    "sitemaps": (BUNDLE, '"link[rel=alternate]"', '"link[hreflang]"'),
}


@pytest.fixture
def config():
    """The configuration of our own site, all plugins loaded."""
    return load_config(str(ROOT / "mkdocs.yml"))


@pytest.fixture
def plugins(config):
    return Plugins(config.plugins["hexapla"], config.plugins["i18n"], config)


@pytest.fixture
def files():
    """Two pages as the i18n plugin makes them in the build of Chinese."""
    def page(locale, name):
        file = File(f"{locale}/{name}", "docs", "/site", True, dest_uri=f"zh/{name}")
        file.locale, file.norm_src_uri, file.alternates = locale, name, {"zh": file}
        return file

    return LanguageFiles("zh", ("en", "zh"), [page("zh", "a.md"), page("en", "b/c.md")], "/site")


def replaced(theme, folder, pattern, old, new):
    """A theme whose files have other text: they lie in a `custom_dir`."""
    text = ThemeFiles(theme).text(pattern)
    assert old in text
    target = folder / "custom" / pattern.replace("*", "other")
    (folder / "custom").mkdir()
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(text.replace(old, new), encoding="utf-8")
    theme.dirs.insert(0, str(folder / "custom"))
    return theme


def told(check, contract, name, caplog):
    """What is said where an expectation does not hold; PluginError if it must, a warning of MkDocs otherwise."""
    expectation = next(each for each in contract.expectations if each.name == name)
    if expectation.stops:
        with pytest.raises(PluginError) as raised:
            check()
        said = str(raised.value)
        assert said.startswith("the site was not built: ")
    else:
        with caplog.at_level(logging.WARNING, "mkdocs"):
            check()
        (said,) = [record.getMessage() for record in caplog.records]
    assert f" does not {expectation.does}, as {contract.package} {contract.tested} does (" in said
    assert expectation.upstream in said and f"install {contract.package}=={contract.tested}" in said
    return said


@pytest.mark.parametrize("contract", CONTRACTS, ids=lambda contract: contract.package)
def test_a_contract_names_the_version_that_is_tested_here(contract):
    assert f"\n{contract.package}=={contract.tested} " in CONSTRAINTS


@pytest.mark.parametrize("expectation", theme_contract.MATERIAL.expectations, ids=lambda each: each.name)
def test_the_theme_is_as_we_rely_on_it(expectation, config):
    assert is_met(expectation, ThemeFiles(config.theme))


@pytest.mark.parametrize("name", OTHER_THEMES)
def test_another_theme_is_told(name, config, tmp_path, caplog):
    theme = replaced(config.theme, tmp_path, *OTHER_THEMES[name])
    said = told(lambda: check_theme(theme, {}), theme_contract.MATERIAL, name, caplog)
    assert "mkdocs-material-" in said


def test_a_theme_without_a_404_page_is_told(config, caplog):
    config.theme.static_templates.discard("404.html")
    told(lambda: check_theme(config.theme, config.plugins), theme_contract.MATERIAL, "404 page", caplog)


def test_every_expectation_of_a_theme_has_been_broken():
    selected = {each.name for each in theme_contract.NAMED}
    assert len(selected) > 50 and len(selected & OTHER_THEMES.keys()) == 4  # one of each kind
    assert {each.name for each in theme_contract.MATERIAL.expectations} == {*OTHER_THEMES, *selected, "404 page"}


@pytest.mark.parametrize("expectation", i18n_contract.STARTED.expectations, ids=lambda each: each.name)
def test_the_i18n_plugin_is_as_we_rely_on_it(expectation, plugins):
    assert is_met(expectation, plugins)


@pytest.mark.skipif(version("mkdocs-static-i18n") != "1.3.1", reason="the patch is for 1.3.1")
def test_the_patch_that_is_offered_applies(tmp_path):
    package = Path(mkdocs_static_i18n.plugin.__file__).parent
    shutil.copytree(package, tmp_path / package.name, ignore=shutil.ignore_patterns("__pycache__"))
    ended = subprocess.run(["git", "apply", "-v", PATCH], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (ended.returncode, ended.stdout) == (0, ""), ended.stderr
    assert (tmp_path / package.name / "reconfigure.py").read_text() != (package / "reconfigure.py").read_text()


@pytest.mark.parametrize("expectation", i18n_contract.MKDOCS.expectations, ids=lambda each: each.name)
def test_mkdocs_is_as_we_rely_on_it(expectation, config):
    assert is_met(expectation, config)


@pytest.mark.parametrize("name", [each.name for each in i18n_contract.STARTED.expectations])
def test_another_i18n_plugin_is_told(name, plugins, monkeypatch, caplog):
    if name == "state":
        monkeypatch.setattr(plugins.i18n, "building", "en")
    elif name == "languages":
        monkeypatch.setitem(plugins.i18n.config, "languages", [{"code": "en"}])
    elif name == "list of languages":
        monkeypatch.delattr(type(plugins.i18n).__mro__[1], "build_languages")
    elif name == "lists of files":
        monkeypatch.setattr(type(plugins.i18n), "reconfigure_files_alternates", lambda plugin, files: None)
    elif name == "builds":
        monkeypatch.setattr(mkdocs_static_i18n.plugin, "build", print)
    else:
        plugins.config.plugins.events[name.removeprefix("order of on_")].reverse()
    told(lambda: i18n_contract.check_plugins(plugins), i18n_contract.STARTED, name, caplog)


@pytest.mark.parametrize("name", [each.name for each in i18n_contract.MKDOCS.expectations])
def test_another_mkdocs_is_told(name, plugins, monkeypatch, caplog):
    if name == "events":
        monkeypatch.setattr(plugins.config.plugins, "events", {})
    elif name == "folders of templates":
        monkeypatch.setattr(plugins.config.theme, "dirs", ())
    elif name == "commands":
        monkeypatch.delattr("mkdocs.commands.serve.build")
    elif name == "server":
        monkeypatch.setattr("mkdocs.livereload.LiveReloadServer.__init__", lambda self, builder: None)
    elif name == "relative addresses":
        monkeypatch.setattr(i18n_contract, "get_relative_url", lambda url, other: url)
    else:
        monkeypatch.delattr(File, "content_string")
    told(lambda: i18n_contract.check_plugins(plugins), i18n_contract.MKDOCS, name, caplog)


@pytest.mark.parametrize(("name", "other"), [
    ("locale", {"locale": "zh_CN"}),
    ("path", {"norm_src_uri": "zh/a"}),
    ("alternates", {"alternates": {"en": None}}),
    ("place", {"abs_dest_path": "/elsewhere/a/index.html"}),
])
def test_pages_that_are_otherwise_are_told(name, other, files, caplog):
    i18n_contract.check_pages(files)
    changed = SimpleNamespace(**{key: getattr(files.pages[0], key) for key in (
        "locale", "norm_src_uri", "alternates", "abs_dest_path", "src_uri")} | other)
    told(lambda: i18n_contract.check_pages(files._replace(pages=[files.pages[1], changed])),
         i18n_contract.PAGES, name, caplog)


def stopped(root, caplog):
    """What a build in this process says when it is aborted; the site before is left alone."""
    config = load_config(str(root / "mkdocs.yml"))
    config.plugins.on_startup(command="build", dirty=False)
    with caplog.at_level(logging.ERROR, "mkdocs"), pytest.raises(Abort):
        build_in_process(config)
    config.plugins.on_shutdown()
    assert not (root / "site").exists() and not list(root.glob(".site*"))
    return caplog.records[-1].getMessage()


def test_a_build_stops_where_a_language_is_not_built(tmp_path, monkeypatch, caplog):
    def first_alone(plugin, config): ...

    first_alone.mkdocs_priority = -100
    monkeypatch.setattr(mkdocs_static_i18n.plugin.I18n, "on_post_build", first_alone)
    assert "does not build every language of its configuration" in stopped(lay(tmp_path, {}), caplog)


def test_a_build_stops_where_pages_do_not_say_their_language(tmp_path, monkeypatch, caplog):
    files_of = mkdocs_static_i18n.plugin.I18n.reconfigure_files

    def without_locale(*arguments):
        files = files_of(*arguments)
        for file in files.documentation_pages():
            del file.locale
        return files

    monkeypatch.setattr(mkdocs_static_i18n.plugin.I18n, "reconfigure_files", without_locale)
    assert "does not say in File.locale" in stopped(lay(tmp_path, {}), caplog)


def test_a_build_stops_where_the_plugins_are_called_in_another_order(tmp_path, monkeypatch, caplog):
    monkeypatch.setattr(mkdocs_static_i18n.plugin.I18n.on_files, "mkdocs_priority", -300)
    assert "does not take on_files (priority -100) after" in stopped(lay(tmp_path, {}), caplog)


def test_a_theme_that_sets_up_its_search_otherwise_stops_a_build(tmp_path, config):
    """As MaterialX does: the search is one of several, each with options of its own."""
    theme = ThemeFiles(config.theme).text("base.html")
    worker = re.search(r'"search": ("[^"]*" \| url)', theme)[1]
    other = theme.replace(worker, f'{{"provider": "lunr", "options": {{"workerUrl": {worker}}}}}')
    custom = CONFIG.replace("font: false}", "font: false, custom_dir: custom}")
    built = build(lay(tmp_path, {"mkdocs.yml": custom, "custom/base.html": other}))
    assert built.status == 1
    assert "does not name its search worker" in built.said and "install mkdocs-material==" in built.said
    assert "Traceback" not in built.said
    assert not built.site.exists()


def test_a_theme_that_looks_otherwise_stops_a_strict_build_alone(tmp_path, config):
    footer = ThemeFiles(config.theme).text("partials/footer.html").replace("md-footer-meta ", "mx-footer-meta ")
    custom = CONFIG.replace("font: false}", "font: false, custom_dir: custom}")
    root = lay(tmp_path, {"mkdocs.yml": custom, "custom/partials/footer.html": footer})
    said = "does not name md-footer-meta, which Hexapla's styles or scripts select"
    for arguments, status in ([], 0), (["--strict"], 1):
        built = build(root, *arguments)
        assert (built.status, built.said.count(said)) == (status, 1)


def test_notes_that_markdown_has_lost_stop_a_build():
    assert insert_notes("<p>\ue0f0hexapla0\ue0f1</p>", {0: "note"}) == "note"
    with pytest.raises(ConfigError, match="1 of 2 blocks of code have lost their notes"):
        insert_notes("<p>\ue0f0hexapla0\ue0f1</p>", {0: "note", 1: "other"})


class OtherSearch:
    """MaterialX's search plugin, as mkdocs.yml sets it up."""

    def __init__(self, provider):
        self.config = {"provider": provider}


def test_a_search_of_materialx_that_ours_cannot_replace_stops_the_build():
    theme_contract.check_provider(OtherSearch("lunr"))
    for search in (OtherSearch("pagefind"), None):
        with pytest.raises(PluginError, match=r"write the plugin as `search: \{provider: lunr\}`"):
            theme_contract.check_provider(search)


def test_the_worker_is_replaced_where_materialx_names_it():
    named = '"search": {"options": {"workerUrl": "../assets/javascripts/workers/search.0a.min.js"}, "provider": "lunr"}'
    page = search_index.use_worker(f'<script id="__config">{{{named}}}</script>', "zh/search/index.json")
    assert '"workerUrl": "../assets/hexapla/search-worker.js?index=../../zh/search/index.json"' in page
