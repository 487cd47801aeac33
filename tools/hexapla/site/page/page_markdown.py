"""A page as Markdown for programs: what its HTML shows, and what is known of each section.

It is made of what the HTML is made of: the page's Markdown with its code and figures in place, the notes below code,
the state of the translation. Below each heading stands

    <!-- section id="fp16" source="3f2a1b0c9d8e" state="behind" languages="en zh ja" -->

`source` is the hash of the original's words as they are today; `languages` have the section, under the same id, at the
addresses that the front matter gives. Where the section is behind, a quotation says so and has the original. What is
known of the runs of a program stands between `<!-- evidence -->` and `<!-- end of evidence -->`.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from posixpath import dirname, join, normpath, relpath
from typing import NamedTuple

import yaml
from mkdocs.structure.pages import Page
from mkdocs.utils.meta import get_data

from hexapla.errors import ConfigError
from hexapla.examples.page_blocks import is_block
from hexapla.examples.result import name_pictures
from hexapla.pages.lines import FENCE_MARK, FENCED, PROSE, Line, read, read_once
from hexapla.site.page.page_additions import PageIdentity
from hexapla.site.page.page_inputs import PageInputs, SectionMark, SiteInputs
from hexapla.site.page.page_placeholders import PART, insert_parts
from hexapla.site.page.partial_pages import FIRST, HEADING, LAST
from hexapla.site.page.snippet_evidence import SnippetEvidence, describe_run
from hexapla.site.page.snippet_includes import PLACEHOLDER, IncludedSnippet, expand_includes
from hexapla.site.page.snippet_pages import program_url, source_url
from hexapla.site.page.translation_status import banner_text
from hexapla.site.texts.strings import say_sentence
from hexapla.translation.sections.sections import cut_sections, section_ids

NOTE = re.compile(PLACEHOLDER.format(number="([0-9]+)"))
IMAGE = re.compile(r"!\[(?P<alt>[^\[\]]*)\]\((?P<target>[^()\s#]+)(?P<only>#only-(?:light|dark))?\)(?:\{[^{}\n]*\})?")
CLASSES = re.compile(r"[ \t]*\{[ :]*\.[^{}\n]*\}")  # attributes that only lay a page out
LAYOUT = re.compile(r"\s*(?:</?div(?: [^<>]*)?>|<!-- hexapla: .*-->)\s*")  # what is for the renderer, and for `check`
STYLE = re.compile(r"<style>.*?</style>\s*", re.S)
TICKS = re.compile(r"`{3,}")


class MarkdownPage(NamedTuple):
    """Which page is written: its path in docs, its own address and those of all languages, absolute where known."""

    source_path: str
    path: str
    url: str
    title: str
    description: str
    reader: str
    written: str
    name: str
    derived: bool
    translations: Mapping[str, str]
    root: str


def markdown_path(path: str, language: str, source: str) -> str:
    """The address of a page's Markdown from the site's root; `path` is its path below a language's folder.

    >>> markdown_path("train_memory.md", "ja", "en")
    'ja/train_memory.md'
    """
    return path if language == source else f"{language}/{path}"


def describe_page(
    page: Page, who: PageIdentity, languages: Iterable[str], source: str, site_url: str | None
) -> MarkdownPage:
    """Which page is written; `languages` are those that have it. Addresses are relative where the site has none."""
    file = f"{who.name}.md"
    path = markdown_path(file, who.reader, source)
    root = f"{site_url.rstrip('/')}/" if site_url else "../" * path.count("/")
    translations = {code: join(root, markdown_path(file, code, source)) for code in languages}
    url = join(root, "" if page.url in {".", "./"} else page.url)
    description = str(page.meta.get("description") or "")
    return MarkdownPage(
        page.file.src_uri, path, url, str(page.title), description, who.reader, who.written, who.name, who.derived,
        translations, root,
    )


def make_markdown(markdown: str, included: Sequence[IncludedSnippet], page: MarkdownPage, inputs: PageInputs) -> str:
    """The Markdown of a page for programs; `markdown` is what its HTML is rendered from."""
    marks = {each.here: each for each in inputs.read(SiteInputs.marks, page.written, page.name)}
    lines = read_once(markdown)
    ids = section_ids(lines)
    out: list[str] = []
    for line in lines:
        out += shown_lines(line, included, page, inputs)
        if line.number in ids and line.text.lstrip().startswith("#"):
            out += section_lines(ids[line.number], marks.get(ids[line.number]), page, inputs)
    return front_matter(page, marks) + re.sub(r"\n{3,}", "\n\n", "".join(out)).lstrip("\n")


def shown_lines(
    line: Line, included: Sequence[IncludedSnippet], page: MarkdownPage, inputs: PageInputs
) -> Iterator[str]:
    """What stands for a line of a page's Markdown; the evidence of a block that `included` lacks is left out."""
    if PLACEHOLDER[0] in line.text and (note := NOTE.search(line.text)):
        snippet = included[int(note[1])] if included else None
        indent = line.text[: line.text.index(note[0])]
        told = snippet and note_lines(snippet, inputs.read(SiteInputs.evidence, snippet.include.path), page)
        yield from (f"{indent}{each}".rstrip() + "\n" for each in told or ())
    elif line.kind is FENCED or line.kind is FENCE_MARK:
        yield line.text
    elif line.text.strip() in {FIRST, LAST}:
        yield f"> {say_sentence(page.reader, 'behind-missing')}\n" if line.text.strip() == FIRST else ""
    elif "<" in line.text and (part := PART.search(line.text)):
        yield STYLE.sub("", insert_parts(part[0], inputs, page.written, partial(join, page.root))) + "\n"
    elif "<" not in line.text or not LAYOUT.fullmatch(line.text):
        yield plain_line(line.text, page, inputs) if line.kind is PROSE else line.text


def front_matter(page: MarkdownPage, marks: Mapping[str, SectionMark]) -> str:
    """What is said of the whole page, as YAML."""
    states = sorted({each.state for each in marks.values()})
    told = {
        "title": page.title, "description": page.description, "url": page.url, "language": page.reader,
        "written_in": page.written, "derived": page.derived or None,
        "state": states[0] if len(states) == 1 else ", ".join(states), "translations": dict(page.translations),
    }
    text = yaml.safe_dump({name: value for name, value in told.items() if value}, allow_unicode=True, sort_keys=False,
                          width=1000)
    notes = [say_sentence(page.reader, "fallback")] if page.written != page.reader else []
    notes += [say_sentence(page.written, "derived")] if page.derived else []
    return f"---\n{text}---\n\n" + "".join(f"> {each}\n\n" for each in notes)


def section_lines(name: str, mark: SectionMark | None, page: MarkdownPage, inputs: PageInputs) -> Iterator[str]:
    """The comment below a heading; where its section is behind, a quotation that says so and has the original."""
    if mark is None:
        return
    known = f'id="{name}" source="{mark.source}" state="{mark.state}" languages="{" ".join(mark.languages)}"'
    yield f"\n<!-- section {known} -->\n"
    if mark.reported:
        original = next(iter(page.translations.values()), page.url)
        told, title = banner_text(mark.reported, page.written), mark.reported.title or name
        said = f"{told} [{title}]({original}#{mark.reported.id})\n{original_text(mark.reported.id, page, inputs)}"
        yield "\n" + "".join(f"> {line}".rstrip() + "\n" for line in said.rstrip("\n").split("\n"))


def original_text(section: str, page: MarkdownPage, inputs: PageInputs) -> str:
    """The text of a section in the source's language, without its heading, behind an empty line; "" without text."""
    source = inputs.site.sources.project.source.code
    whole, _ = get_data(inputs.read(SiteInputs.original, f"{source}/{page.name}.md"))
    found = next((whole[span.start:span.end] for span in cut_sections(whole) if span.id == section), "")
    heading = HEADING.match(found)
    lines = [*read(found[heading.end() if heading else 0:])]
    try:
        body, _ = expand_includes(lines, inputs, source, f"{page.name}.md")
    except (OSError, ValueError) as error:
        raise ConfigError(f"{source}/{page.name}.md, which this page quotes, has a mistake: {error}") from error
    shown = "".join(text for line in read(body) for text in shown_lines(line, (), page, inputs)).strip()
    return re.sub(r"\n{3,}", "\n\n", f"\n{shown}") if shown else ""


def note_lines(snippet: IncludedSnippet, evidence: SnippetEvidence, page: MarkdownPage) -> Iterator[str]:
    """Where the code above comes from, its whole program, where it ran, and below its last part what it printed."""
    path, shown = snippet.include.path, snippet.excerpt
    yield "<!-- evidence -->"
    if not is_block(path):
        label = say_sentence(page.written, "source", path=path, first=shown.first, last=shown.last)
        source = f"[{label}]({join(page.root, source_url(path))})"
        if evidence.notebook:
            program = join(page.root, program_url(evidence.notebook))
            source += f" · [{say_sentence(page.written, 'copy-program')}]({program})"
        yield source
        yield ""
    for each in evidence.states:
        if each.run:
            yield f"- {each.hardware} · {describe_run(each.state, each.run, evidence.packages, page.written)}"
    yield "<!-- end of evidence -->"
    ran = evidence.shown_run()
    if snippet.last and ran and ran.run:
        output = name_pictures(ran.run.output)
        fence = "`" * max(3, *(len(each) + 1 for each in TICKS.findall(output) or ("",)))
        yield from ("", f"{say_sentence(page.written, 'output')} · {ran.hardware}", "", f"{fence}text")
        yield from (*output.split("\n"), fence)
    yield ""


def plain_line(text: str, page: MarkdownPage, inputs: PageInputs) -> str:
    """A line of prose without what only lays it out, its images in the page's language."""
    def image_text(match: re.Match[str]) -> str:
        if match["only"] == "#only-dark":
            return ""
        path = normpath(join(dirname(page.source_path), match["target"]))
        own = path.replace("-en-", f"-{page.reader.lower()}-", 1)
        path = own if own != path and inputs.read(SiteInputs.image, own.rpartition("/")[2]) else path
        return f"![{match['alt']}]({relpath(path, dirname(page.path) or '.')})"

    text = IMAGE.sub(image_text, text) if "![" in text else text
    return CLASSES.sub("", text) if "{" in text else text

