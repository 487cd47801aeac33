"""MkDocs' own build, which ours replaces, and the plugins of others that need it.

`mkdocs build` and `mkdocs serve` look `build` up in their modules when they call it (mkdocs/__main__.py:288,
mkdocs/commands/serve.py:67 of MkDocs 1.6.1). Where that is not so any more, MkDocs builds as it always did.
"""

from collections import defaultdict
from collections.abc import Callable

from mkdocs.commands import build as build_command
from mkdocs.commands import serve as serve_command
from mkdocs.config.defaults import MkDocsConfig

mkdocs_build = build_command.build

OURS = {"hexapla", "i18n", "search", "material/search", "materialx/search"}
# The events of a build by its steps. A plugin that takes part in two of them may carry something from page to page,
# or from pages to the site, and pages are rendered by several processes, or not at all.
STEPS = (
    {"pre_page", "page_read_source", "page_markdown", "page_content"},
    {"page_context", "post_page"},
    {"env", "pre_template", "template_context", "post_template", "post_build"},
)
PAGES = STEPS[0] | STEPS[1]


def replace_build(build: Callable[..., None]) -> None:
    """Make MkDocs' commands call `build`."""
    build_command.build = build
    serve_command.build = build  # type: ignore[attr-defined]


def events_by_plugin(config: MkDocsConfig) -> dict[str, set[str]]:
    """The events of each plugin and hook of others, by its name in mkdocs.yml."""
    names = {id(plugin): name for name, plugin in config.plugins.items()}
    found: dict[str, set[str]] = defaultdict(set)
    for event, methods in config.plugins.events.items():
        for method in methods:
            owner = getattr(method, "__self__", None)
            name = names.get(id(owner)) or str(getattr(method, "__module__", ""))
            if name not in OURS:
                found[name].add(event)
    return found


def whole_site_plugins(config: MkDocsConfig) -> str:
    """Why MkDocs must build the whole site by itself, "" where it need not: plugins that look at more than a page."""
    reasons = [
        f"the plugin {name} hooks {' and '.join(sorted(events & set().union(*STEPS)))}"
        for name, events in events_by_plugin(config).items() if sum(bool(events & step) for step in STEPS) > 1
    ]
    return ", ".join(reasons)


def touches_pages(config: MkDocsConfig) -> bool:
    """Whether a plugin of others changes pages, by what nobody here can know."""
    return any(events & PAGES for events in events_by_plugin(config).values())
