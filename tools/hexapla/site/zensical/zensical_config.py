"""The configuration and the templates of a language's tree, as Zensical reads them.

Line numbers are those of zensical 0.0.73, below zensical/templates/ if not said otherwise.
"""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import yaml
from mkdocs.structure import StructureItem
from mkdocs.structure.files import File
from mkdocs.structure.nav import Link, Section
from mkdocs.structure.pages import Page

from hexapla.site.language_site import LanguageSite
from hexapla.site.page.alternate_links import absolute_url
from hexapla.site.page.page_extension import EXTENSION
from hexapla.site.texts.strings import say_sentence

TEMPLATES = Path(__file__).parent
COPIED = ("site_description", "site_author", "copyright", "repo_url", "repo_name", "use_directory_urls", "extra_css")


def read_templates() -> dict[str, str]:
    """The templates of a tree, by their paths in it."""
    found = sorted(TEMPLATES.rglob("*.html"))
    return {f"overrides/{file.relative_to(TEMPLATES).as_posix()}": file.read_text(encoding="utf-8") for file in found}


def make_configuration(
    site: LanguageSite, languages: Mapping[str, str], path: Callable[[File], str], root: Path
) -> str:
    """A language's mkdocs.yml; `path` gives a page's path in the tree, `root` is the project's folder."""
    config, source = site.config, next(iter(languages))
    own = "" if site.language == source else f"{site.language}/"
    settings: dict[str, object] = {
        "site_name": config.site_name,
        "site_url": absolute_url(config.site_url, own) if config.site_url else None,
        **{name: config[name] for name in COPIED},
        "edit_uri": "",
        "theme": make_theme_options(site),
        "extra_javascript": [str(each) for each in config.extra_javascript],
        "markdown_extensions": list_extensions(site, root),
        "plugins": ["search"],
        "extra": {**config.extra, "alternate": True, "hexapla": language_settings(site.language, languages, own)},
        "nav": [make_nav_entry(item, site, path) for item in site.nav.items],
        # What pages link to in the joined site is checked when it is staged.
        "validation": {"not_found": "ignore", "anchors": "ignore"},
    }
    kept = {name: value for name, value in settings.items() if value is not None}
    return yaml.dump(kept, allow_unicode=True, sort_keys=False, width=1000)


def make_theme_options(site: LanguageSite) -> dict[str, object]:
    """The theme's options: Zensical's own theme knows those of Material, and has its look as a variant."""
    left_out = {"static_templates", "locale"}  # sets, and an object of Babel's
    options = {name: value for name, value in site.config.theme.items() if name not in left_out}
    return {"variant": "classic", **options, "name": "material", "custom_dir": "overrides"}


def list_extensions(site: LanguageSite, root: Path) -> list[object]:
    """The extensions of Markdown, of ours the one that pages need."""
    names = [name for name in site.config.markdown_extensions if not name.startswith("hexapla.")]
    options = {name: dict(site.config.mdx_configs.get(name) or {}) for name in names}
    options[EXTENSION] = {"project": str(root), "language": site.language}
    return [{name: given} if given else name for name, given in options.items()]


def language_settings(language: str, languages: Mapping[str, str], own: str) -> dict[str, object]:
    """What the templates show without a page: the languages, and what 404.html says in each."""
    shown: Sequence[str] = [language] if own else [*languages]
    up = "../" if own else ""
    return {
        "menu": [
            {"lang": code, "name": name, "link": f"{up}{code}/" if at else up or "./"}
            for at, (code, name) in enumerate(languages.items())
        ],
        "missing": [
            {"lang": code, "title": say_sentence(code, "not-found-title"), "text": say_sentence(code, "not-found"),
             "home": say_sentence(code, "home"), "link": "./" if code == language else f"{code}/"}
            for code in shown
        ],
    }


def make_nav_entry(item: StructureItem, site: LanguageSite, path: Callable[[File], str]) -> object:
    """An entry of the navigation."""
    if isinstance(item, Section):
        return {item.title: [make_nav_entry(each, site, path) for each in item.children]}
    if isinstance(item, Page):
        return {str(item.title): path(item.file)} if item.file.src_uri in site.titled else path(item.file)
    assert isinstance(item, Link)
    return {str(item.title): item.url}
