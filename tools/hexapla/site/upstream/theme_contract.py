"""What the site relies on inside its theme, Material for MkDocs or MaterialX: templates, search box, class names.

What text their files have is a table, `theme_contract.yml`.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cache, cached_property, partial
from pathlib import Path

from mkdocs.config.base import Config
from mkdocs.exceptions import PluginError
from mkdocs.plugins import BasePlugin
from mkdocs.theme import Theme

from hexapla.site.upstream.contract import Contract, Expectation, enforce_contract
from hexapla.yaml_text import load_table

OWN = Path(__file__).parents[1] / "theme"  # our templates and assets
GENERATOR = re.compile(r"mkdocs-material\w*-[0-9][\w.]*")  # as base.html names the theme, base.html:40
NAME = re.compile(r"(?<![\w-])(?:--|data-)?md-[\w-]+")
SCRIPT = "assets/javascripts/bundle.*.min.js"


class ThemeFiles:
    """The files of a theme as templates find them: those of `custom_dir` come before the theme's own."""

    def __init__(self, theme: Theme) -> None:
        self.static_templates = theme.static_templates
        self.folders = [Path(folder) for folder in theme.dirs if Path(folder) != OWN]
        self.text = cache(self._text)

    @cached_property
    def names(self) -> set[str]:
        """What its templates and scripts name, and the custom properties of its styles."""
        templates = {file.relative_to(folder): file for folder in reversed(self.folders)
                     for pattern in ("*.html", "partials/**/*.html") for file in folder.glob(pattern)}
        styles = NAME.findall(self.text("assets/stylesheets/*.min.css"))
        properties = {name for name in styles if name.startswith("--")}
        return names_in(templates.values()) | properties.union(NAME.findall(self.text(SCRIPT)))

    def _text(self, pattern: str) -> str:
        """The text of the files that a glob names, in the first folder that has any."""
        found = (sorted(folder.glob(pattern)) for folder in self.folders)
        return "\n".join(file.read_text(encoding="utf-8") for file in next(filter(None, found), []))


def has_all(texts: Sequence[tuple[str, str]], theme: ThemeFiles) -> bool:
    """Whether a theme has text that matches, in the files that each glob names."""
    return all(re.search(regex, theme.text(pattern), re.S) for pattern, regex in texts)


def has_blocks(theme: ThemeFiles) -> bool:
    """Whether base.html has every block that our templates fill, and is what main.html stands on."""
    own = "".join(file.read_text(encoding="utf-8") for file in OWN.glob("*.html"))
    base = theme.text("base.html")
    return all(f"{{% block {name} %}}" in base for name in re.findall(r"{% block (\w+) %}", own))


def names_in(files: Iterable[Path]) -> set[str]:
    """The classes, attributes and custom properties of the theme that files name."""
    return {name for file in files for name in NAME.findall(file.read_text(encoding="utf-8"))}


def has_name(name: str, theme: ThemeFiles) -> bool:
    """Whether a theme names a class, an attribute or a custom property, or makes it of a name that ends in dashes."""
    return name in theme.names or f"{name.rpartition('--')[0]}--" in theme.names


def read_expectations(group: str) -> list[Expectation[ThemeFiles]]:
    """The expectations of a theme, or those that both share, by what stands in its files."""
    return [
        Expectation(row["name"], row["does"], row["upstream"], partial(has_all, row["has"]), "look" not in row)
        for row in TABLE[group]
    ]


TABLE = load_table(__package__, "theme_contract.yml")
NAMED = tuple(
    Expectation(name, f"name {name}, which Hexapla's styles or scripts select",
                "templates, bundle.*.min.js, *.min.css", partial(has_name, name), stops=False)
    for name in sorted(names_in(file for file in OWN.rglob("*") if file.suffix in {".css", ".js", ".html"}))
)
SHARED: tuple[Expectation[ThemeFiles], ...] = (
    Expectation(
        "blocks",
        "have the blocks site_meta, htmltitle, extrahead, outdated and content in base.html, which our templates fill",
        "base.html:8-83, 186-188",
        has_blocks,
    ),
    Expectation(
        "404 page",
        "render 404.html as a page of its own",
        "mkdocs_theme.yml, static_templates",
        lambda theme: "404.html" in theme.static_templates,
    ),
    *read_expectations("shared"),
)
MATERIAL = Contract("mkdocs-material", "9.8.1", (*read_expectations("material"), *SHARED, *NAMED))
MATERIALX = Contract("mkdocs-materialx", "10.2.2", (*read_expectations("materialx"), *SHARED))


def check_theme(theme: Theme, plugins: "Mapping[str, BasePlugin[Config]]") -> None:
    """Raise PluginError where a theme lacks what the site cannot do without; warn of what it lacks besides."""
    files = ThemeFiles(theme)
    found = GENERATOR.search(files.text("base.html"))
    named = found.group() if found else str(theme.name)
    contract = MATERIALX if MATERIALX.package in named else MATERIAL
    enforce_contract(contract, files, f"the theme {named}")
    if contract is MATERIALX:
        check_provider(plugins.get("materialx/search"))


def check_provider(search: "BasePlugin[Config] | None") -> None:
    """Raise PluginError where MaterialX's search plugin, None without one, has no worker that ours can replace."""
    if search is None or search.config.get("provider") != "lunr":
        raise PluginError(
            "mkdocs.yml: with MaterialX, Hexapla answers the search box of the provider lunr alone; write the plugin "
            "as `search: {provider: lunr}`"
        )
