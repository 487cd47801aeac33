"""A section as its readers will see it, near enough to find what is wrong with its markup.

The HTML is shown in a frame where no script runs and nothing is loaded; a page is not trusted.
"""

from collections.abc import Callable, Mapping
from typing import Any

from markdown_it import MarkdownIt

from hexapla.checks.engine.time_limit import TimeLimit, TimeLimitError
from hexapla.config.layout import Layout
from hexapla.pages import SectionError, excerpt, parse, python_markdown
from hexapla.pages.lines import Closes, closes_longer, closes_same

Render = Callable[[str], str]
# What colours code takes two fifths of the time, and the frame has no colours.
PLAIN: Mapping[str, Any] = {"pymdownx.superfences": {}, "pymdownx.highlight": {"use_pygments": False}}


SECONDS = 5.0  # that a section may take
TOO_LONG = (f"<p>This section nests too deep, or takes over {SECONDS:.0f} seconds to render: simplify what is nested, "
            "or cut it into several.</p>")


def render_preview(render: Render, text: str) -> str:
    """The HTML of a section, or what is wrong with one that takes too long, or nests deeper than the renderer can."""
    try:
        with TimeLimit(SECONDS):
            return render(text)
    except (TimeLimitError, RecursionError):
        return TOO_LONG


def make_renderer(layout: Layout) -> Render:
    """A function that renders Markdown as the pages of a tree are rendered."""
    if layout.closes_fence("") is closes_longer:
        return MarkdownIt("commonmark", {"html": True}).enable("table").render
    setup = python_markdown.choose_extensions(layout.extensions)
    return python_markdown.make_renderer({name: PLAIN.get(name, options) for name, options in setup.items()})


def resolve_includes(text: str, snippet: Callable[[str], str], closes_fence: Closes = closes_same) -> str:
    """The text with included code in the place of its directives; a directive that leads nowhere stays."""
    lines = text.split("\n")
    for include in parse(text, closes_fence).includes:
        try:
            shown = excerpt(snippet(include.path), include.section, include.first, include.last).text
        except (OSError, ValueError, SectionError):
            continue
        lines[include.line - 1] = "\n".join(include.indent + line for line in shown.rstrip().split("\n"))
    return "\n".join(lines)
