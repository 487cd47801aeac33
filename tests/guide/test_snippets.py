"""Code as the guide's pages show it: every comment in the reader's language, and no line wider than the block."""

import sys
import unicodedata
from pathlib import Path

import pytest
from hexapla.examples.comments import comments_in
from hexapla.examples.notebook import files_beside
from hexapla.pages import excerpt

from tests.guide.guide import DERIVED, SOURCE, SOURCES, TERMS, WRITTEN

COLUMNS = 76  # what a code block of the page holds on a desktop screen without scrolling
SHOWN = sorted({
    (include.path, include.section)
    for page in SOURCES.pages.values() for include in page.includes if include.path.endswith(".py")
})
TRANSLATIONS = [language for language in WRITTEN if language != SOURCE]


def columns(line):
    """Columns in a fixed-width font: a full-width character takes two."""
    return sum(2 if unicodedata.east_asian_width(character) in "WF" else 1 for character in line)


@pytest.mark.release
@pytest.mark.parametrize("language", TRANSLATIONS)
def test_every_comment_shown_is_translated(language):
    assert not {
        f"{path}:{section}: {comment}" for path, section in SHOWN
        for comment in comments_in(excerpt(SOURCES.snippets.read(path), section).text)
        if language not in SOURCES.comments.translations.get(comment, {})
    }


@pytest.mark.parametrize("language", [*TRANSLATIONS, *DERIVED])
def test_comments_keep_to_the_glossary(language):
    words = [word for term in TERMS for word in term.forbidden.get(language, ())]
    renderings = [each[language] for each in SOURCES.comments.translations.values() if language in each]
    assert renderings
    assert not [each for each in renderings if any(word in each for word in words)]


@pytest.mark.parametrize("language", [*WRITTEN, *DERIVED])
def test_shown_code_fits_the_block(language):
    assert not [
        f"{path}:{section}: {line}" for path, section in SHOWN
        for line in excerpt(SOURCES.code(path, language), section).text.split("\n") if columns(line) > COLUMNS
    ]


def test_a_copied_program_comes_with_every_file_that_it_imports():
    snippets = SOURCES.snippets
    own = {file.stem for file in snippets.root.glob("*/*.py")} - sys.stdlib_module_names
    for path in snippets.names():
        files = [path, *(name for name in files_beside(snippets, path) if name.endswith(".py"))]
        needed = {module for name in files for module in snippets.modules(name)} & own
        assert needed <= {Path(name).stem for name in files}, path
