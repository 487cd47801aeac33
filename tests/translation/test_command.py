"""`hexapla status`, `diff` and `sync` as a translator calls them."""

import json
import subprocess
from shutil import rmtree

import pytest
from hexapla.cli import main
from hexapla.examples.evidence import Evidence, Hardware, Run, Status, dump_evidence

from tests.site.project import CONFIG
from tests.translation.test_state import PAGES, git, write


@pytest.fixture
def root(tmp_path):
    """A project in git, everything current, then one word and one line of code changed."""
    settings = CONFIG.replace("- {locale: zh-Hant", "- {locale: ja, name: 日本語}\n        - {locale: zh-Hant")
    write(tmp_path, PAGES | {"mkdocs.yml": settings, "docs/en/other.md": "# Other {#other}\n\nFour words, all new.\n"})
    main(["sync", "docs/zh", "--write", "--root", str(tmp_path)])
    git(tmp_path, "init", "-q")
    git(tmp_path, "add", "-A")
    git(tmp_path, "commit", "-qm", "all")
    page = tmp_path / "docs/en/page.md"
    page.write_text(page.read_text().replace("four", "five").replace("x = 1", "x = 2"))
    return tmp_path


def run(capsys, root, *arguments):
    """What a command prints, and its exit status."""
    capsys.readouterr()
    status = main([*arguments, "--root", str(root)])
    said = capsys.readouterr()
    return status, said.out, said.err


def test_status_as_json(capsys, root):
    status, said, _ = run(capsys, root, "status", "--format", "json")
    assert status == 0
    data = json.loads(said)
    assert data["schema"] == 1
    assert data["languages"]["zh"] == {
        "pages": {"current": 0, "behind": 1, "missing": 1},
        "sections": {
            "current": 1, "behind": 2, "missing": 1, "moved": 0, "extra": 0, "draft": 0, "needs-review": 0,
            "edited": 0, "renamed": 0, "unrecorded": 0,
        },
        "words_behind": 6,
        "doubts": 0,
    }
    assert list(data["languages"]) == ["zh", "ja"]
    zh = {page["page"]: page for page in data["pages"] if page["language"] == "zh"}
    for each in zh["page"]["sections"]:
        each.pop("reviewer", None)  # git's user.name, where there is one
    assert zh["page"] == {"page": "page", "language": "zh", "state": "behind", "sections": [
        {"id": "page", "state": "current", "change": None, "words": 0},
        {"id": "first", "state": "behind", "change": "text", "words": 1},
        {"id": "second", "state": "behind", "change": "code", "words": 0},
    ]}


def test_status_as_a_page_that_needs_nothing_else(capsys, root):
    status, said, _ = run(capsys, root, "status", "--format", "html")
    assert status == 0
    assert said.startswith("<!doctype html>")
    assert '<i class="behind" title="First: behind, text changed, 1 words"></i>' in said
    assert "http" not in said


def test_pages_that_readers_would_miss_most_come_first(capsys, root):
    (root / "views.csv").write_text("page,views\n/ja/page/,5\nhttps://demo.example/other/?x=1,7\n")
    views = ("--views", str(root / "views.csv"), "--languages", "ja")
    _, said, _ = run(capsys, root, "status", "--format", "json", *views)
    assert [page["page"] for page in json.loads(said)["pages"]] == ["other", "page"]


def test_a_pull_request_is_told_what_it_puts_behind(capsys, root):
    status, said, _ = run(capsys, root, "status", "--format", "github", "--since", "HEAD")
    assert status == 0
    assert said.splitlines() == [
        "::notice file=docs/en/page.md,line=5,title=translations behind::"
        "the section 'first' is behind in zh: 1 word changed",
        "::notice file=docs/en/page.md,line=9,title=translations behind::"
        "the section 'second' is behind in zh: its code changed",
        "2 sections of the source put translations behind",
    ]
    git(root, "commit", "-qam", "English")
    assert run(capsys, root, "status", "--format", "github", "--since", "HEAD")[1].startswith("0 sections")


def test_diff_shows_words_and_code_with_the_translation(capsys, root):
    status, said, _ = run(capsys, root, "diff", "page", "--language", "zh")
    assert status == 0
    assert "docs/zh/page.md:5  first: behind, 1 word changed  (docs/en/page.md:5)" in said
    assert "One two three [-four.-] {+five.+}" in said
    assert "five" not in said.partition("One two")[0]  # not committed yet: no commit is named
    git(root, "commit", "-qam", "Five, not four")
    commit = git_says(root, "log", "-1", "--format=%H  %as  %an: %s")
    assert f"  {commit[:9]}{commit[40:]}\n  First One" in run(capsys, root, "diff", "page", "--language", "zh")[1]
    assert "    一二三四。" in said
    assert "  -x = 1\n  +x = 2\n" in said
    _, said, _ = run(capsys, root, "diff", "docs/zh/page.md#second")
    assert "first" not in said


def test_a_language_names_its_pages(capsys, root):
    status, said, _ = run(capsys, root, "status", "zh")
    assert (status, said.splitlines()[0][:3]) == (0, "zh:")
    assert "\nja:" not in said


def test_diff_without_git_says_why_it_has_no_words(capsys, root):
    (root / ".git").rename(root / "gone")
    _, said, _ = run(capsys, root, "diff", "page#first", "--language", "zh")
    assert "the words that changed cannot be shown: there is no git history here" in said
    assert "One two three five." in said


def recorded(output):
    """A file of evidence for one snippet."""
    run = Run(Status.RAN, "sha256:0", "2026-01-02", 0.1, 1 << 20, {"torch": "9.9"}, output)
    return dump_evidence(Evidence(Hardware("cpu", "Demo CPU", 2, 1 << 30), {"demo/add.py": run}))


@pytest.fixture
def shown(root):
    """The same project, committed, with a section that shows an output; then another output was recorded."""
    evidence = "snippets/evidence/cpu-demo.json"
    write(root, {
        "docs/en/page.md": '# Page {#page}\n\n```python\n--8<-- "demo/add.py"\n```\n', evidence: recorded("one\n3 MiB"),
        "docs/zh/page.md": '# 页面 {#page}\n\n```python\n--8<-- "demo/add.py"\n```\n\n显存。\n',
        "snippets/demo/add.py": "print(1 + 2)\n",
    })
    main(["sync", "docs/zh", "--write", "--root", str(root)])
    git(root, "add", "-A")
    git(root, "commit", "-qm", "an output")
    write(root, {evidence: recorded("one\n4 MiB")})
    return root


def test_diff_shows_the_output_as_it_was_when_the_section_was_translated(capsys, shown):
    git(shown, "commit", "-qam", "measured again")
    _, said, _ = run(capsys, shown, "diff", "page", "--language", "zh")
    assert "page: behind, its output changed" in said
    assert "is another one:\n  @@ -1,2 +1,2 @@\n   one\n  -3 MiB\n  +4 MiB\n  zh:\n" in said


def test_diff_says_where_the_old_output_is_not_kept(capsys, shown):
    (shown / ".git").rename(shown / "gone")
    _, said, _ = run(capsys, shown, "diff", "page", "--language", "zh")
    assert "is another one, and the old one is not in git: read the text again\n" in said
    assert "MiB" not in said


def test_sync_writes_when_it_is_told_to(capsys, root):
    file = root / "translations/zh/page.txt"
    before = file.read_bytes()
    _, said, _ = run(capsys, root, "sync", "docs/zh/page.md#first")
    assert said == "zh  page#first  behind -> current\nnothing was written; record this with --write\n"
    assert file.read_bytes() == before
    run(capsys, root, "sync", "docs/zh/page.md#first", "--write")
    changed = [line for line in file.read_bytes().splitlines() if line not in before.splitlines()]
    assert len(changed) == 1
    assert changed[0].startswith(b"source ")
    _, said, _ = run(capsys, root, "sync", "page#first", "--language", "zh")
    assert said == "nothing to record: every section that is translated there is current, or waits for --reviewed\n"


def test_what_was_recorded_before_a_change_that_was_not_committed_is_found_by_its_text(capsys, root):
    page = root / "docs/en/page.md"
    run(capsys, root, "sync", "page", "--write")
    page.write_text(page.read_text() + "\nMore.\n")
    git(root, "commit", "-qam", "English and more")
    page.write_text(page.read_text().replace("five", "six"))
    _, said, _ = run(capsys, root, "diff", "page#first", "--language", "zh")
    assert "One two three [-five.-] {+six.+}" in said


@pytest.mark.parametrize(("arguments", "says"), [
    (["diff", "none"], "none: is no page of this tree"),
    (["sync", "page", "--language", "fr"], "'fr' is no language that is translated here; there are: zh, ja"),
    (["sync", "page#none"], "no section 'none' there"),
    (["status", "--since", "none"], "--since none: git has no such revision"),
    (["status", "--since", "--output=x"], "git has no such revision"),
    (["status", "--views", "none.csv"], "--views none.csv: No such file or directory"),
    (["import", "none"], "none: holds no .po, .xlf or .xliff file"),
])
def test_what_cannot_be_done_is_one_sentence(capsys, root, arguments, says):
    if arguments[-1].startswith("--"):
        arguments = [*arguments[:-2], "=".join(arguments[-2:])]
    status, _, said = run(capsys, root, *arguments)
    assert status == 2
    assert says in said
    assert said.count("\n") == 1


def test_a_page_that_is_no_text_is_told_and_not_recorded(capsys, root):
    (root / "docs/zh/page.md").write_bytes(b"# \xff\xfe {#page}\n")
    why = "docs/zh/page.md:1: this page is no UTF-8 text, so no section of it is known: save it as UTF-8"
    assert why in run(capsys, root, "status")[1].splitlines()
    for command in ("sync", "diff"):
        status, said, error = run(capsys, root, command, "docs/zh/page.md")
        assert (status, said) == (2, "")
        assert error == f"hexapla: {why.replace(':1:', ':')}\n"
    assert run(capsys, root, "sync", "other")[0] == 0


def test_records_that_cannot_be_read_are_one_sentence(capsys, root):
    (root / "translations/zh/page.txt").unlink()
    (root / "translations/zh/page.txt").symlink_to("page.txt")
    status, said, error = run(capsys, root, "status")
    assert (status, said, error.count("\n")) == (2, "", 1)
    assert error.startswith("hexapla: translations/zh/page.txt: Too many levels of symbolic links; ")


def test_a_terminal_is_not_sent_what_it_would_obey(capsys, root):
    page = root / "docs/en/page.md"
    page.write_text(page.read_text().replace("One two", "One\x1b[31m \u202etwo\0"))
    _, said, _ = run(capsys, root, "diff", "page#first", "--language", "zh")
    assert "{+One<U+001B>[31m <U+202E>two<U+0000>+}" in said


def test_a_section_too_many_is_named_on_a_page_that_is_current(capsys, root):
    run(capsys, root, "sync", "page", "--write")
    page = root / "docs/zh/page.md"
    page.write_text(page.read_text() + "\n## 又一 {#first}\n")
    _, said, _ = run(capsys, root, "status")
    assert "first~2: extra: the source has no such section (the id 'first' stands on this page twice" in said


def test_two_records_of_a_section_become_one(capsys, root):
    run(capsys, root, "sync", "page", "--write")
    file = root / "translations/zh/page.txt"
    line = file.read_text().partition("[first]\n")[2].splitlines()[0]
    other = line.replace(line.split()[2], "0" * 12)
    file.write_text(file.read_text().replace(line, f"<<<<<<< HEAD\n{other}\n=======\n{line}\n>>>>>>> branch"))
    _, said, _ = run(capsys, root, "sync", "page", "--write")
    assert said.startswith("zh  page#first  2 records -> current\n")
    assert "<" not in file.read_text()


def test_a_difference_of_a_section_that_is_not_there_is_refused(capsys, root):
    status, _, complaint = run(capsys, root, "diff", "page#frist")
    assert status == 2
    assert "no section 'frist' there" in complaint


def test_a_language_that_came_later_has_fallen_from_nothing(capsys, root):
    git(root, "commit", "-qam", "one more")
    settings = root / "mkdocs.yml"
    korean = "{locale: ko, name: 한국어}\n        - {locale: ja,"
    settings.write_text(settings.read_text().replace("{locale: ja,", korean))
    status, said, _ = run(capsys, root, "status", "--since", "HEAD", "--languages", "ko", "--format", "github")
    assert (status, said) == (0, "0 sections of the source put translations behind\n")


def test_what_differs_from_the_source_needs_review_until_it_is_reviewed(capsys, root):
    write(root, {
        "docs/en/page.md": "# Page {#page}\n\nSet 32 of them.\n", "docs/zh/page.md": "# 页面 {#page}\n\n设 23 个。\n",
    })
    _, said, _ = run(capsys, root, "sync", "page", "--write")
    assert said.startswith("zh  page#page  behind -> needs review, number-differs: '23' is not in the source's section")
    _, said, _ = run(capsys, root, "status", "page", "--languages", "zh")
    assert "zh: 0 of 1 pages current; sections: 1 needs-review" in said
    assert "1  page: needs review, number-differs: '23'" in said
    assert "next: hexapla diff page --language zh" in said
    _, said, _ = run(capsys, root, "status", "page", "--languages", "zh", "--format", "json")
    assert json.loads(said)["pages"][0]["sections"][0]["reason"].startswith("number-differs: '23'")
    assert "needs review, number-differs" in run(capsys, root, "diff", "page", "--language", "zh")[1]
    assert run(capsys, root, "sync", "page", "--write")[1].startswith("nothing to record")
    status, said, _ = run(capsys, root, "sync", "page", "--reviewed", "--write")
    assert (status, said.splitlines()[0]) == (0, "zh  page#page  needs-review -> current")
    assert "1 of 1 pages current" in run(capsys, root, "status", "page", "--languages", "zh")[1]


@pytest.mark.parametrize("reviewed", [(), ("--reviewed",)])
def test_what_check_calls_an_error_is_not_recorded(capsys, root, reviewed):
    write(root, {"docs/zh/page.md": PAGES["docs/zh/page.md"].replace("一二三四。", "见[那里](none.md)。")})
    status, said, _ = run(capsys, root, "sync", "page#first", "--write", *reviewed)
    assert status == 1
    assert "zh  page#first  behind -> not recorded, link-target-missing: " in said
    assert "first: behind" in run(capsys, root, "status", "page")[1]


@pytest.fixture
def foreign(tmp_path):
    """A tree in git without records: a translation, then an edit of one section of its source, and of another page."""
    write(tmp_path, PAGES | {
        "docs/en/other.md": "# Other {#other}\n\nNew.\n", "docs/zh/other.md": "# 其他 {#other}\n\n新。\n",
    })
    git(tmp_path, "init", "-q")
    git(tmp_path, "add", "-A")
    git(tmp_path, "commit", "-qm", "all")
    page = tmp_path / "docs/en/page.md"
    page.write_text(page.read_text().replace("four", "five"))
    git(tmp_path, "commit", "-qam", "Five, not four")
    return tmp_path


LAYOUT = ("--layout", "docs/{lang}/{page}.md")


def test_a_tree_without_records_is_judged_by_git_and_the_doubt_is_named(capsys, foreign):
    commit = git_says(foreign, "log", "-1", "--format=%H", "--", "docs/zh")[:9]
    _, said, _ = run(capsys, foreign, "status", *LAYOUT)
    assert "zh: 1 of 2 pages current" not in said
    assert f"first: behind, 1 word changed (as git has it: the translation was last edited in {commit})" in said
    assert "translations/zh.txt:1: nobody has recorded what zh was translated from" in said
    assert "[-four.-] {+five.+}" in run(capsys, foreign, "diff", "page", *LAYOUT)[1]
    run(capsys, foreign, "sync", "zh", "--adopt", "--write", *LAYOUT)
    _, said, _ = run(capsys, foreign, "status", *LAYOUT)
    assert "zh: 1 of 2 pages current; sections: 3 current, 1 behind" in said
    assert "first: behind, 1 word changed  " not in said and "nobody has recorded" not in said
    assert run(capsys, foreign, "sync", "zh", "--adopt", *LAYOUT)[1].startswith("nothing to record")


# By what was edited in the source: the edit, and what the translation is told.
MARKUP_EDITS = {
    "a link that leads elsewhere": ("https://old.example/a", "https://new.example/b",
                                    "add: https://new.example/b; drop: https://old.example/a"),
    "an id": ("## First", "## First {#first}", "add: {#first}"),
    "attributes": ("(other.md){.internal}", "(other.md)", "drop: {.internal}"),
}


@pytest.mark.parametrize("edit", MARKUP_EDITS)
def test_without_records_markup_that_changed_is_told_and_waits_for_review(capsys, tmp_path, edit):
    before, after, told = MARKUP_EDITS[edit]
    source = "# Page\n\nOne.\n\n## First\n\nSee [this](https://old.example/a) and [that](other.md){.internal}.\n"
    write(tmp_path, {"docs/en/page.md": source, "docs/zh/page.md": (
        "# 页\n\n一。\n\n## 第一\n\n见[此](https://old.example/a)与[彼](other.md){.internal}。\n")})
    git(tmp_path, "init", "-q")
    git(tmp_path, "add", "-A")
    git(tmp_path, "commit", "-qm", "all")
    (tmp_path / "docs/en/page.md").write_text(source.replace(before, after))
    git(tmp_path, "commit", "-qam", "edited")
    assert "behind, its markup changed (as git has it" in (said := run(capsys, tmp_path, "status", *LAYOUT)[1])
    assert told in said
    for since, counted in (("HEAD~1", "1 section of the source"), ("HEAD", "0 sections")):
        assert counted in run(capsys, tmp_path, "status", "--format", "github", "--since", since, *LAYOUT)[1]
    run(capsys, tmp_path, "sync", "zh", "--adopt", "--write", *LAYOUT)
    assert "first: needs review, its markup changed" in run(capsys, tmp_path, "status", *LAYOUT)[1]
    page = tmp_path / "docs/zh/page.md"
    rmtree(tmp_path / "translations/zh")
    page.write_text(page.read_text().replace(before, after).replace("## 第一", "## 第一 {#first}"))
    git(tmp_path, "commit", "-qam", "followed")
    assert "behind, " not in run(capsys, tmp_path, "status", *LAYOUT)[1]


def test_without_records_a_section_that_was_written_anew_is_behind(capsys, foreign):
    page = foreign / "docs/en/other.md"
    page.write_text("# Something else\n\nOther words.\n")
    (foreign / "docs/zh/other.md").write_text("# 其他\n\n新。\n")
    git(foreign, "commit", "-qam", "Without ids")
    page.write_text("# A third thing\n\nNothing of that.\n")
    git(foreign, "commit", "-qam", "Anew")
    assert "a-third-thing: behind, its text changed" in run(capsys, foreign, "status", "other", *LAYOUT)[1]


def test_a_page_can_name_the_commit_that_it_was_translated_from(capsys, foreign):
    head = git_says(foreign, "rev-parse", "HEAD")
    page = foreign / "docs/zh/page.md"
    page.write_text(f"---\ntitle: 页面\ndefault_lang_commit: {head}\n---\n\n{page.read_text()}")
    assert "behind," not in run(capsys, foreign, "status", "page", *LAYOUT)[1]


def test_without_records_a_pull_request_is_told_what_it_puts_behind(capsys, foreign):
    _, said, _ = run(capsys, foreign, "status", "--format", "github", "--since", "HEAD~1", *LAYOUT)
    assert "the section 'first' is behind in zh" in said
    assert said.splitlines()[-1] == "1 section of the source put translations behind"
    page = foreign / "docs/zh/page.md"
    page.write_text(page.read_text().replace("一二三四", "一二三五"))
    _, said, _ = run(capsys, foreign, "status", "--format", "github", "--since", "HEAD~1", *LAYOUT)
    assert said.splitlines()[-1] == "0 sections of the source put translations behind"


def git_says(root, *arguments):
    """What a git command prints."""
    done = subprocess.run(["git", "-C", root, *arguments], check=True, capture_output=True, text=True)
    return done.stdout.strip()
