"""What the site adds to a rendered page: notes below code, the run matrix, the state of its translation."""

import re
from collections.abc import Sequence
from functools import partial
from html import escape
from typing import NamedTuple

from hexapla.pages.lines import PROSE, Line
from hexapla.site.page.formulas import typeset_formulas
from hexapla.site.page.glossary_table import insert_glossary
from hexapla.site.page.line_breaks import break_cells, keep_measures_whole, keep_options_whole, remove_cjk_line_breaks
from hexapla.site.page.localized_images import localize_images
from hexapla.site.page.page_inputs import PageInputs, SiteInputs
from hexapla.site.page.page_placeholders import insert_parts
from hexapla.site.page.part_templates import render_part
from hexapla.site.page.partial_pages import add_missing_sections, mark_originals
from hexapla.site.page.section_redirects import redirect_paragraphs
from hexapla.site.page.site_files import relative_url
from hexapla.site.page.snippet_includes import (
    IncludedSnippet,
    expand_includes,
    hardware_note,
    insert_notes,
    make_note,
)
from hexapla.site.page.snippet_pages import NO_LINKS, snippet_links, source_url
from hexapla.site.page.summary_links import lower_summary_links
from hexapla.site.page.translation_status import describe_makers, insert_banners
from hexapla.site.texts.strings import say_sentence, sentences_of

UNTITLED = re.compile(r"(?P<head>[ \t]*(?:!!!|\?\?\?\+?)[ \t]*(?P<kind>[a-z]+)(?:[ \t]+[\w-]+)*)[ \t]*$")
CALLOUT = "callout-"  # before its kind, the name of a title among the site's sentences


class PageIdentity(NamedTuple):
    """Which page is rendered, for whom.

    `name` is its path below the language's folder without the suffix, `written` the language of its text, `reader` the
    language being built. `derived` is whether it was converted from another language, `report` where mistakes go;
    `has_sources` is whether the site has the sources of snippets and their notebooks, `provenance` whether the page
    says who made its translation.
    """

    url: str
    name: str
    written: str
    reader: str
    derived: bool
    hardware: str
    colab_root: str
    report: str
    has_sources: bool = True
    provenance: bool = False


def prepare_markdown(
    lines: Sequence[Line], page: PageIdentity, inputs: PageInputs
) -> tuple[str, list[IncludedSnippet]]:
    """A page's Markdown with its code, its figures, the glossary and what it lacks, and the snippets that it shows."""
    lines = add_callout_titles(lines, page.written)
    if page.written == page.reader:
        lines = add_missing_sections(lines, inputs, page.reader, f"{page.name}.md")
    text, included = expand_includes(lines, inputs, page.written, f"{page.name}.md")
    languages = inputs.site.sources.project.languages
    text = insert_glossary(text, partial(inputs.read, SiteInputs.terms), languages, page.written, page.name)
    return text, included


def complete_html(
    html: str, included: Sequence[IncludedSnippet], page: PageIdentity, inputs: PageInputs
) -> str:
    """A page's content with all that the site adds. Raises ConfigError."""
    language, source = page.written, inputs.site.sources.project.source.code
    below_code, hardware = make_page_notes(included, page, inputs)
    html = insert_notes(lower_summary_links(html), below_code)
    html = html.replace(' title="Permanent link"', f' title="{escape(say_sentence(page.reader, "permalink"))}"')
    html = break_cells(typeset_formulas(remove_cjk_line_breaks(html)))
    html = keep_measures_whole(keep_options_whole(html))
    html = localize_images(html, partial(inputs.read, SiteInputs.image), source, language)
    html = insert_parts(html, inputs, language, partial(relative_url, page=page.url))
    html = insert_below_title(html, hardware)
    redirects = inputs.read(SiteInputs.redirects, page.reader, f"{page.name}.md")
    moved = make_foot(page, inputs) + redirect_paragraphs(redirects, page.reader, page.url)
    if language != page.reader:
        said = (say_sentence(page.reader, each) for each in ("fallback-title", "fallback"))
        note = make_box("info hx-fallback", "note", *said)  # above a page in another language than the reader's
        return f'{note}\n<div lang="{language}">\n{html}\n</div>{moved}'
    if translation := inputs.read(SiteInputs.translation, language, page.name):
        html = insert_banners(html, translation, language, relative_url("./", page.url))
        html = mark_originals(html, language, source)
    derived = f'<p class="hx-derived">{say_sentence(language, "derived")}</p>' if page.derived else ""
    return insert_below_title(html, derived) + moved


def make_foot(page: PageIdentity, inputs: PageInputs) -> str:
    """The last line of a page: its last change, who made its translation, where to report a mistake; "" for nothing."""
    changed = inputs.read(SiteInputs.changed, f"{page.written}/{page.name}.md")
    translation = inputs.read(SiteInputs.translation, page.written, page.name) if page.provenance else None
    makers = describe_makers(translation, page.reader) if translation else []
    if not (changed or makers or page.report):
        return ""
    return render_part("foot.html", page.reader, changed=changed, makers=makers, report=page.report)


def make_page_notes(
    included: Sequence[IncludedSnippet], page: PageIdentity, inputs: PageInputs
) -> tuple[dict[int, str], str]:
    """What a page says of its code: below each block by its number, and at its top, "" for nothing."""
    known = {path: inputs.read(SiteInputs.evidence, path) for path in {each.include.path: None for each in included}}
    links = {path: snippet_links(path, found.notebook, page.colab_root, page.url) if page.has_sources else NO_LINKS
             for path, found in known.items()}
    below_code = {
        number: make_note(snippet, known[snippet.include.path], page.written, links[snippet.include.path])
        for number, snippet in enumerate(included)
    }
    programs = {found.program: found.states for found in known.values()}
    def link(path: str) -> str:
        return relative_url(source_url(path), page.url) if page.has_sources else ""

    return below_code, hardware_note(page.hardware, programs, page.written, link)


def insert_below_title(html: str, text: str) -> str:
    """A page with a paragraph below its title, or at its start without one; "" is no paragraph."""
    if not text:
        return html
    before, title, after = html.partition("</h1>")
    return f"{before}{title}\n{text}{after}" if title else f"{text}\n{html}"


def make_box(kind: str, role: str, title: str, *paragraphs: str) -> str:
    """A call-out as Python-Markdown writes one, of text that is escaped."""
    lines = "".join(f"<p>{escape(each)}</p>" for each in paragraphs)
    return f'<div class="admonition {kind}" role="{role}"><p class="admonition-title">{escape(title)}</p>{lines}</div>'


def add_callout_titles(lines: Sequence[Line], language: str) -> Sequence[Line]:
    """A page's lines; a call-out keeps the title that it has, and the kind that a language has no word for."""
    if language == "en":
        return lines
    words, found = sentences_of(language), []
    for line in lines:
        body = line.text.rstrip("\r\n")
        match = UNTITLED.match(body) if line.kind is PROSE else None
        if match and (title := words.get(CALLOUT + match["kind"])):
            line = line._replace(text=f'{match["head"]} "{title}"{line.text[len(body):]}')
        found.append(line)
    return found
