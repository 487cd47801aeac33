"""The guide's own pages and comments, read once, with the languages that are derived."""

from bisect import bisect_right
from functools import cache
from pathlib import Path

from hexapla.config import discovery
from hexapla.config.mkdocs_yaml import read_settings
from hexapla.config.project import load_project
from hexapla.examples.evidence_store import recorded_outputs
from hexapla.glossary import agreed_terms
from hexapla.glossary import parse as parse_glossary
from hexapla.pages import parse, spans
from hexapla.site.sources import read_sources
from hexapla.translation.status.section_states import TranslationState, find_statuses
from hexapla.translation.translation_tree import read_tree

ROOT = Path(__file__).parents[2]
PROJECT = load_project(ROOT)
SOURCES = read_sources(PROJECT)
EVERY_TERM = parse_glossary(PROJECT.glossary.read_text(encoding="utf-8"))
TERMS = agreed_terms(EVERY_TERM)
SOURCE = PROJECT.source.code
WRITTEN = [language.code for language in PROJECT.languages if not language.derived_from]
DERIVED = {language.code: language.derived_from for language in PROJECT.languages if language.derived_from}


def every_page():
    """Every page by language and path, the derived ones converted as the site converts them."""
    pages = dict(SOURCES.pages)
    for file, original in SOURCES.derived.items():
        language, path = file.split("/", 1)
        pages[language, path] = parse(SOURCES.derived.converters[language].page(spans(SOURCES.pages[original].text)))
    return pages


@cache
def page_statuses():
    """Where each section of each translation stands, as `hexapla status` has it."""
    place = discovery.layout_of_project(PROJECT, read_settings(ROOT / "mkdocs.yml"))
    return tuple(find_statuses(read_tree(place, SOURCES.snippets.read, recorded_outputs(PROJECT))))


@cache
def open_sections(language, path):
    """The ids of the sections of a page that a language, or the one that it derives from, has still to translate."""
    wanted = DERIVED.get(language, language), path.removesuffix(".md")
    return {
        name for page in page_statuses() if (page.language, page.page.removesuffix(".md")) == wanted
        for section in page.sections if section.state in {TranslationState.MISSING, TranslationState.BEHIND}
        for name in (section.id, section.here) if name
    }


def section_at(page, line):
    """The id of the section that a line of a page is in, "" before the first heading."""
    lines = [heading.line for heading in page.headings]
    place = bisect_right(lines, line)
    return page.headings[place - 1].id if place else ""


def prose(page):
    """What a reader reads as language: no code, no link targets, no ids."""
    return "".join(span.text if span.prose else "\0" for span in spans(page.text))


PAGES = every_page()
