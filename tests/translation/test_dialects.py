"""What reads the lines of pages ends a fence where the tree's own renderer does: sections, messages, memory, rules."""

import pytest
from hexapla.checks.engine.suppressions import suppressions
from hexapla.checks.engine.tree_check import CheckOptions, check_tree
from hexapla.config.discovery import TreeOptions, detect_layout, layout_of_options
from hexapla.pages import parse
from hexapla.pages.lines import closes_by
from hexapla.translation import tracking
from hexapla.translation.history.changes import source_history
from hexapla.translation.memory.pairs import verbatim_pieces
from hexapla.translation.sections.sections import cut_sections, section_contents
from hexapla.translation.sections.segments import all_segments
from hexapla.translation.translation_tree import read_tree

from tests.cases import cases
from tests.site.project import git, write

DIALECTS = ["github", "doc-builder", "python-markdown", "pymdownx"]
MIXED = "# P\n\nexport const a = 1\n\n    ## Not code in MDX\n\n## After\n\nText.\n"
PAGE = "# Page {#page}\n\n```js\na();\n````\n\nOne two three.\n\n## Second {#second}\n\n```js\nb();\n```\n\nFour.\n"


def in_code(text, lines):
    """The lines that a text has in its code, as its dialect reads it."""
    return {line for fence in parse(text, lines).fences
            for line in range(fence.line, (fence.end_line or text.count("\n") + 1) + 1)}


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("case", cases("fences"))
def test_sections_messages_and_code_agree_with_the_page(case, dialect):
    closes = closes_by(dialect)
    text = f"# Page\n\n{case['text']}\n## After\n\nLast. <!-- hexapla: ignore residue: meant -->\n"
    page, code = parse(text, closes), in_code(text, closes)
    assert [span.line for span in cut_sections(text, closes)] == [heading.line for heading in page.headings]
    assert [each.span for each in section_contents(text, closes)] == list(cut_sections(text, closes))
    assert not code & {unit.line for unit in all_segments(text, closes)}
    pieces = [text[piece.start : piece.end] for piece in verbatim_pieces(text, closes) if piece.code]
    assert len(pieces) == len(page.fences)
    assert bool(list(suppressions(text, closes))) == (text.count("\n") not in code)


def tree(root, dialect):
    layout = layout_of_options(root, "docs/{lang}/{page}.md", anchors=dialect)
    return read_tree(layout, lambda path: "", lambda path: "")


MARKDOWN, MDX = ["p", "after"], ["p", "not-code-in-mdx", "after"]


@pytest.mark.parametrize(("files", "source", "translation"), [
    ({"docs/en/a.md": MIXED, "docs/ja/a.md": MIXED}, MARKDOWN, MARKDOWN),
    ({"docs/en/a.mdx": MIXED, "docs/ja/a.mdx": MIXED}, MDX, MDX),
    ({"docs/en/a.md": MIXED, "docs/ja/a.md": MIXED, "docs/en/b.mdx": MIXED}, MARKDOWN, MARKDOWN),
    ({"docs/en/a.md": MIXED, "docs/ja/a.mdx": MIXED}, MARKDOWN, MDX),
])
def test_a_page_is_cut_as_its_own_ending_says(tmp_path, files, source, translation):
    layout = detect_layout(write(tmp_path, files))
    now = read_tree(layout, lambda path: "", lambda path: "")
    assert [each.span.id for each in now.sections("a")] == source
    assert list(now.spans("ja", "a")) == translation
    words = " ".join(word for each in section_contents(MIXED, layout.closes_fence(now.source["a"].path))
                     for word in each.words)
    assert ("export const a" in words) is ("docs/en/a.md" in files)


@pytest.mark.parametrize(("dialect", "told"), [
    ("github", ["page text", "second code"]), ("python-markdown", ["page code"]),
])
def test_a_change_is_one_of_words_or_of_code_by_the_dialect(tmp_path, dialect, told):
    write(tmp_path, {"docs/en/page.md": PAGE, "docs/zh/page.md": PAGE.replace("One two three", "一二三")})
    tracking.sync_tree(tree(tmp_path, dialect), tracking.Sync(["docs/en"], write=True))
    git(tmp_path, "init", "-q")
    git(tmp_path, "add", "-A")
    git(tmp_path, "commit", "-qm", "all")
    write(tmp_path, {"docs/en/page.md": PAGE.replace("two", "2").replace("b();", "c();")})
    now = tree(tmp_path, dialect)
    (page,) = tracking.tree_status(now)
    assert [f"{each.id} {each.change}" for each in page.sections if each.change] == told
    history = source_history(now)
    old = history.section(page.sections[0].record, page.source_path)
    assert ("three." in old.words) == (dialect == "github")


@pytest.mark.parametrize(("dialect", "rules"), [
    ("github", {"residue", "admonition-differs"}), ("python-markdown", {"code-unclosed"}),
])
def test_rules_look_at_prose_as_the_dialect_has_it(tmp_path, dialect, rules):
    page = "# A {{#a}}\n\n```js\na();\n````\n\n::: note\n{}\n{}\n"
    write(tmp_path, {
        "docs/en/a.md": page.format("Words.", ":::"), "docs/zh/a.md": page.format("一些词。", "</source_text>"),
    })
    found = check_tree(CheckOptions(TreeOptions(tmp_path, "docs/{lang}/{page}.md", anchors=dialect), cached=False))
    assert {each.rule for each in found.findings} & {"residue", "admonition-differs", "code-unclosed"} == rules
