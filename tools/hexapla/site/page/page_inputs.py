"""The inputs of a page's content: each is read by one method, which records the reading with a digest of its value.

A page's content is kept with a digest of each value that it read. It is as good as new while all of them are as they
were, so no list of dependencies is written by hand. (Build systems call such notes verifying traces.)
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from functools import cached_property
from pathlib import Path
from posixpath import basename
from typing import TYPE_CHECKING, NamedTuple, TypeVar, cast

from hexapla.cache import digest
from hexapla.examples.page_blocks import area_of
from hexapla.glossary import Term
from hexapla.site.page.localized_images import ImageSize, image_size
from hexapla.site.page.project_files import ProjectFiles
from hexapla.site.page.section_redirects import MovedSection, moved_sections
from hexapla.site.page.site_numbers import ParallelPassage, SiteNumbers, count_numbers, parallel_passages
from hexapla.site.page.snippet_evidence import SnippetEvidence, snippet_evidence
from hexapla.site.page.snippet_pages import make_program, notebook_url, program_url
from hexapla.site.page.translation_status import REPORTED, TranslationStatus
from hexapla.site.sources import SiteSources
from hexapla.translation.sections.sections import cut_sections
from hexapla.translation.status.section_states import PageStatus, SectionStatus

if TYPE_CHECKING:
    from mkdocs.structure.files import Files

TITLE = re.compile(r"^# +(.+?)\s*(?:\{[^{}]*\})?\s*$", re.M)
HEADING = re.compile(r"(?:---\n(?s:.*?)\n---\n)?+\s*#[^\n]*\n")  # the front matter above it too
HEAD = 1000  # characters of a page, behind its front matter, in which its title stands
Value = TypeVar("Value")
Reading = tuple[str, ...]  # the name of a method of SiteInputs, and its arguments


class AreaPage(NamedTuple):
    """The page that shows a snippet, or most of an area's: title, and address from the site's root.

    `programs` are those of the area that pages show, in the order in which they do: this page's, then others'.
    """

    title: str
    url: str
    programs: tuple[str, ...] = ()


class SectionMark(NamedTuple):
    """What is known of a section of a page in a language.

    `here` is its id, `source` the hash of the original's words, `languages` those that have it; `reported` is its
    status where it is behind.
    """

    here: str
    source: str
    state: str
    languages: tuple[str, ...]
    reported: SectionStatus | None


class SiteInputs:
    """All inputs that pages of one language can read; each value and its digest are computed once."""

    def __init__(self, sources: SiteSources, status: TranslationStatus, files: "Files | ProjectFiles") -> None:
        self.sources = sources
        self.status = status
        self.files = cast("Files", files)  # of which both have what is used
        self._values: dict[Reading, object] = {}
        self._digests: dict[Reading, str] = {}

    def value(self, reading: Reading) -> object:
        """The value of a reading, computed once."""
        if reading not in self._values:
            name, *arguments = reading
            self._values[reading] = getattr(self, name)(*arguments)
        return self._values[reading]

    def digest(self, reading: Reading) -> str:
        """A digest that changes when what a reading gives does."""
        if reading not in self._digests:
            name, *arguments = reading
            made = getattr(self, f"{name}_digest", None)
            self._digests[reading] = made(*arguments) if made else digest(repr(self.value(reading)))
        return self._digests[reading]

    def is_unchanged(self, readings: Iterable[tuple[Reading, str]]) -> bool:
        """Whether everything that was read is still as it was; what cannot be read any more is not."""
        try:
            return all(self.digest(reading) == before for reading, before in readings)
        except (KeyError, OSError, ValueError):
            return False

    def forget(self, stale: Callable[[Reading], object]) -> None:
        """Drop the values and digests of readings that a condition names."""
        self._values = {reading: value for reading, value in self._values.items() if not stale(reading)}
        self._digests = {reading: seen for reading, seen in self._digests.items() if not stale(reading)}

    def with_sources(self, sources: SiteSources, status: TranslationStatus) -> "SiteInputs":
        """The inputs with sources that were read again; the files are the same."""
        made = SiteInputs(sources, status, self.files)
        made._values, made._digests = self._values, self._digests
        made.forget(lambda reading: reading[0] not in {"link", "image"})
        return made

    def text(self, path: str) -> str:
        """The text of the page at this path in docs, converted where it is derived."""
        if path in self.sources.derived:
            return self.sources.derived.convert(path, self.sources.pages[self.sources.derived[path]].text)
        file = self.files.src_uris[path]
        return str(file.content_string)

    def section_ids(self, path: str) -> dict[str, str]:
        """The ids of a page's sections by their titles."""
        return {span.title: span.id for span in cut_sections(self.text(path))}

    def original(self, path: str) -> str:
        """The text of the source's page at this path in docs."""
        language, _, file = path.partition("/")
        return self.sources.pages.text((language, file))

    def head(self, path: str) -> str:
        """The first lines of a page's text, where its title is; less is converted than for all of it."""
        original = self.sources.derived.get(path)
        text = first_lines(self.sources.pages.text(original) if original else self.text(path))
        return self.sources.derived.convert(path, text) if original else text

    def heading(self, path: str) -> str:
        """The first line of a page that begins with a heading, its front matter above it; of others its first lines.

        Of a derived page this line alone is converted, where people have written no passage of it.
        """
        original, derived = self.sources.derived.get(path), self.sources.derived
        if original is None or derived.passages_of(path):
            return self.head(path)
        return derived.convert(path, first_heading(first_lines(self.sources.pages.text(original))))

    def original_head(self, path: str) -> str:
        """The first lines of the page in the source's language, "" where there is none."""
        original = self.sources.project.source.code, path.partition("/")[2]
        return first_lines(self.sources.pages.text(original)) if original in self.sources.pages else ""

    def text_digest(self, path: str) -> str:
        """Of the original and of what is converted how, so that nothing is converted to find out."""
        if path in self.sources.derived:
            file = self.sources.pages.files[self.sources.derived[path]]
            return digest(file.read_bytes(), *self.sources.derived.conversion(path))
        return digest(self.files.src_uris[path].content_bytes)

    def code(self, path: str, language: str) -> str:
        """A snippet as readers of a language see it."""
        return self.sources.code(path, language)

    def evidence(self, path: str) -> SnippetEvidence:
        """Where a snippet ran and what it printed."""
        return snippet_evidence(path, self.sources)

    def program(self, path: str) -> tuple[str, int]:
        """The address of a snippet as one file that runs alone, "" where there is none, and how many lines that has."""
        if path not in self.sources.techniques:
            return "", 0
        return program_url(notebook_url(path)), len(make_program(path, self.sources.snippets).splitlines())

    def runs_block(self, path: str) -> bool:
        """Whether the site has a program in a page at this path."""
        return path in self.sources.snippets.blocks

    def figure(self, reference: str, language: str) -> str:
        """What a reference into the evidence shows. Raises FigureError."""
        return self.sources.figure(reference, language)

    def terms(self) -> tuple[Term, ...]:
        """The glossary."""
        return self.sources.terms

    def matrix(self) -> SiteSources:
        """What the run matrix shows."""
        return self.sources

    def matrix_digest(self) -> str:
        """Of the evidence, and of every snippet."""
        hashes = [self.sources.snippets.hash(path) for path in sorted(self.sources.programs)]
        hashes += [self.sources.current.state(path, run) for each in self.sources.evidence
                   for path, run in each.runs.items() if path in self.sources.programs]
        kinds = {path: sorted(kinds) for path, kinds in self.sources.kinds.items()}
        return digest(repr(self.sources.evidence), repr(kinds), *hashes)

    def area_pages(self, language: str) -> dict[str, AreaPage]:
        """The page of each area of programs: in the language, or, for a page in the source's, in the site's own.

        They are in the navigation's order, those that it does not name at the end.
        """
        source = self.sources.project.source.code
        shown = [
            (include.path, name) for written, name in self.sources.pages if written == source
            for include in self.sources.pages[written, name].includes
        ]
        shown += [(path, f"{area_of(path)[:-1]}.md") for path in self.sources.snippets.blocks]
        places = {name: place for place, name in enumerate(self.sources.project.navigation)}
        ordered = sorted(shown, key=lambda each: places.get(each[1], len(places)))
        pages: dict[str, tuple[int, AreaPage]] = {}
        for (area, name), _ in Counter((area_of(path), name) for path, name in shown).most_common():
            if area not in pages and (found := self.shown_page(language, name)):
                own_first = sorted(ordered, key=lambda each: each[1] != name)
                programs = dict.fromkeys(path for path, _ in own_first if area_of(path) == area)
                pages[area] = places.get(name, len(places)), found._replace(programs=tuple(programs))
        return {area: page for area, (_, page) in sorted(pages.items(), key=lambda each: (each[1][0], each[0]))}

    def shown_page(self, language: str, name: str) -> AreaPage | None:
        """A page in the language, in the source's or in another; None for one that the site leaves out."""
        codes = (language, self.sources.project.source.code, *(each.code for each in self.sources.project.languages))
        path = next((path for each in codes if (path := f"{each}/{name}") in self.files.src_uris), "")
        title = TITLE.search(self.head(path)) if path else None
        return AreaPage(title[1].replace("`", ""), self.files.src_uris[path].url) if title else None

    def area_pages_digest(self, language: str) -> str:
        """Of all pages, where they are and the navigation's order, so that none is parsed to find out.

        A site has the source's page only where the language lacks it, and what it includes counts all the same.
        """
        source = self.sources.project.source.code
        pages = [file for file in self.files if file.is_documentation_page()]
        originals = [self.sources.pages.text(each) for each in sorted(self.sources.pages) if each[0] == source]
        order = repr(self.sources.project.navigation)
        return digest(*(f"{file.url} {self.text_digest(file.src_uri)}" for file in pages), order, *originals)

    def available(self, name: str) -> list[str]:
        """The languages that have a page, its path below a language's folder."""
        return self.sources.available(name)

    def changed(self, path: str) -> tuple[str, str] | None:
        """Date and author of the last change of a page by its path in docs, None where git does not know them.

        A name that all pages have says nothing of one: it is "".
        """
        changes = self.sources.changes
        change = changes.get(self.sources.written_path(path))
        named = change and any(each.author != change.author for each in changes.values())
        return (change.date, change.author if named else "") if change else None

    def numbers(self) -> SiteNumbers:
        """What holds of the whole site."""
        return count_numbers(self.sources, self.status)

    def parallel(self, page: str, section: str) -> tuple[ParallelPassage, ...]:
        """The first paragraph of a section in every language; `page` is a path below a language's folder."""
        return tuple(parallel_passages(self.sources, self.files, page, section))

    def translation(self, language: str, name: str) -> PageStatus | None:
        """What is translated of a page, None where nothing is recorded."""
        return self.status.page(language, name)

    def marks(self, language: str, name: str) -> tuple[SectionMark, ...]:
        """What is known of each section of a page; in the original's language that it is the original."""
        codes = [each.code for each in self.sources.project.languages]
        pages = {code: page for code in codes[1:] if (page := self.status.page(code, name)) and page.path}
        originals = {each.span.id: each for each in self.status.sections.sections(name)}
        having = {id: [codes[0]] for id in originals}
        for code, page in pages.items():
            for each in page.sections:
                if each.line:
                    having.setdefault(each.id, []).append(code)
        if language == codes[0]:
            return tuple(
                SectionMark(id, each.text, "original", tuple(having[id]), None) for id, each in originals.items()
            )
        return tuple(
            SectionMark(each.here or each.id, originals[each.id].text if each.id in originals else "", str(each.state),
                        tuple(having.get(each.id, ())), each if each.state in REPORTED else None)
            for each in (pages[language].sections if language in pages else ())
        )

    def marks_digest(self, language: str, name: str) -> str:
        """Of the original and of what is known of its translations, so that no page is cut up to find out."""
        original = self.status.sections.source.get(name)
        known = [self.status.page(each.code, name) for each in self.sources.project.languages[1:]]
        return digest(original.digest if original else "", *map(repr, known))

    def moved(self, language: str, name: str) -> Mapping[str, str]:
        """The sections that a page lacks and another page of its language has, by id; converted as the page is."""
        found = self.status.moved(language, name)
        if found and (path := f"{language}/{name}.md") in self.sources.derived:
            return {each: self.sources.derived.convert(path, text) for each, text in found.items()}
        return found

    def redirects(self, language: str, page: str) -> tuple[MovedSection, ...]:
        """The sections that moved away from a page, its path below a language's folder with the suffix."""
        return tuple(moved_sections(self.sources, self.files, language, page))

    def image(self, name: str) -> ImageSize | None:
        """The size of the image of this name, None where there is none."""
        return image_size(Path(self.images[name])) if name in self.images else None

    @cached_property
    def images(self) -> dict[str, str]:
        """All images, and the other files that are no pages, by their names."""
        return {basename(file.src_uri): file.abs_src_path for file in self.files.media_files() if file.abs_src_path}

    def link(self, path: str) -> tuple[str, str, str] | None:
        """The file that pages call by this path, its address from the site's root, and whether the site has it."""
        file = self.files.get_file_from_path(path)
        return (file.src_uri, file.url, file.inclusion.name) if file else None


def first_lines(text: str) -> str:
    """The lines of a page in which its title stands, its front matter before them."""
    front = text.find("\n---\n") if text.startswith("---\n") else 0
    end = text.find("\n", max(front, 0) + HEAD)
    return text if end < 0 else text[:end]


def first_heading(text: str) -> str:
    """A text until the end of the heading that it begins with below its front matter; all of it where it does not.

    >>> first_heading("---\\nicon: x\\n---\\n# A\\n\\nText.\\n")
    '---\\nicon: x\\n---\\n# A\\n'
    """
    found = HEADING.match(text)
    return text[:found.end()] if found else text


class PageInputs:
    """The inputs that one page has read; `readings` has the digest of each value."""

    def __init__(self, site: SiteInputs) -> None:
        self.site = site
        self.readings: dict[Reading, str] = {}

    def read(self, method: Callable[..., Value], *arguments: str) -> Value:
        """What a method of SiteInputs gives for these arguments, which is noted."""
        reading = (method.__name__, *arguments)
        self.readings[reading] = self.site.digest(reading)
        return cast(Value, self.site.value(reading))
