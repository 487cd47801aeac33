"""The guide's own pages and comments, read once, with the languages that are derived."""

from pathlib import Path

from hexapla.config.project import load_project
from hexapla.glossary import agreed
from hexapla.glossary import parse as parse_glossary
from hexapla.pages import parse, spans
from hexapla.site.sources import read_sources

ROOT = Path(__file__).parents[2]
PROJECT = load_project(ROOT)
SOURCES = read_sources(PROJECT)
EVERY_TERM = parse_glossary(PROJECT.glossary.read_text(encoding="utf-8"))
TERMS = agreed(EVERY_TERM)
SOURCE = PROJECT.source.code
WRITTEN = [language.code for language in PROJECT.languages if not language.derived_from]
DERIVED = {language.code: language.derived_from for language in PROJECT.languages if language.derived_from}


def every_page():
    """Every page by language and path, the derived ones converted as the site converts them."""
    pages = dict(SOURCES.pages)
    for file, original in SOURCES.derived.items():
        language, path = file.split("/", 1)
        pages[language, path] = parse(SOURCES.converters[language].page(spans(SOURCES.pages[original].text)))
    return pages


def prose(page):
    """What a reader reads as language: no code, no link targets, no ids."""
    return "".join(span.text if span.prose else "\0" for span in spans(page.text))


PAGES = every_page()
