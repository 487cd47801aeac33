"""A page as Markdown that needs no plugin: its code, its notes and its banners stand in its text.

HTML stands in blocks of the extension `pymdownx.blocks.html`, which are kept in lists and admonitions too, where
Python-Markdown takes no other HTML as a block.
"""

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from functools import partial

from mkdocs.utils import get_relative_url

from hexapla.pages.lines import split_lines
from hexapla.site.page.page_content import PageIdentity, fallback_note, make_foot, make_page_notes
from hexapla.site.page.page_inputs import PageInputs, SiteInputs
from hexapla.site.page.page_parts import PART, insert_parts
from hexapla.site.page.partial_pages import FIRST, LAST, original_note
from hexapla.site.page.redirects import redirect_paragraphs
from hexapla.site.page.snippet_includes import PLACEHOLDER, IncludedSnippet
from hexapla.site.page.translation_status import make_banners, status_link
from hexapla.site.texts.strings import say_sentence
from hexapla.translation.sections.sections import cut_sections

EXTENSION = "pymdownx.blocks.html"
NOTE = re.compile("^(?P<indent>[ \t]*)" + PLACEHOLDER.format(number="([0-9]+)") + "[ \t]*$", re.M)
ELEMENT = re.compile(r'<(?P<tag>[a-z]+)(?P<attributes>(?:\s+[\w-]+(?:="[^"]*")?)*)>(?P<inner>.*)</(?P=tag)>', re.S)
ATTRIBUTE = re.compile(r'([\w-]+)(?:="([^"]*)")?')
UNDERLINE = re.compile(r" {0,3}(?:=+|-+)[ \t]*$")
TITLE = r"^#[^\n]*\n\s*|^[^\n]+\n {0,3}(?:=+|-+)[ \t]*\n\s*"
ORIGINAL = re.compile(f"(?P<heading>{TITLE})?{FIRST}(?P<text>.*?){LAST}", re.M | re.S)
PAGE, SECTION, NESTED = "/" * 8, "/" * 7, "/" * 6  # a block ends with as many as it begins with


def complete_markdown(
    markdown: str, included: Sequence[IncludedSnippet], page: PageIdentity, inputs: PageInputs, source: str
) -> str:
    """A page's Markdown with all that the site adds; `source` is the language of the originals.

    It says what `page_content.complete_html` says of the rendered page.
    """
    language, root = page.written, get_relative_url("./", page.url)
    notes = make_page_notes(included, page, inputs)
    own = language == page.reader
    translation = inputs.read(SiteInputs.translation, language, page.name) if own else None
    told = make_banners(translation, language, root) if translation else {}
    title = [f'<p class="hx-derived">{say_sentence(language, "derived")}</p>'] if page.derived else []
    text = below_headings(markdown, told, title, [notes.hardware] if notes.hardware else [])
    text = ORIGINAL.sub(partial(mark_original, language, source), text)
    text = NOTE.sub(lambda match: html_block(notes.below_code[int(match[2])], match["indent"]), text)
    link = partial(get_relative_url, other=page.url)
    text = PART.sub(lambda part: html_block(f"<div>{insert_parts(part[0], inputs, language, link)}</div>"), text)
    foot = [html_block(status_link(language, root))] if translation else []
    foot += [html_block(made)] if (made := make_foot(page, inputs)) else []
    text = "\n\n".join([text.rstrip("\n"), *foot]) + "\n"
    redirects = inputs.read(SiteInputs.redirects, page.reader, f"{page.name}.md")
    moved = redirect_paragraphs(redirects, page.reader, page.url)
    end = f"\n{html_block(f'<div>{moved}</div>')}\n" if moved else ""
    if language == page.reader:
        return f"{text}{end}"
    shown = f"{PAGE} html | div[lang=\"{language}\"]\n\n{text}\n{PAGE}\n"
    return f"{html_block(fallback_note(page.reader))}\n\n{shown}{end}"


def below_headings(markdown: str, told: dict[str, str], first: Sequence[str], last: Sequence[str]) -> str:
    """A page's Markdown with HTML below its headings: by id, and around that what stands below its title."""
    lines = split_lines(markdown)
    sections = cut_sections(markdown)
    title = next((each for each in sections if each.level == 1), None)
    added: dict[int, list[str]] = defaultdict(list)  # by the number of lines above
    added[last_line(lines, title.line) if title else 0] += first
    for each in sections:
        if each.level and each.id in told:
            added[last_line(lines, each.line)].append(told[each.id])
    added[last_line(lines, title.line) if title else 0] += last
    out: list[str] = []
    for number, line in enumerate(["", *lines]):
        out.append(line)
        out += [f"\n{html_block(html)}\n\n" for html in added.get(number, ())]
    return "".join(out)


def last_line(lines: Sequence[str], line: int) -> int:
    """The number of a heading's last line; a line of signs below its text is one."""
    underlined = not lines[line - 1].startswith("#") and line < len(lines) and UNDERLINE.match(lines[line])
    return line + bool(underlined)


def mark_original(reader: str, source: str, match: re.Match[str]) -> str:
    """A section that is shown in the original: it is marked as such, with a note below its heading."""
    note = html_block(original_note(reader), fence=NESTED)
    heading = (match["heading"] or "").strip()
    return (
        f'{SECTION} html | div[class="hx-original"][lang="{source}"]\n\n{heading}\n\n{note}\n\n{match["text"].strip()}'
        f"\n\n{SECTION}"
    )


def html_block(html: str, indent: str = "", fence: str = NESTED) -> str:
    """An element of HTML as a block of Markdown that is indented as what stands above it."""
    element = ELEMENT.fullmatch(html)
    if element is None:
        return html_block(f"<div>{html}</div>", indent, fence)
    lines = [
        f"{fence} html | {element['tag']}{''.join(make_selectors(element['attributes']))}", "    markdown: html", "",
        element["inner"].strip().replace("\n", "&#10;"), fence,
    ]
    return "\n".join(f"{indent}{line}".rstrip() for line in lines)


def make_selectors(attributes: str) -> Iterator[str]:
    """The attributes of an element as the extension has them."""
    for name, value in ATTRIBUTE.findall(attributes):
        yield f'[{name}="{value}"]' if value else f"[{name}]"
