"""What the site relies on inside its theme, Material for MkDocs or MaterialX: templates, search box, class names.

Line numbers are those of mkdocs-material 9.8.1 and, for what differs there, mkdocs-materialx 10.2.2, both below
material/templates/ if not said otherwise.
"""

import re
from collections.abc import Callable, Iterable, Mapping
from functools import cache, cached_property, partial
from pathlib import Path

from mkdocs.config.base import Config
from mkdocs.exceptions import PluginError
from mkdocs.plugins import BasePlugin
from mkdocs.theme import Theme

from hexapla.site.upstream.contract import Contract, Expectation, enforce_contract

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


def has(pattern: str, regex: str) -> Callable[[ThemeFiles], bool]:
    """A check that the files named by a glob have text that matches."""
    return lambda theme: re.search(regex, theme.text(pattern), re.S) is not None


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


look = partial(Expectation, stops=False)  # what is missing is seen, and nothing is lost
NAMED = tuple(
    look(name, f"name {name}, which Hexapla's styles or scripts select", "templates, bundle.*.min.js, *.min.css",
         partial(has_name, name))
    for name in sorted(names_in(file for file in OWN.rglob("*") if file.suffix in {".css", ".js", ".html"}))
)

# What the two themes have alike.
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
    Expectation(
        "hreflang",
        "write config.extra.alternate as <link rel=\"alternate\" href hreflang> in the block site_meta, which Hexapla "
        "takes out",
        "base.html:30-34",
        has("base.html", r'in config\.extra\.alternate %}\s*<link rel="alternate" href="{{ alt\.link \| url }}" '
                         r'hreflang="'),
    ),
    Expectation(
        "language switcher",
        "write config.extra.alternate as links .md-select__link with href and hreflang",
        "partials/alternate.html:12-17",
        has("partials/alternate.html",
            r'in config\.extra\.alternate %}.*href="{{ alt\.link \| url }}" hreflang="{{ alt\.lang }}" '
            r'class="md-select__link"'),
    ),
    look(
        "strings",
        "import its strings of a language in partials/language.html, from partials/languages/, as a macro t(key)",
        "partials/language.html; plugins/search/plugin.py:164-171 reads it too, without a page",
        lambda theme: has("partials/language.html", r'import "partials/languages/" ~.*macro t\(key\)')(theme)
        and has("partials/languages/zh-TW.html", r'macro t\(key\).*"search\.result\.initializer"')(theme),
    ),
    look(
        "version menu",
        "have the links of its version menu as .md-version__link, follow them by a click that reaches the body, and "
        "have the link to the front page as .md-logo",
        "bundle.*.min.js; templates/version/index.tsx:65, integrations/version/index.ts:102-109; partials/header.html",
        lambda theme: has(SCRIPT, r'(?=.*document\.body,"click"\)).*class:"md-version__link"')(theme)
        and has("partials/header.html", r'class="md-header__button md-logo"')(theme),
    ),
    look(
        "search dialog",
        "have the search box as .md-search[role=dialog] with a labelled input",
        "partials/search.html:4-8",
        has("partials/search.html", r'class="md-search"[^>]*role="dialog".*<input [^>]*aria-label="'),
    ),
)

MATERIAL: Contract[ThemeFiles] = Contract("mkdocs-material", "9.8.1", (
    Expectation(
        "search worker",
        "name its search worker, assets/javascripts/workers/search.*.min.js, as \"search\" in #__config, where Hexapla "
        "puts its own",
        "base.html:229-249",
        has("base.html", r'id="__config".*?"search": "assets/javascripts/workers/search\.[0-9a-f]+\.min\.js" \| url'),
    ),
    Expectation(
        "search messages",
        "send its search worker the messages {type: 0, data: {config, docs, options}} and {type: 2, data}",
        "bundle.*.min.js; its sources, in the map beside it: integrations/search/worker/message/index.ts:33-38, "
        "integrations/search/worker/_/index.ts:70-91, components/search/query/index.ts:169",
        has(SCRIPT, r"#__config.*type:0,data:\{config:.*type:2,data:"),
    ),
    Expectation(
        "search items",
        "show of each item its location, title, text, score and terms, and unfold the sections whose score is the best",
        "bundle.*.min.js; templates/search/index.tsx:58-186",
        has(SCRIPT, r"\.terms\b.*\.location\b.*md-search-result__article.*\.score\b.*\.title\b.*\.text\b"),
    ),
    look(
        "search box",
        "ask for the value of its search field when a key goes up",
        "bundle.*.min.js, components/search/query/index.ts:110-118",
        has(SCRIPT, r'\w\(\w,"keyup"\),\w\)\.pipe\(\w\(\(\)=>\w\.value\)'),
    ),
    look(
        "index of its own",
        "leave a page whose front matter says search.exclude out of its own index",
        "material/plugins/search/plugin.py:182-184",
        has("../plugins/search/plugin.py", r'page\.meta\.get\("search"\).*?search\.get\("exclude"\)'),
    ),
    look(
        "sitemaps",
        "look for other languages' sitemaps by link[rel=alternate]",
        "bundle.*.min.js; integrations/alternate/index.ts:72",
        has(SCRIPT, r'"link\[rel=alternate\]"'),
    ),
    *SHARED,
    *NAMED,
))

MATERIALX: Contract[ThemeFiles] = Contract("mkdocs-materialx", "10.2.2", (
    Expectation(
        "search worker",
        "name its search worker, assets/javascripts/workers/search.*.min.js, as \"workerUrl\" in #__config, where "
        "Hexapla puts its own",
        "base.html:254-266, 284-311",
        has("base.html", r'"workerUrl": "assets/javascripts/workers/search\.[0-9a-f]+\.min\.js" \| url.*id="__config".*'
                         r'"search": _\.search'),
    ),
    Expectation(
        "search messages",
        "send its search worker the messages {id, type: 0, data} and {id, type: 2, data: {query}}, and take answers "
        "with the same id",
        "bundle.*.min.js, class LunrWorker",
        has(SCRIPT, r"request\(0,1,.*request\(2,3,.*\.id===.*\.type===.*postMessage|"
                    r"postMessage.*request\(0,1,.*request\(2,3,.*\.id===.*\.type==="),
    ),
    Expectation(
        "search items",
        "show of each item its location, title, text, score and terms",
        "bundle.*.min.js, class LunrProvider",
        has(SCRIPT, r"md-search-result__article.*\.terms\b.*\.location\b.*\.title\b.*\.score\b"),
    ),
    look(
        "index of its own",
        "leave a page whose front matter says search.exclude out of its own index",
        "material/plugins/search/providers/lunr.py:198-200",
        has("../plugins/search/providers/lunr.py", r'page\.meta\.get\("search"\).*?search\.get\("exclude"\)'),
    ),
    *SHARED,
))


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
