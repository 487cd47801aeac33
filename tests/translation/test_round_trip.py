"""What goes out and comes back without an edit changes no byte, and a file that was cut off changes nothing at all."""

from pathlib import Path

import pytest
from hexapla.config import discovery
from hexapla.config.mkdocs_yaml import read_settings
from hexapla.config.project import load_project
from hexapla.errors import ConfigError
from hexapla.translation import tracking
from hexapla.translation.exchange import po, xliff
from hexapla.translation.exchange.catalog_import import plan_import
from hexapla.translation.exchange.exchange_files import with_marks
from hexapla.translation.memory.catalog import Catalog, Message, page_messages
from hexapla.translation.sections.section_problems import Judgement
from hexapla.translation.status.section_states import find_statuses
from hexapla.translation.translation_tree import read_tree
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.translation.test_units import LINES

ROOT = Path(__file__).parents[2]
FORMATS = {"po": po, "xliff": xliff}
PAGES = st.tuples(
    st.lists(LINES | st.sampled_from(["## Two {#b}", "### Three", "Three\n---", "---\ntitle: x\n---"]), max_size=14),
    st.sampled_from(["\n", "\r\n"]), st.sampled_from(["", "\n", "\n\n"]),
).map(lambda drawn: drawn[1].join(drawn[0]) + drawn[2].replace("\n", drawn[1]))
CHARACTERS = st.characters(exclude_categories=["C", "Zl", "Zp"]) | st.sampled_from('\n"\\ ')
TEXT = st.text(CHARACTERS, min_size=1).map(str.strip)
CATALOGS = st.lists(st.tuples(TEXT.filter(bool), TEXT, st.booleans()), min_size=1, max_size=4).map(
    lambda found: Catalog("page", "ja", "en", "docs/en/page.md", "", tuple(
        Message(f"s{number}", text, 1, target, 1, fuzzy) for number, (text, target, fuzzy) in enumerate(found))))


def agrees(*_):
    """A judge that has nothing against a section."""
    return Judgement()


def come_back(tree, page, form):
    """What an import makes of a page's catalog as it was exported."""
    catalog = with_marks(Catalog(page.page, page.language, "en", page.source_path, "", page_messages(tree, page, None)))
    back = form.parse(form.dump(catalog), "file")
    assert [each.key for each in back.messages] == [each.key for each in catalog.messages]
    return plan_import(tree, page, back, "file", agrees)


@pytest.fixture(scope="module")
def guide():
    project = load_project(ROOT)
    layout = discovery.layout_of_project(project, read_settings(ROOT / "mkdocs.yml"))
    return read_tree(layout, lambda path: "", lambda path: "")


@pytest.mark.slow
@pytest.mark.parametrize("form", FORMATS)
def test_every_page_of_the_guide_comes_back_byte_for_byte(guide, form):
    pages = [page for page in find_statuses(guide) if page.path]
    assert len(pages) > 80
    assert [made.path for page in pages if (made := come_back(guide, page, FORMATS[form])).text is not None] == []


@pytest.mark.parametrize("form", FORMATS)
@settings(deadline=None, max_examples=60)
@given(source=PAGES, here=PAGES, same=st.booleans())
def test_every_page_comes_back_byte_for_byte(form, source, here, same, tmp_path_factory):
    root = tmp_path_factory.mktemp("tree")
    for code, text in (("en", source), ("ja", source if same else here)):
        (root / "docs" / code).mkdir(parents=True)
        (root / "docs" / code / "page.md").write_bytes(text.encode("utf-8", "replace"))
    layout = discovery.layout_of_options(root, "docs/{lang}/{page}.md")
    tracking.sync_tree(read_tree(layout, lambda path: "", lambda path: ""), tracking.Sync((), write=True))
    tree = read_tree(layout, lambda path: "", lambda path: "")
    (page,) = find_statuses(tree)
    made = come_back(tree, page, FORMATS[form])
    assert made.text is None
    assert not made.refusals and not made.records


@pytest.mark.parametrize("form", FORMATS)
@settings(deadline=None)
@given(catalog=CATALOGS, data=st.data())
def test_a_file_that_was_cut_off_brings_no_part_of_a_message(form, catalog, data):
    whole = FORMATS[form].dump(catalog)
    full = FORMATS[form].parse(whole, "file").messages
    assert [each[:4] for each in full] == [each[:4] for each in catalog.messages]
    cut = whole[: data.draw(st.integers(0, len(whole) - 1))]
    try:
        left = FORMATS[form].parse(cut, "file").messages
    except ConfigError as error:
        assert "\n" not in str(error)
        return
    assert [each[:3] for each in left] == [each[:3] for each in full]
    assert all(one.target in ("", other.target) for one, other in zip(left, full, strict=True))
