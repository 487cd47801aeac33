"""A page that is translated in part: its missing sections in the original, each in its place and marked as such."""

import re
from html import escape

from mkdocs.utils.meta import get_data

from hexapla.site.page_inputs import PageInputs
from hexapla.site.strings import say
from hexapla.translation.assembly import assembled
from hexapla.translation.sections import cut
from hexapla.translation.status import TranslationState

FIRST, LAST = "<!-- hx-original -->", "<!-- /hx-original -->"  # around a section, until its HTML is there
MARKED = re.compile(rf"{FIRST}\s*(?P<heading><h[1-6][^>]*>.*?</h[1-6]>)?", re.S)


def with_missing_sections(markdown: str, inputs: PageInputs, language: str, file: str) -> str:
    """A page's Markdown without front matter, and the sections that it lacks between marks.

    `file` is its path below the language's folder.
    """
    page = inputs.translation(language, file.removesuffix(".md"))
    lacking = [each.id for each in page.sections if each.state is TranslationState.MISSING] if page else []
    if not page or not page.path or not lacking or FIRST in markdown:
        return markdown
    original, _ = get_data(inputs.original(file))
    texts = {span.id: original[span.start : span.end].strip() for span in cut(original)}
    missing = {name: f"{FIRST}\n\n{texts[name]}\n\n{LAST}\n\n" for name in lacking if texts.get(name)}
    return assembled(page, markdown, missing)


def marked_as_original(html: str, reader: str, source: str) -> str:
    """A page's HTML, the sections between marks with a note, and in the language they are written in."""
    note = f'<p class="hx-behind" role="note" lang="{reader}">{escape(say(reader, "behind-missing"))}</p>'
    if html.count(FIRST) != html.count(LAST):
        return html
    shown = MARKED.sub(lambda match: f'<div class="hx-original" lang="{source}">{match["heading"] or ""}\n{note}', html)
    return shown.replace(LAST, "</div>")
