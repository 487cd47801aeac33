"""One judge for editor, import, draft and sync: a section is judged by itself, whatever its page lacks."""

import re
import shutil
from pathlib import Path

import polib
import pytest
from hexapla.cache import Cache
from hexapla.checks.engine.page_store import PageStore
from hexapla.checks.engine.unsaved_text import overlay_checker
from hexapla.config.discovery import TreeOptions, find_layout
from hexapla.config.project import find_terms
from hexapla.drafts.draft_run import drafting_of
from hexapla.drafts.local_model import LocalDrafter
from hexapla.editor.page_editing import EditorService
from hexapla.pages.spans import spans
from hexapla.section_judge import tree_judge
from hexapla.section_writer import RefusedError, version_of
from hexapla.translation.exchange import exchange_files as exchange
from hexapla.translation.records.draft_inputs import DraftMaterial
from hexapla.translation.sections.sections import cut_sections
from hexapla.translation.tracking import tree_status
from hexapla.translation.translation_tree import read_tree

from tests.site.project import lay

ROOT = Path(__file__).parents[2]


def count_paragraphs(page):
    """The paragraphs of prose of a page, one that begins with a capital letter each."""
    return len(re.findall(r"\n\n[A-Z]", page.read_text("utf-8")))


LONGEST = max((ROOT / "docs/en").glob("*.md"), key=count_paragraphs).stem
EMPTY = version_of("")  # of a section that is not there
WORD = re.compile(r"[^\W\d_]+")
COUNTED = re.compile(r"^ *[!?]{3}|\w*\d\w*|\b(?:thousand|[mb]illion|hundred)\b")  # kinds of call-outs, numbers


def korean(text):
    """A text with each word in Korean letters; code, links, numbers and ids as they are."""
    return "".join(translated(piece.text) if piece.prose else piece.text for piece in spans(text))


def syllables(word):
    """Hangul for a word, another for each."""
    return "".join("가나다라마바사아자차카타파하"[sum(map(ord, word[0][place : place + 2])) % 14]
                   for place in range(0, len(word[0]), 2))


def translated(words):
    def said(word):
        return word[0] if COUNTED.search(word[0]) else WORD.sub(syllables, word[0])

    return re.sub(r"(?m)^ *[!?]{3}\+? \w+|\S+", said, words)


@pytest.fixture
def guide(tmp_path):
    """The guide's longest page in English, with Korean to translate into."""
    settings = (ROOT / "mkdocs.yml").read_text()
    listed = re.sub(r"(?m)^      languages:\n(?:        .*\n)+", (
        "      languages:\n        - {locale: en, name: English, default: true}\n"
        "        - {locale: ko, name: 한국어}\n"), settings)
    listed = listed.replace("derived: {zh-Hant: zh}", "derived: {}")
    (tmp_path / "mkdocs.yml").write_text(re.sub(r"(?ms)^nav:\n.*?(?=^\S|\Z)", "", listed.replace("\nnav:", "\nnav:")))
    shutil.copytree(ROOT / "snippets", tmp_path / "snippets", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copytree(ROOT / "docs/en", tmp_path / "docs/en")
    (tmp_path / "docs/ko").mkdir()
    return tmp_path


def tree_of(root):
    return read_tree(find_layout(TreeOptions(root, "", "", "", (), "")), lambda path: "", lambda path: "",
                     Cache(root))


def editor_of(root):
    return EditorService(lambda: tree_of(root), lambda: overlay_checker(tree_of(root).layout, ()))


def states(root):
    pages = tree_status(tree_of(root), [LONGEST])
    return {section.id: str(section.state) for page in pages for section in page.sections}


def source(root):
    text = (root / f"docs/en/{LONGEST}.md").read_text()
    return {span.id: text[span.start : span.end] for span in cut_sections(text)}


@pytest.mark.parametrize("order", [1, -1])
def test_a_new_page_is_begun_section_by_section_in_the_editor(guide, order):
    editor, sections = editor_of(guide), source(guide)
    for number, name in enumerate(list(sections)[::order], 1):
        editor.save(LONGEST, "ko", name, korean(sections[name]), EMPTY)
        assert list(states(guide).values()).count("current") == number
    assert (guide / f"docs/ko/{LONGEST}.md").read_text().split() == korean("".join(sections.values())).split()


def test_a_new_page_is_made_of_the_messages_that_are_translated(guide):
    folder = guide / "out"
    exchange.export_all(tree_of(guide), [LONGEST], "ko", "po", folder)
    file = polib.pofile(folder / f"ko/{LONGEST}.po")
    left = next(entry for entry in reversed(file) if len(entry.msgid) > 40)
    for entry in file:
        entry.msgstr = "" if entry is left else korean(entry.msgid)
    file.save()
    tree = tree_of(guide)
    found = exchange.import_files(tree, folder, tree_judge(tree, ()), True)
    section = left.msgctxt.partition("#")[2]
    assert [str(refusal).partition(": ")[2] for refusal in found.refusals] == [next(
        refusal.reason for refusal in found.refusals if f"of the section {section!r} are translated" in refusal.reason)]
    assert {name: state for name, state in states(guide).items() if state != "current"} == {section: "missing"}


def test_one_bad_draft_costs_its_section_alone(guide):
    tree = tree_of(guide)
    sections = source(guide)
    bad = next(name for name, text in reversed(sections.items()) if "```" in text)
    title = next(span.title for span in cut_sections("".join(sections.values())) if span.id == bad)

    def model(messages):
        return ["" if message == title else translated(message) for message in messages]

    [made] = drafting_of(
        tree, "ko", DraftMaterial({}), LocalDrafter(model, {}, "en", "ko"), tree_judge(tree, ()),
        given=[LONGEST]).make_drafts()
    assert {name: state for name, state in states(guide).items() if state != "draft"} == {bad: "missing"}
    assert [refusal.reason for refusal in made.refusals] == ["the model gave back nothing"]


def test_raw_english_is_not_current(guide):
    editor = editor_of(guide)
    for name, text in source(guide).items():
        with pytest.raises(RefusedError) as refused:
            editor.save(LONGEST, "ko", name, text, EMPTY)
        assert refused.value.doubtful, name
        assert any(item.rule.endswith("-untranslated") for item in refused.value.findings), name
    editor.save(LONGEST, "ko", name, text, EMPTY, True)
    assert states(guide)[name] == "needs-review"


def without_a_paragraph(text):
    """A section of three paragraphs or more without one, for each that it has."""
    pieces = text.split("\n\n")
    prose = [number for number, piece in enumerate(pieces)
             if piece[:1].isupper() and "\n\n".join(pieces[:number]).count("```") % 2 == 0]
    return ["\n\n".join(pieces[:number] + pieces[number + 1 :]) for number in prose if len(prose) > 2]


def test_a_section_that_lacks_a_paragraph_needs_review(guide):
    lacking = [(name, less) for name, text in source(guide).items() for less in without_a_paragraph(text)]
    judge = tree_judge(tree_of(guide), ())
    doubted = [any(fault.message.startswith("text-missing") for fault in judge("ko", LONGEST, *each, "").doubts)
               for each in ((name, korean(less)) for name, less in lacking)]
    assert len(doubted) > 5 and sum(doubted) >= 0.8 * len(doubted)  # words all alike are not as long as Korean ones
    editor, (name, less) = editor_of(guide), lacking[0]
    with pytest.raises(RefusedError) as refused:
        editor.save(LONGEST, "ko", name, korean(less), EMPTY)
    assert refused.value.doubtful
    editor.save(LONGEST, "ko", name, korean(less), EMPTY, True)
    assert states(guide)[name] == "needs-review"


def test_no_section_of_the_guide_is_doubted():
    tree = tree_of(ROOT)
    judge, judged = tree_judge(tree, find_terms(ROOT)), 0
    pages = [page for page in tree_status(tree) if page.path]
    languages = sorted({page.language for page in pages})
    for page in pages:
        # Each section in one language, the next in the other; tests/guide/test_check.py reads all of them.
        for section in page.sections[languages.index(page.language) % 2 :: 2]:
            text = tree.section_text(page.language, page.page, section.here).rstrip()
            assert judge(page.language, page.page, section.id, text, "") == ((), ()), f"{page.path}#{section.id}"
            judged += 1
    assert judged > 500


def test_the_pages_that_a_section_links_to_are_read_for_one_command_and_not_for_the_next(tmp_path, monkeypatch):
    pages = {f"docs/{code}/{name}.md": f"# {title} {{#{name}}}\n\n[x]({other}.md#{other})\n"
             for code, title in (("en", "Title"), ("zh", "标题")) for name, other in ("ab", "ba")}
    root, reading, read = lay(tmp_path, pages), PageStore.read, []
    monkeypatch.setattr(PageStore, "read", lambda *given: read.append(given[2:]) or reading(*given))

    def judge():
        tree = tree_of(root)
        assert tree_judge(tree, ())("zh", "a", "a", pages["docs/zh/a.md"], "") == ((), ())
        tree.cache.close()

    judge()
    assert ("docs/zh/b.md",) in read
    read.clear()
    judge()
    assert {*read} == {()}
