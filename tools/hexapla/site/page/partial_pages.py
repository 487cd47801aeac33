"""A page that is translated in part: its missing sections in the original, each in its place and marked as such.

One that another page has translated is shown as that has it: it says the same.
"""

import re
from collections.abc import Sequence
from html import escape

from hexapla.pages.lines import FRONT, Line, read, read_once
from hexapla.site.page.page_inputs import PageInputs, SiteInputs
from hexapla.site.texts.strings import say_sentence
from hexapla.translation.page_assembly import assemble_page
from hexapla.translation.sections.sections import cut_sections
from hexapla.translation.status.section_states import TranslationState

FIRST, LAST = "<!-- hx-original -->", "<!-- /hx-original -->"  # around a section but its heading, until it is HTML
HEADING = re.compile(r"#.*\n*|[^\n]*\n {0,3}(?:=+|-+)[ \t]*(?:\n+|$)")
LACKING = {TranslationState.MISSING, TranslationState.MOVED}
ENDS = tuple(f"</h{level}>" for level in range(1, 7))


def add_missing_sections(lines: Sequence[Line], inputs: PageInputs, language: str, file: str) -> Sequence[Line]:
    """The lines of a page without front matter, and of the sections that it lacks.

    Those whose translation stands elsewhere are in the page's language, the others in the original between marks.
    `file` is its path below the language's folder.
    """
    page = inputs.read(SiteInputs.translation, language, file.removesuffix(".md"))
    lacking = [each for each in page.sections if each.state in LACKING and not each.line] if page and page.path else []
    markdown = "".join(line.text for line in lines) if lacking else ""
    here = {span.id for span in cut_sections(markdown)} if lacking else set()
    lacking = [each for each in lacking if each.id not in here]
    if not page or not lacking:
        return lines
    original = inputs.read(SiteInputs.original, f"{inputs.site.sources.project.source.code}/{file}")
    original = "".join(line.text for line in read_once(original) if line.kind is not FRONT)
    texts = {span.id: original[span.start : span.end].strip() for span in cut_sections(original)}
    found = {each.id: put_between_marks(texts[each.id]) for each in lacking if texts.get(each.id)}
    if any(each.state is TranslationState.MOVED for each in lacking):
        moved = inputs.read(SiteInputs.moved, language, file.removesuffix(".md"))
        found |= {name: f"{text.strip()}\n\n" for name, text in moved.items() if name in found}
    return [*read(assemble_page(page, markdown, found))]


def put_between_marks(section: str) -> str:
    """A section with marks below its heading: MkDocs takes a page's title from a heading that nothing stands above."""
    heading = found.group() if (found := HEADING.match(section)) else ""
    return f"{heading.rstrip()}\n\n{FIRST}\n\n{section[len(heading):]}\n\n{LAST}\n\n".lstrip()


def mark_originals(html: str, reader: str, source: str) -> str:
    """A page's HTML, the sections between marks with a note, and in the language they are written in."""
    if html.count(FIRST) != html.count(LAST):
        return html
    said = escape(say_sentence(reader, "behind-missing"))
    note = f'<p class="hx-behind" role="note" lang="{reader}">{said}</p>'
    shown, *sections = html.split(FIRST)
    for section in sections:
        before = shown.rstrip()
        start = before.rfind(f"<{before[-3:-1]}") if before.endswith(ENDS) else len(before)
        shown = f'{before[:start]}\n<div class="hx-original" lang="{source}">{before[start:]}\n{note}{section}'
    return shown.replace(LAST, "</div>")
