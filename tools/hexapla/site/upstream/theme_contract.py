"""What the site relies on inside its theme, Material for MkDocs or MaterialX: templates, search box, class names.

Line numbers are those of mkdocs-material 9.8.1 and, for what differs there, mkdocs-materialx 10.2.2, both below
material/templates/ if not said otherwise.
"""

import re
from collections.abc import Callable, Mapping
from functools import cache, partial
from pathlib import Path

from mkdocs.config.base import Config
from mkdocs.exceptions import PluginError
from mkdocs.plugins import BasePlugin
from mkdocs.theme import Theme

from hexapla.site.upstream.contract import Contract, Expectation, enforce_contract

OWN = Path(__file__).parents[1] / "theme"  # our templates and assets
GENERATOR = re.compile(r"mkdocs-material\w*-[0-9][\w.]*")  # as base.html names the theme, base.html:40
PROPERTY = re.compile(r"--md-[\w-]+")  # a custom property of the theme's stylesheets
SCRIPT = "assets/javascripts/bundle.*.min.js"


class ThemeFiles:
    """The files of a theme as templates find them: those of `custom_dir` come before the theme's own."""

    def __init__(self, theme: Theme) -> None:
        self.static_templates = theme.static_templates
        self.folders = [Path(folder) for folder in theme.dirs if Path(folder) != OWN]
        self.text = cache(self._text)

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


def has_properties(theme: ThemeFiles) -> bool:
    """Whether the theme's stylesheets know every custom property that ours sets or reads."""
    own = "".join(file.read_text(encoding="utf-8") for file in OWN.glob("assets/hexapla/*.css"))
    return set(PROPERTY.findall(own)) <= set(PROPERTY.findall(theme.text("assets/stylesheets/*.min.css")))


look = partial(Expectation, stops=False)  # what is missing is seen, and nothing is lost

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
        "repository",
        "show config.repo_url by partials/source.html as .md-source with .md-source__icon.md-icon and "
        ".md-source__repository, and below it .md-source__facts with a .md-source__fact.md-source__fact--version",
        "partials/source.html:4-12; bundle.*.min.js, templates/source/index.tsx:44-55",
        lambda theme: has("partials/source.html",
                          r'class="md-source".*class="md-source__icon md-icon".*class="md-source__repository"')(theme)
        and has(SCRIPT, r"md-source__facts.*md-source__fact--")(theme),
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
        "copy button",
        "have a button .md-code__button with data-clipboard-target and data-md-type in nav.md-code__nav above code, "
        "mark a button that is on as .md-code__button--active, and listen for it in the whole document",
        "bundle.*.min.js; templates/clipboard/index.tsx:38-60",
        lambda theme: has(
            SCRIPT, r'class:"md-code__button".*"data-clipboard-target":.*"data-md-type":"copy".*class:"md-code__nav"'
        )(theme)
        and has(SCRIPT, "md-code__button--active")(theme),
    ),
    look(
        "search dialog",
        "have the search box as .md-search[role=dialog] with a labelled input",
        "partials/search.html:4-8",
        has("partials/search.html", r'class="md-search"[^>]*role="dialog".*<input [^>]*aria-label="'),
    ),
    look(
        "article",
        "have the page's content in article.md-content__inner.md-typeset",
        "base.html:185",
        has("base.html", r'<article class="md-content__inner md-typeset"'),
    ),
    look(
        "buttons",
        "have the links above a page as .md-content__button",
        "partials/actions.html:6, 17",
        has("partials/actions.html", r'class="md-content__button '),
    ),
    look(
        "columns",
        "have the columns .md-sidebar in a .md-grid, that of the headings as .md-sidebar--secondary",
        "base.html:153-171",
        has("base.html", r'\bmd-grid".*class="md-sidebar .*class="md-sidebar md-sidebar--secondary"'),
    ),
    look(
        "wide tables",
        "put wide tables into .md-typeset__scrollwrap with .md-typeset__table",
        "bundle.*.min.js; templates/table/index.tsx:38",
        has(SCRIPT, "md-typeset__scrollwrap.*md-typeset__table"),
    ),
    look(
        "footer",
        "have the footer as .md-footer-meta.md-typeset",
        "partials/footer.html:48",
        has("partials/footer.html", r'class="md-footer-meta md-typeset"'),
    ),
    look(
        "titles in the footer",
        "have the titles of the next pages as .md-footer__title with .md-ellipsis",
        "partials/footer.html:18-22",
        has("partials/footer.html", r'class="md-footer__title".*class="md-ellipsis"'),
    ),
    look(
        "links of the navigation",
        "have its links as .md-nav__link",
        "partials/nav-item.html:47",
        has("partials/nav-item.html", r'class="md-nav__link"'),
    ),
    look(
        "copyright",
        "have the copyright as .md-copyright with .md-copyright__highlight",
        "partials/copyright.html:4-6",
        has("partials/copyright.html", r'class="md-copyright".*class="md-copyright__highlight"'),
    ),
    look(
        "colour schemes",
        "name the colours as data-md-color-scheme and data-md-color-primary of the body",
        "base.html:94",
        has("base.html", r"<body [^>]*data-md-color-scheme=.*data-md-color-primary="),
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
        "ask for the value of .md-search__input when a key goes up, and write below .md-search-result__meta into "
        ".md-search-result__list",
        "bundle.*.min.js, components/search/query/index.ts:110-118; partials/search.html:8, 45-49",
        lambda theme: has(SCRIPT, r'\w\(\w,"keyup"\),\w\)\.pipe\(\w\(\(\)=>\w\.value\)')(theme) and has(
            "partials/search.html",
            r'class="md-search__input".*class="md-search-result__meta".*class="md-search-result__list"',
        )(theme),
    ),
    look(
        "index of its own",
        "leave a page whose front matter says search.exclude out of its own index",
        "material/plugins/search/plugin.py:182-184",
        has("../plugins/search/plugin.py", r'page\.meta\.get\("search"\).*?search\.get\("exclude"\)'),
    ),
    look(
        "search form",
        "have the search box in .md-search__form",
        "partials/search.html:7",
        has("partials/search.html", r'class="md-search__form"'),
    ),
    look(
        "breadcrumbs",
        "have breadcrumbs as .md-path__item with .md-path__link",
        "partials/path-item.html:23-24",
        has("partials/path-item.html", r'class="md-path__item".*class="md-path__link"'),
    ),
    look(
        "language menu",
        "open the menu of languages as .md-select__inner",
        "partials/alternate.html:10",
        has("partials/alternate.html", r'class="md-select__inner"'),
    ),
    look(
        "sitemaps",
        "look for other languages' sitemaps by link[rel=alternate]",
        "bundle.*.min.js; integrations/alternate/index.ts:72",
        has(SCRIPT, r'"link\[rel=alternate\]"'),
    ),
    look(
        "custom properties",
        "use in its stylesheets the custom properties --md-* that Hexapla's set",
        "assets/stylesheets/main.*.min.css, palette.*.min.css",
        has_properties,
    ),
    *SHARED,
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
