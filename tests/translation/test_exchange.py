"""Out to translators' files and back, and what comes back that must not go in."""

import shutil
import subprocess

import polib
import pytest
from hexapla.config import discovery
from hexapla.errors import ConfigError
from hexapla.glossary import parse as parse_terms
from hexapla.section_judge import tree_judge
from hexapla.translation import tracking as state
from hexapla.translation.exchange import exchange_files, po, xliff
from hexapla.translation.memory.catalog import Catalog, Message
from hexapla.translation.translation_tree import read_tree
from lxml import etree

from tests.translation.test_state import git, write

ENGLISH = (
    "---\ndescription: What it is.\n---\n\n# Page {#page}\n\nSome words & <b>bold</b> that open it.\n\n"
    "## First {#first}\n\nOne `two` [three](page.md#page) four.\n\nAgain.\n\nAgain.\n\n```sh\nls\n```\n"
)
JAPANESE = (
    "---\ndescription: これは何か。\n---\n\n# ページ {#page}\n\n始まりの<b>太字</b>の言葉。\n\n"
    "## 第一 {#first}\n\n一`two`[三](page.md#page)四。\n\nもう一度。\n\nさらに一度。\n\n```sh\nls\n```\n"
)
TERMS = parse_terms("- term: batch\n  ja: バッチ\n  forbidden: {ja: [束]}\n- term: zh only\n  zh: 批次\n")


@pytest.fixture
def project(tmp_path):
    """A page in English and Japanese, recorded as current, and one in English alone."""
    root = tmp_path / "project"
    new = "# New {#new}\n\nIt.\n"
    write(root, {"docs/en/page.md": ENGLISH, "docs/ja/page.md": JAPANESE, "docs/en/part/new.md": new})
    state.sync_tree(tree(root), state.Sync(["docs/ja/page.md"], write=True))
    git(root, "init", "-q")
    git(root, "add", "-A")
    git(root, "commit", "-qm", "all")
    return root


def tree(root):
    layout = discovery.layout_of_options(root, "docs/{lang}/{page}.md")
    return read_tree(layout, lambda path: "", lambda path: "")


def export(root, format):
    folder = root.parent / "out"
    shutil.rmtree(folder, ignore_errors=True)
    return folder, exchange_files.export_all(tree(root), [], None, format, folder)


def bring(root, folder, put=True):
    found = tree(root)
    ended = exchange_files.import_files(found, folder, tree_judge(found, ()), put)
    return "\n".join(exchange_files.import_lines(ended, put))


def edit(folder, format, path, change):
    """Change the translations in a file: `change` is given the English and the translation."""
    if format == "po":
        file = polib.pofile(folder / f"{path}.po")
        for entry in file:
            entry.msgstr = change(entry.msgid, entry.msgstr)
        file.save()
        return
    place = folder / f"{path}.xlf"
    root = etree.parse(place).getroot()
    for segment in root.iter(xliff.name_tag("segment")):
        data = {each.get("id"): each.text for each in segment.getparent().iter(xliff.name_tag("data"))}
        source, target = segment.find(xliff.name_tag("source")), segment.find(xliff.name_tag("target"))
        words = change(xliff.text_of(source, data), xliff.text_of(target, data))
        if words and (target is None or len(target) == 0):
            if target is None:
                target = etree.SubElement(segment, xliff.name_tag("target"))
            target.text = words
    place.write_bytes(etree.tostring(root))


@pytest.mark.parametrize("format", ["po", "xliff"])
def test_nothing_changes_where_nothing_was_edited(project, format):
    folder, said = export(project, format)
    assert said == "ja: 2 pages, 7 of 9 messages translated\n"
    said = bring(project, folder)
    assert "0 pages written, 0 sections recorded as current, 0 as needing review, 0 messages refused" in said
    assert (project / "docs/ja/page.md").read_text() == JAPANESE
    assert not (project / "docs/ja/part").exists()


@pytest.mark.parametrize("format", ["po", "xliff"])
def test_a_page_is_made_of_its_messages(project, format):
    folder, _ = export(project, format)
    edit(folder, format, "ja/part/new", lambda english, target: {"New": "新規", "It.": "これ。"}[english])
    assert "nothing was written" in bring(project, folder, put=False)
    assert not (project / "docs/ja/part").exists()
    assert "1 pages written, 1 sections recorded as current" in bring(project, folder)
    assert (project / "docs/ja/part/new.md").read_text() == "# 新規 {#new}\n\nこれ。\n"
    assert {page.state for page in state.tree_status(tree(project))} == {"current"}
    assert "0 pages written, 0 sections recorded" in bring(project, folder)


@pytest.mark.parametrize("format", ["po", "xliff"])
def test_a_file_in_another_language_than_it_says_is_refused_whole(project, format):
    folder, _ = export(project, format)
    before = (project / "docs/ja/page.md").read_text()
    edit(folder, format, "ja/page", lambda english, target: "이 문장은 한국어로 쓰여 있습니다." if target else "")
    said = bring(project, folder)
    assert "its texts are in the language 'ko', not 'ja' as it says" in said
    assert (project / "docs/ja/page.md").read_text() == before
    assert {page.state for page in state.tree_status(tree(project)) if page.page == "page"} == {"current"}


@pytest.mark.parametrize("format", ["po", "xliff"])
def test_what_changed_is_fuzzy_and_what_stayed_is_kept(project, format):
    page = project / "docs/en/page.md"
    page.write_text(ENGLISH.replace("four", "five"))
    folder, said = export(project, format)
    assert said == "ja: 2 pages, 6 of 9 messages translated\n"
    file = folder / ("ja/page.po" if format == "po" else "ja/page.xlf")
    old = "One `two` [three](page.md#page) four."
    assert {"po": f'#| msgid "{old}"', "xliff": f'category="previous">{old}<'}[format] in file.read_text()
    assert bring(project, folder).endswith("0 messages refused")  # what was offered was not touched
    edit(folder, format, "ja/page", lambda english, target: f"{target}新" if "five" in english else target)
    if format == "po":
        assert "is marked as fuzzy" in bring(project, folder)
    assert state.tree_status(tree(project))[0].state == "behind"


def test_what_poedit_marks_as_fuzzy_is_fuzzy(project):
    folder, _ = export(project, "xliff")
    file = folder / "ja/page.xlf"
    marked = file.read_text().replace(' state="translated"', ' state="translated" subState="poedit:fuzzy"', 1)
    file.write_text(marked.replace(">これは何か。", ">これは何。"))
    assert "is marked as fuzzy" in bring(project, folder)


@pytest.mark.parametrize("format", ["po", "xliff"])
def test_unsafe_sections_are_refused_and_the_others_kept(project, format):
    folder, _ = export(project, format)
    edit(folder, format, "ja/page", lambda english, target: {
        "Again.": f"{target}<script>alert(1)</script>", "Page": "頁",
    }.get(english, target))
    said = bring(project, folder)
    assert "the section 'first' is not taken over: html-unsafe" in said
    assert (project / "docs/ja/page.md").read_text() == JAPANESE.replace("ページ", "頁")


@pytest.mark.parametrize(("target", "says"), [
    ("頁\u202e", "holds the character U+202E"),
    ("頁\u2066", "holds the character U+2066"),
    ("頁\n\n頁", "holds an empty line"),
])
def test_characters_that_nobody_sees_are_refused(project, target, says):
    folder, _ = export(project, "po")
    edit(folder, "po", "ja/page", lambda english, old: target if english == "Page" else old)
    assert says in bring(project, folder)
    assert (project / "docs/ja/page.md").read_text() == JAPANESE


def test_a_nul_character_is_refused(project):
    folder, _ = export(project, "po")
    file = folder / "ja/page.po"
    file.write_bytes(file.read_bytes().replace("ページ".encode(), b"\0"))
    said = bring(project, folder)
    assert "U+0000" in said or "is no PO file" in said
    assert (project / "docs/ja/page.md").read_text() == JAPANESE


def test_messages_of_another_revision_are_named_and_nothing_is_lost(project):
    folder, _ = export(project, "po")
    edit(folder, "po", "ja/page", lambda english, target: f"{target}新")
    (project / "docs/en/page.md").write_text(ENGLISH.replace("four", "five"))
    said = bring(project, folder)
    assert "ja/page.po:" in said
    assert "the source does not say this any more in the section 'first': export again" in said
    text = (project / "docs/ja/page.md").read_text()
    assert "もう一度。新" in text
    assert "一`two`[三](page.md#page)四。\n" in text
    assert [each.state for each in state.tree_status(tree(project))[0].sections] == ["current", "current", "behind"]


@pytest.mark.parametrize(("data", "says"), [
    ('<!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/passwd">]><xliff/>', "declares a document type"),
    ("<xliff/>", "is no XLIFF 2.0 (xliff)"),
    ("<", "is no XML"),
    (f'<xliff xmlns="{xliff.NAMESPACE}" version="2.0"/>', "names no page"),
])
def test_a_strange_file_is_one_sentence(tmp_path, data, says):
    with pytest.raises(ConfigError) as error:
        xliff.parse(data.encode(), "a.xlf")
    assert says in str(error.value)
    assert "\n" not in str(error.value)


def test_a_foreign_element_in_a_target_is_refused(project):
    folder, _ = export(project, "xliff")
    file = folder / "ja/page.xlf"
    file.write_text(file.read_text().replace(">ページ<", '>ページ<x xmlns="urn:x"/><'))
    assert "holds <{urn:x}x>" in bring(project, folder)
    assert (project / "docs/ja/page.md").read_text() == JAPANESE


@pytest.mark.parametrize(("data", "says"), [
    (b"\xff\xfe", "is not UTF-8"), (b"not a po", "is no PO file"), (b'msgid ""\nmsgstr ""\n', "names no page"),
])
def test_a_strange_po_file_is_one_sentence(data, says):
    with pytest.raises(ConfigError, match=says):
        po.parse(data, "a.po")


def test_gettext_reads_what_is_exported(project):
    if not shutil.which("msgfmt"):
        pytest.skip("msgfmt is not installed")
    folder, _ = export(project, "po")
    for file in folder.rglob("*.po"):
        subprocess.run(["msgfmt", "--check", "-o", folder / "x.mo", file], check=True, capture_output=True)


@pytest.mark.parametrize("format", ["po", "xliff"])
def test_a_cell_with_a_word_in_one_language_alone_keeps_its_section(project, format):
    table = "\n## Table {{#table}}\n\n| {} | {} |\n|---|---|\n| {} | {} |\n"
    write(project, {"docs/en/page.md": ENGLISH + table.format("Name", "What", "`a`, ...", "the number 5"),
                    "docs/ja/page.md": JAPANESE + table.format("名前", "何", "`a`など", "5")})
    state.sync_tree(tree(project), state.Sync(["docs/ja/page.md"], write=True))
    folder, said = export(project, format)
    assert said == "ja: 2 pages, 11 of 13 messages translated\n"
    edit(folder, format, "ja/page", lambda english, target: {"What": "中身"}.get(english, target))
    bring(project, folder)
    assert (project / "docs/ja/page.md").read_text() == JAPANESE + table.format("名前", "中身", "`a`など", "5")


def test_a_placeholder_has_the_same_id_in_the_translation_wherever_it_stands():
    text = "Set `a`, `b` and `a`."
    sent = Message("part", text, 1, "`b`、`a`、`a`、`a`、`c`を設定する。", 1)
    root = etree.fromstring(xliff.dump(Catalog("page", "ja", "en", "page.md", "", (sent,))))
    source, target = ({each.get("id"): each.get("dataRef") for each in root.iter(xliff.name_tag("ph"))
                       if each.getparent().tag == xliff.name_tag(name)} for name in ("source", "target"))
    assert source == {"p1": "d1", "p2": "d2", "p3": "d1"}
    assert list(target.items()) == [("p2", "d2"), ("p1", "d1"), ("p3", "d1"), ("p7", "d1")]
    assert {each.get("disp") for each in root.iter(xliff.name_tag("ph"))} == {"`a`", "`b`"}
    (back,) = xliff.parse(etree.tostring(root), "page.xlf").messages
    assert (back.text, back.target) == (sent.text, sent.target)


@pytest.mark.parametrize("format", ["po", "xliff"])
def test_a_page_without_words_is_not_sent_out(project, format):
    write(project, {"docs/en/code.md": "```sh\nls\n```\n"})
    folder, said = export(project, format)
    assert said == "ja: 2 pages, 7 of 9 messages translated\n"
    assert not list(folder.rglob("code.*"))


@pytest.mark.parametrize("format", ["po", "xliff"])
def test_a_language_that_the_tree_writes_with_a_bar_comes_back(project, format):
    (project / "docs/ja").rename(project / "docs/ja_JP")
    state.sync_tree(tree(project), state.Sync(["docs/ja_JP/page.md"], write=True))
    folder, _ = export(project, format)
    file = next(folder.rglob("page.*"))
    edit(file.parent, format, "page", lambda english, target: {"Page": "頁"}.get(english, target))
    bring(project, file)
    assert (project / "docs/ja_JP/page.md").read_text() == JAPANESE.replace("ページ", "頁")
    if format == "xliff":
        assert etree.parse(file).getroot().get("trgLang") == "ja-JP"


def test_a_page_that_cannot_be_read_is_neither_sent_nor_written_over(project):
    folder, _ = export(project, "po")
    page = project / "docs/ja/page.md"
    page.write_bytes(page.read_text(encoding="utf-8").encode("euc-jp"))
    before = page.read_bytes()
    with pytest.raises(ConfigError, match=r"docs/ja/page.md: this page is no UTF-8 text"):
        exchange_files.export_all(tree(project), [], None, "po", project.parent / "again")
    assert "this page is no UTF-8 text" in bring(project, folder)
    assert page.read_bytes() == before


def test_a_folder_with_the_name_of_a_file_is_not_read(project):
    folder, _ = export(project, "po")
    (folder / "old.po").mkdir()
    assert bring(project, folder).endswith("0 messages refused")


def test_a_byte_order_mark_stays(project):
    page = project / "docs/ja/page.md"
    page.write_bytes(b"\xef\xbb\xbf" + page.read_bytes())
    folder, _ = export(project, "po")
    edit(folder, "po", "ja/page", lambda source, target: target.replace("もう一度", "再び"))
    assert "docs/ja/page.md: written" in bring(project, folder)
    assert page.read_bytes().startswith(b"\xef\xbb\xbf---\n")
    assert "再び" in page.read_text(encoding="utf-8")


@pytest.mark.parametrize("format", ["po", "xliff"])
def test_a_reference_into_the_evidence_goes_out_and_comes_back_as_it_is(project, format):
    figure = '`{evidence} demo/run > "peak" & more as 0.0 GB`'
    (project / "docs/en/part/new.md").write_text(f"# New {{#new}}\n\nIt takes {figure}.\n")
    folder, _ = export(project, format)
    if format == "xliff":
        exported = (folder / "ja/part/new.xlf").read_text()
        assert '<data id="d1" xml:space="preserve">`{evidence} demo/run &gt;' in exported
    edit(folder, format, "ja/part/new", lambda english, target: {"New": "新規"}.get(english, f"{figure}が必要。"))
    assert "1 pages written, 1 sections recorded as current" in bring(project, folder)
    assert (project / "docs/ja/part/new.md").read_text() == f"# 新規 {{#new}}\n\n{figure}が必要。\n"


@pytest.mark.parametrize("format", ["po", "xliff"])
def test_a_changed_number_needs_review_and_is_told_to_the_next_translator(project, format):
    write(project, {"docs/en/part/new.md": "# New {#new}\n\nSet 32 of them.\n"})
    folder, _ = export(project, format)
    edit(folder, format, "ja/part/new", lambda english, target: {"New": "新規"}.get(english, "23個にする。"))
    said = bring(project, folder)
    assert "the section 'new' needs review: number-differs: '23'" in said
    assert "0 sections recorded as current, 1 as needing review" in said
    assert state.tree_status(tree(project))[1].sections[0].state == "needs-review"
    folder, _ = export(project, format)
    text = next(folder.rglob("new.*")).read_text()
    assert {"po": "#, fuzzy", "xliff": 'state="initial"'}[format] in text
    assert "number-differs: '23'" in text.replace("needs review: ", "")
    assert "0 pages written, 0 sections recorded as current, 0 as needing review" in bring(project, folder)


def test_a_number_changed_in_a_section_that_was_current_is_current_no_more(project):
    write(project, {"docs/en/page.md": ENGLISH.replace("Again.\n\nAgain.", "Again 4.\n\nAgain 5."),
                    "docs/ja/page.md": JAPANESE.replace("もう一度", "もう4度").replace("さらに一", "さらに5")})
    state.sync_tree(tree(project), state.Sync(["docs/ja/page.md"], write=True))
    folder, _ = export(project, "po")
    edit(folder, "po", "ja/page", lambda english, target: "" if "One" in english else target.replace("5", "7"))
    assert "1 as needing review" in bring(project, folder)
    assert [str(each.state) for each in state.tree_status(tree(project))[0].sections][-1] == "needs-review"


@pytest.mark.parametrize("format", ["po", "xliff"])
def test_an_export_keeps_what_was_done_in_the_file_that_is_there(project, format):
    new = "# New {#new}\n\nIt is a sentence of six words.\n\nIt stays as it is here.\n\nIt goes away.\n"
    write(project, {"docs/en/part/new.md": new})
    folder, _ = export(project, format)
    done = {"New": "新規", "It is a sentence of six words.": "六語の文。", "It goes away.": "消える。"}
    edit(folder, format, "ja/part/new", lambda english, target: done.get(english, target))
    write(project, {"docs/en/part/new.md": new.replace("six", "seven").replace("It goes away.", "What came, then?")})
    exchange_files.export_all(tree(project), [], None, format, folder)
    read = {"po": po.parse, "xliff": xliff.parse}[format]
    found = read((folder / f"ja/part/new.{ {'po': 'po', 'xliff': 'xlf'}[format]}").read_bytes(), "new")
    told = [(each.text, each.target, each.fuzzy, each.previous) for each in found.messages]
    assert told == [
        ("New", "新規", False, ""),
        ("It is a sentence of seven words.", "六語の文。", True, "It is a sentence of six words."),
        ("It stays as it is here.", "", False, ""),
        ("What came, then?", "", False, ""),
    ]
    assert [(each.text, each.target) for each in found.obsolete] == [("It goes away.", "消える。")]
    before = {file: file.read_bytes() for file in folder.rglob("*") if file.is_file()}
    exchange_files.export_all(tree(project), [], None, format, folder)
    assert {file: file.read_bytes() for file in folder.rglob("*") if file.is_file()} == before


def test_a_translators_remarks_and_headers_stay(project):
    folder, _ = export(project, "po")
    file = polib.pofile(folder / "ja/part/new.po")
    file.metadata["Last-Translator"] = "Somebody"
    file[0].tcomment = "what is it?"
    file.save()
    exchange_files.export_all(tree(project), [], None, "po", folder)
    file = polib.pofile(folder / "ja/part/new.po")
    assert (file.metadata["Last-Translator"], file[0].tcomment) == ("Somebody", "what is it?")


def test_a_file_that_cannot_be_read_is_not_written_over(project):
    folder, _ = export(project, "po")
    (folder / "ja/page.po").write_text("a translator's notes")
    with pytest.raises(ConfigError, match="is no PO file"):
        exchange_files.export_all(tree(project), [], None, "po", folder)
    assert (folder / "ja/page.po").read_text() == "a translator's notes"


@pytest.mark.parametrize("format", ["po", "xliff"])
def test_what_somebody_put_into_the_page_since_the_export_is_not_replaced(project, format):
    folder, _ = export(project, format)
    edit(folder, format, "ja/page", lambda english, target: {"Page": "頁"}.get(english, target))
    later = JAPANESE.replace("ページ", "ぺえじ").replace("もう一度", "いま一度")
    write(project, {"docs/ja/page.md": later})
    said = bring(project, folder)
    assert "the page has another translation since this was exported" in said
    assert (project / "docs/ja/page.md").read_text() == later
    [left] = folder.rglob("*.refused.*")
    read = {"po": po.parse, "xliff": xliff.parse}[format](left.read_bytes(), "left")
    assert [(each.text, each.target) for each in read.messages] == [("Page", "頁")]
    assert "another translation" in left.read_text().replace("\n# ", " ")
    assert "2 files read" in bring(project, folder)  # what was refused is not read with the folder


@pytest.mark.parametrize(("english", "target", "written"), [
    ("One.\nTwo.", "一つ目。二つ目。（三。）四つ目。", "一つ目。\n二つ目。\n（三。）\n四つ目。"),
    ("One.\nTwo.", "「一。」と二。Bは三。3つ目。`四`。五", "「一。」と二。Bは三。3つ目。`四`。\n五"),
    ("- One.\n  Two.", "Eins. Zwei `a. B` da. (Drei. Vier) fünf.", "- Eins.\n  Zwei `a. B` da.\n  (Drei. Vier) fünf."),
    ("One. Two.", "一つ目。二つ目。", "一つ目。二つ目。"),
])
def test_a_message_is_laid_out_as_its_page_is(project, english, target, written):
    write(project, {"docs/en/part/new.md": f"# New {{#new}}\n\n{english}\n"})
    folder, _ = export(project, "po")
    edit(folder, "po", "ja/part/new", lambda source, old: {"New": "新規"}.get(source, target))
    bring(project, folder)
    assert (project / "docs/ja/part/new.md").read_text() == f"# 新規 {{#new}}\n\n{written}\n"
    assert f'msgstr "{target}"' in (export(project, "po")[0] / "ja/part/new.po").read_text()


@pytest.mark.parametrize("change", ["", "新"])
def test_a_section_that_somebody_has_built_otherwise_since_the_export_stays(project, change):
    folder, _ = export(project, "po")
    edit(folder, "po", "ja/page", lambda english, target: target + change if english == "Again." else target)
    later = JAPANESE.replace("さらに一度。\n", "さらに一度。\n\n人が書いた段落。\n")
    write(project, {"docs/ja/page.md": later})
    said = bring(project, folder)
    assert (project / "docs/ja/page.md").read_text() == later
    assert ("the page has another translation" in said) == bool(change)


@pytest.mark.parametrize("wrong", ["more", "12.5", ""])
def test_a_count_that_is_none_is_no_count(wrong):
    data = po.dump(Catalog("page", "ja", "en", "page.md", "", (Message("a", "One.", 1, "一。", 1),)))
    assert po.parse(data.replace(b"Messages: 1", f"Messages: {wrong}".encode()), "a.po").messages[0].target == "一。"


def notes_on(folder, format, text):
    """What the file says of a message."""
    if format == "po":
        return next(each.comment for each in polib.pofile(folder / "ja/page.po") if each.msgid == text).splitlines()
    units = etree.parse(folder / "ja/page.xlf").iter("{*}unit")
    found = next(each for each in units if "".join(each.find(".//{*}source").itertext()) == text)
    return [note.text for note in found.iter("{*}note")]


@pytest.mark.parametrize("format", exchange_files.FORMATS)
def test_a_message_says_who_drafted_or_reviewed_it_until_somebody_edits_it(project, format):
    file = project / "translations/ja/page.txt"
    lines = file.read_text().splitlines()
    for number, who in ((lines.index("[page]"), "reviewed by Ada\x07 Lovelace"), (lines.index("[first]"), "draft")):
        lines[number + 2] = f"{' '.join(lines[number + 2].split()[:2])} {who}"
    made = "drafted by m:8b on 2026-11-27 with instructions - memory - around - terms -"
    lines.insert(lines.index("[first]") + 3, made)
    file.write_text("\n".join(lines) + "\n")
    blob = next(line for line in lines if line.startswith("source ")).split()[-1]
    folder, _ = export(project, format)
    exchange_files.export_all(tree(project), ["docs/ja/page.md"], None, format, folder)
    assert f"reviewed by Ada<U+0007> Lovelace from {blob}" in notes_on(folder, format, "Page")
    assert f"drafted by m:8b on 2026-11-27 from {blob}" in notes_on(folder, format, "First")
    written = next((folder / "ja").glob("page.*"))
    written.write_text(written.read_text().replace("第一", "最初"))
    exchange_files.export_all(tree(project), ["docs/ja/page.md"], None, format, folder)
    assert "最初" in written.read_text() and "drafted by" not in "".join(notes_on(folder, format, "First"))
    write(project, {"docs/ja/page.md": JAPANESE.replace("始まり", "最初").replace("もう一度", "再度")})
    again, _ = export(project, format)
    notes = "".join((*notes_on(again, format, "Page"), *notes_on(again, format, "Again.")))
    assert "reviewed by" not in notes and "drafted by" not in notes
