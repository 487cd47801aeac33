"""The next section with its context, and translations that are handed in: judged, refused, written once."""

import json
import shutil
import threading

import pytest
from hexapla import cli, section_writer
from hexapla.agents.section_tasks import Submission, next_section, submit_translation
from hexapla.cache import Cache
from hexapla.cli import section_commands
from hexapla.errors import ConfigError
from hexapla.section_writer import SectionWriter
from hexapla.translation.records.draft_inputs import read_inputs
from hexapla.translation.status.section_states import find_statuses
from hexapla.translation.tracking import Sync, sync_tree
from hexapla.translation.translation_tree import write_records

from tests.cases import cases
from tests.editor.conftest import PAGES
from tests.site.project import git, write


def chosen(root, *more):
    """The options of `hexapla next`."""
    return cli.make_parser("next").parse_args(["next", "--root", str(root), *more])


def writer_of(options):
    """The writer of a tree, as a command opens it."""
    return section_commands.writer_of(options, Cache(options.root))


@pytest.fixture
def root(tmp_path):
    """A tree whose Japanese was reviewed and lacks a section, committed."""
    write(tmp_path, PAGES)
    sync_tree(writer_of(chosen(tmp_path)).tree, Sync(["page"], "ja", write=True, reviewed=True))
    for words in (["init", "-q"], ["add", "."], ["commit", "-q", "-m", "begun"]):
        git(tmp_path, *words)
    return tmp_path


def edit(root, edits):
    """In files one text for another."""
    for name, (old, new) in edits.items():
        text = (root / name).read_bytes().decode()
        assert old in text
        (root / name).write_bytes(text.replace(old, new).encode())


def record_as_draft(root, section):
    """Record a section as a machine's."""
    tree = writer_of(chosen(root)).tree
    [record] = tree.records["ja"].section("page", section)
    write_records(tree, "ja", {("page", section): record._replace(draft=True, reviewer="")})


def status_of(root, section):
    """What a section of the Japanese page is now."""
    [page] = find_statuses(writer_of(chosen(root)).tree, ("ja",), ("page",))
    return page.section(section)


@pytest.mark.parametrize("case", cases("submissions"))
def test_a_submission_is_written_as_a_draft_or_refused_with_the_reason(root, case):
    if case.get("drafted"):
        record_as_draft(root, case["section"])
    if first := case.get("submitted"):
        asked = next_section(writer_of(chosen(root)), [f"page#{case['section']}"], "ja")
        given = Submission("page", "ja", case["section"], first, asked.version, "somebody")
        assert submit_translation(writer_of(chosen(root)), given, write=True).right
    edit(root, case.get("edits", {}))
    writer = writer_of(chosen(root))
    asked = next_section(writer, [f"page#{case['section']}"], "ja")
    edit(root, case.get("later", {}))
    before = (root / "docs/ja/page.md").read_bytes()
    given = Submission("page", "ja", case["section"], case["text"], asked.version, "somebody", case.get("meant", False))
    judged = submit_translation(writer, given, write=False)
    assert (root / "docs/ja/page.md").read_bytes() == before
    made = submit_translation(writer, given, write=True)
    assert (judged.right, judged.findings) == (made.right, made.findings)
    assert case["says"] in made.message
    assert {each.rule for each in made.findings} == set(case.get("rules", ()))
    assert made.text == case.get("stands", "") or made.right or "source" in made.message
    now = status_of(root, case["section"])
    assert str(now.state) == case["state"]
    after = (root / "docs/ja/page.md").read_bytes()
    if made.right:
        assert case["text"].rstrip().replace("\n", "\r\n").encode() in after
        assert read_inputs(now.record.drafted).model == "somebody"
        assert (now.record.draft, now.record.reviewer) == (True, "")
        # The answer was lost: nothing else is, and nothing is twice.
        assert submit_translation(writer, given, write=True) == made
        assert (root / "docs/ja/page.md").read_bytes() == after
    else:
        assert after == before


def test_of_two_at_once_one_wins_and_the_other_is_told(root, monkeypatch):
    first, second = writer_of(chosen(root)), writer_of(chosen(root))
    asked = next_section(first, ["page#first"], "ja")
    admit = SectionWriter.admit_text

    def given(words):
        text = f"## 最初 {{#first}}\n\n[別のページ](folder/other.md)と`run`を{words}。\n"
        return Submission("page", "ja", "first", text, asked.version)

    def beside(writer, *arguments):
        """Judge, and let the other one be faster to write."""
        reason = admit(writer, *arguments)
        if writer is first:
            monkeypatch.setattr(SectionWriter, "admit_text", admit)
            assert submit_translation(second, given("読んでください"), write=True).right
        return reason

    monkeypatch.setattr(SectionWriter, "admit_text", beside)
    made = submit_translation(first, given("見てください"), write=True)
    assert not made.right and "changed elsewhere" in made.message and "読んでください" in made.text
    assert "見てください" not in (root / "docs/ja/page.md").read_text(encoding="utf-8")


def test_many_hand_in_at_once_and_each_section_is_written_once(root):
    asked = next_section(writer_of(chosen(root)), ["page#first"], "ja")
    made = {}

    def hand_in(number):
        text = f"## 最初 {{#first}}\n\n[別のページ](folder/other.md)と`run`を見てください{'。' * number}\n"
        given = Submission("page", "ja", "first", text, asked.version)
        made[number] = submit_translation(writer_of(chosen(root)), given, write=True)

    threads = [threading.Thread(target=hand_in, args=(number,)) for number in range(1, 5)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    [(number, _)] = [(number, each) for number, each in made.items() if each.right]
    page = (root / "docs/ja/page.md").read_text(encoding="utf-8")
    assert page.count("{#first}") == 1 and f"ください{'。' * number}\n" in page


def test_the_next_section_comes_with_all_that_its_translation_needs(root, capsys):
    write(root, {"translations/instructions/ja.md": "Be brief.\n"})
    edit(root, {"docs/en/page.md": ["The batch size is 42.", "The batch size is 43."]})
    assert cli.main(["next", "page", "--root", str(root), "--language", "ja", "--format", "json"]) == 0
    found = json.loads(capsys.readouterr().out)["section"]
    assert (found["page"], found["section"], found["state"]) == ("page", "page", "behind")
    assert found["source"] == "# Page {#page}\n\nThe batch size is 43."
    assert found["translation"] == "# ページ {#page}\n\nバッチサイズは42です。"
    assert found["before"].rstrip() == "# Page {#page}\n\nThe batch size is 42."
    assert [text for kind, text in found["changes"] if kind != "kept"] == ["42.\n\n", "43.\n\n"]
    assert (found["terms"], found["instructions"]) == ({"batch size": "バッチサイズ"}, "Be brief.\n")
    assert found["around"] == [{"source": "## First {#first}\n\nSee [the other](folder/other.md) and `run`.\n\n",
                                "translation": ""}]
    assert cli.main(["next", "page", "--root", str(root), "--language", "ja"]) == 0
    assert "batch size = バッチサイズ" in capsys.readouterr().out


def test_sections_are_handed_in_until_nothing_is_left(root, capsys):
    """As a program does it that knows the commands alone."""
    texts = {("page", "first"): "## 最初 {#first}\n\n[別のページ](folder/other.md)と`run`を見てください。\n",
             ("folder/other", "other"): "# ほか {#other}\n\n言葉です。\n"}
    done = []
    while True:
        assert cli.main(["next", "--root", str(root), "--language", "ja", "--format", "json"]) == 0
        found = json.loads(capsys.readouterr().out)["section"]
        if found is None:
            break
        place = found["page"], found["section"]
        (root / "text.md").write_text(texts[place], encoding="utf-8")
        status = cli.main(["submit", "#".join(place), "--root", str(root), "--language", "ja", "--version",
                           found["version"], "--file", str(root / "text.md"), "--write", "--format", "json"])
        said = json.loads(capsys.readouterr().out)
        assert (status, said["right"], said["findings"]) == (0, True, [])
        done.append(place)
    assert sorted(done) == sorted(texts)


@pytest.mark.parametrize(("place", "options", "why"), [
    ("../../etc/passwd#x", ["--language", "ja"], "is no page of this tree"),
    ("page#none", ["--language", "ja"], "has no section 'none'"),
    ("page", ["--language", "ja"], "has no section ''"),
    ("page#first", [], "is not one section in one language"),
    ("page#first", ["--language", "ko"], "is no language that is translated here"),
    ("page#first", ["--language", "ja", "--file", "nowhere.md"], "nowhere.md: No such file or directory"),
])
def test_a_place_that_the_tree_does_not_have_is_refused(root, capsys, place, options, why):
    (root / "text.md").write_text("x\n")
    status = cli.main(["submit", place, "--root", str(root), "--version", "x-x", "--file", str(root / "text.md"),
                       "--write", *options])
    assert (status, why in capsys.readouterr().err) == (2, True)


FIRST = "## 最初 {#first}\n\n[別のページ](folder/other.md)と`run`を見てください。\n"
SECOND = "## 二番目 {#second}\n\nここで終わりです。\n"


def later_version(root):
    write(root, {"translations/ja/page.txt": "# schema: 2\n"})


def link_outside(root):
    shutil.rmtree(root / "translations")
    (root.parent / "outside").mkdir()
    (root / "translations").mkdir()
    (root / "translations/ja").symlink_to(root.parent / "outside")


def no_file(root):
    (root / "translations/ja/page.txt").unlink()
    (root / "translations/ja/page.txt").mkdir()


@pytest.mark.parametrize(("make", "why"), [
    (later_version, "install a later hexapla$"), (link_outside, "leads out of"), (no_file, "translations/ja/page.txt"),
])
def test_a_draft_that_cannot_be_recorded_is_not_written(root, make, why):
    make(root)
    writer, before = writer_of(chosen(root)), (root / "docs/ja/page.md").read_bytes()
    asked = next_section(writer, ["page#first"], "ja")
    with pytest.raises((ConfigError, OSError), match=why):
        submit_translation(writer, Submission("page", "ja", "first", FIRST, asked.version, "somebody"), write=True)
    assert (root / "docs/ja/page.md").read_bytes() == before


def test_what_a_person_writes_at_once_after_a_draft_is_not_recorded_as_one(root, monkeypatch):
    writer = writer_of(chosen(root))
    asked = next_section(writer, ["page#first"], "ja")
    put = section_writer.write_page

    def beside(*given):
        put(*given)
        edit(root, {"docs/ja/page.md": ["見てください", "ぜひ見てください"]})

    monkeypatch.setattr(section_writer, "write_page", beside)
    given = Submission("page", "ja", "first", FIRST, asked.version, "somebody")
    assert submit_translation(writer, given, write=True).right
    again = next_section(writer, ["page#first"], "ja")
    made = submit_translation(writer, Submission("page", "ja", "first", FIRST, again.version, "somebody"), write=True)
    assert "a person's text is not replaced" in made.message
    assert "ぜひ" in (root / "docs/ja/page.md").read_text("utf-8")


def test_a_tree_that_git_alone_knows_is_drafted_to_its_end(root):
    shutil.rmtree(root / "translations")
    git(root, "commit", "-qam", "nothing is recorded")
    edit(root, {"docs/en/page.md": ["The end.", "It ends here."]})
    edit(root, {"docs/en/page.md": ["size is 42.", "size is 42 here."]})
    git(root, "commit", "-qam", "the English changed")
    texts = {"first": FIRST, "second": SECOND, "page": "# ページ {#page}\n\nバッチサイズはここで42です。\n",
             "other": "# ほか {#other}\n\n言葉です。\n"}
    writer, done = writer_of(chosen(root)), []
    while (asked := next_section(writer, (), "ja")) and len(done) < len(texts):
        given = Submission(asked.page, "ja", asked.section, texts[asked.section], asked.version, "somebody")
        assert submit_translation(writer, given, write=True).right
        git(root, "add", ".")
        git(root, "commit", "-qm", "a draft")
        done.append(asked.section)
    assert (asked, sorted(done)) == (None, sorted(texts))


def test_a_server_judges_by_the_glossary_as_it_is_now(root):
    writer = writer_of(chosen(root))
    text = "# ページ {#page}\n\nバッチサイズは43です。\n"
    edit(root, {"docs/en/page.md": ["is 42.", "is 43."]})
    asked = next_section(writer, ["page#page"], "ja")
    given = Submission("page", "ja", "page", text, asked.version, "somebody")
    assert submit_translation(writer, given, write=False).right
    edit(root, {"docs/glossary.yml": ["バッチサイズ", "一括の大きさ"]})
    assert [each.subject for each in submit_translation(writer, given, write=False).findings] == ["batch size"]


def test_a_page_that_cannot_be_read_is_left_out_unless_it_is_named(root):
    (root / "docs/ja/page.md").write_bytes(b"# \xff\n")
    writer = writer_of(chosen(root))
    assert next_section(writer, (), "ja").page == "folder/other"
    with pytest.raises(ConfigError, match="is no UTF-8 text"):
        next_section(writer, ["page#first"], "ja")
    with pytest.raises(ConfigError, match="is no language"):
        submit_translation(writer, Submission("page", "ja\0", "first", FIRST, "-"), write=True)


def test_what_a_terminal_acts_upon_is_json_still(root, capsys):
    edit(root, {"docs/en/page.md": ["The end.", "The\x7f \x9bend."]})
    assert cli.main(["next", "page#second", "--root", str(root), "--language", "ja", "--format", "json"]) == 0
    assert "The\x7f \x9bend." in json.loads(capsys.readouterr().out)["section"]["source"]
