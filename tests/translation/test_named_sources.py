"""A page that names its source, as OpenTelemetry's and the MCP SDK's do, names the right one after `hexapla sync`."""

import json
from hashlib import sha256

import pytest
import yaml
from hexapla.cli import main
from hexapla.git import run_git
from hexapla.translation.history.named_sources import (
    hash_sections,
    name_commit,
    name_hashes,
    named_commit,
    named_hashes,
)
from hexapla.translation.sections.sections import translation_digest

from tests.cases import FOLDER
from tests.site.project import git
from tests.translation.test_command import git_says
from tests.translation.test_state import write

CASES = yaml.safe_load((FOLDER / "translation/named_sources.yml").read_text(encoding="utf-8"))
LUNARIA = yaml.safe_load((FOLDER / "translation/lunaria.yml").read_text(encoding="utf-8"))
COMMIT = "83baae61804e00000000000000000000deadbeef"
PIN = "---\ntitle: A\ndefault_lang_commit: {} # patched\ndrifted_from_default: true\n---\n\n"
PAGES = {
    "hexapla.toml": "[tool.hexapla]\nlayout = 'content/{lang}/{page}.md'\nanchors = 'hugo'\n",
    "content/en/a.md": "---\ntitle: A\n---\n\nOne two.\n\n## More\n\nThree four.\n",
    "content/en/b.md": "# B\n\nFive six.\n",
}
JA = "一二。\n\n## 続き\n\n三四。\n"


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["what"])
def test_a_commit_is_named_in_the_front_matter_and_nowhere_else(case):
    assert bool(named_commit(case["text"])) is ("named" in case)
    if "named" in case:
        assert name_commit(case["text"], COMMIT) == case["named"]
        assert name_commit(case["named"], COMMIT) == case["named"]
        assert named_commit(case["named"]) == COMMIT


@pytest.fixture
def root(tmp_path):
    """A tree whose Japanese page names the commit of a source that has changed since, twice."""
    git(tmp_path, "init", "-q")
    write(tmp_path, PAGES | {"content/en/a.md": PAGES["content/en/a.md"].replace("two", "zwei")})
    git(tmp_path, "add", "-A")
    git(tmp_path, "commit", "-qm", "English")
    write(tmp_path, {"content/ja/a.md": PIN.format(git_says(tmp_path, "rev-parse", "HEAD")) + JA} | PAGES)
    git(tmp_path, "add", "-A")
    git(tmp_path, "commit", "-qm", "Japanese, and English")
    write(tmp_path, {"content/en/b.md": "# B\n\nSeven.\n"})
    git(tmp_path, "commit", "-qam", "Another page")
    return tmp_path


def sync(capsys, root, *arguments):
    """What `hexapla sync` prints."""
    capsys.readouterr()
    main(["sync", *arguments, "--root", str(root)])
    return capsys.readouterr().out


def test_a_page_that_is_current_again_names_the_commit_of_its_source(capsys, root):
    page, before = root / "content/ja/a.md", (root / "content/ja/a.md").read_text(encoding="utf-8")
    then, now = git_says(root, "rev-list", "HEAD", "--", "content/en/a.md").split()[::-1]
    told = f"ja  content/ja/a.md  default_lang_commit {then[:9]} -> {now[:9]}\n"
    main(["status", "--root", str(root)])
    assert f"1 word changed (as git has it: the translation was made from {then[:9]})" in capsys.readouterr().out
    assert told in sync(capsys, root, "ja")
    assert page.read_text(encoding="utf-8") == before  # nothing is written without --write
    assert told in sync(capsys, root, "ja", "--write")
    assert page.read_text(encoding="utf-8") == f"---\ntitle: A\ndefault_lang_commit: {now}\n---\n\n{JA}"
    main(["status", "--root", str(root)])
    assert "sections: 2 current" in capsys.readouterr().out
    assert sync(capsys, root, "ja", "--write").startswith("nothing to record")
    page.write_text(before, encoding="utf-8")  # a run was ended before it wrote the page
    assert sync(capsys, root, "ja", "--write") == f"{told}commit what was written with your work\n"
    assert now in page.read_text(encoding="utf-8")


def test_the_commit_stays_while_a_section_is_behind_or_the_source_is_not_committed(capsys, root):
    page, before = root / "content/ja/a.md", (root / "content/ja/a.md").read_text(encoding="utf-8")
    sync(capsys, root, "content/ja/a.md#", "--write")  # the other section is not recorded yet
    assert page.read_text(encoding="utf-8") == before
    source = root / "content/en/a.md"
    source.write_text(source.read_text(encoding="utf-8").replace("four", "five"), encoding="utf-8")
    sync(capsys, root, "ja", "--write")
    assert page.read_text(encoding="utf-8") == before
    git(root, "commit", "-qam", "English again")
    sync(capsys, root, "ja", "--write")
    assert git_says(root, "rev-parse", "HEAD") in page.read_text(encoding="utf-8")


def test_a_line_that_others_write_about_the_commit_is_no_edit_of_the_translation(capsys, root):
    page = root / "content/ja/a.md"
    sync(capsys, root, "ja", "--write")
    page.write_text(page.read_text(encoding="utf-8").replace("title", "drifted_from_default: true\ntitle"),
                    encoding="utf-8")
    main(["status", "--root", str(root)])
    assert "sections: 2 current" in capsys.readouterr().out


def test_a_line_of_the_text_that_names_a_commit_is_edited_like_any_other():
    page = "---\ntitle: A\n{}---\n\ndefault_lang_commit: {}\n"
    said = translation_digest(page.format("", "83baae6"))
    assert translation_digest(page.format("drifted_from_default: >\n  the file\n\n  is gone\n", "83baae6")) == said
    assert translation_digest(page.format("", "c1e1415")) != said


# Pages as the MCP SDK has them: a source, and what its own program hashes for each section.
SDK = {"docs/a.md": "# A\n\nOne.\n\n### Below\n\n```md\n## None\n```\n\n\n## More {#more}\nThree.\n## Last\n",
       "i18n/languages.yml": "languages: []\n"}
PARTS = ["# A\n\nOne.\n\n### Below\n\n```md\n## None\n```\n", "\n\n## More {#more}\nThree.\n", "## Last\n"]
SDK_JA = ("---\ntranslation:\n  sections: [{}]\n  tool: 1\n---\n# あ {{#a}}\n\n一。\n\n### 下 {{#below}}\n\n"
          "```md\n## None\n```\n\n\n## 続き {{#more}}\n三。\n## 最後 {{#last}}\n")


def hashes_of(*parts):
    return ", ".join(sha256(part.encode()).hexdigest()[:16] for part in parts)


@pytest.mark.parametrize("front", ["", "---\ntitle: A\n---\n"])
def test_sections_are_hashed_as_the_sdk_does(front):
    assert ", ".join(hash_sections(front + SDK["docs/a.md"])) == hashes_of(*PARTS)
    assert len(hash_sections(front + "## A\n")) == 2  # what stands above is nothing, and a section


def test_hashes_of_digits_alone_stay_words():
    page = name_hashes(SDK_JA.format("a, b, c"), ["1234567890123456", "0123456789abcdef"])
    assert yaml.safe_load(page.split("---")[1])["translation"]["sections"] == ["1234567890123456", "0123456789abcdef"]
    assert named_hashes(page) == ["1234567890123456", "0123456789abcdef"]


def test_a_page_of_the_sdk_is_judged_by_its_hashes_and_names_those_of_today(capsys, tmp_path):
    git(tmp_path, "init", "-q")
    page, source = tmp_path / "i18n/ja/pages/a.md", tmp_path / "docs/a.md"
    write(tmp_path, SDK)
    git(tmp_path, "add", "-A")
    git(tmp_path, "commit", "-qm", "English")
    source.write_text(SDK["docs/a.md"].replace("Three", "Four"), encoding="utf-8")
    git(tmp_path, "commit", "-qam", "English again")
    write(tmp_path, {"i18n/ja/pages/a.md": SDK_JA.format(hashes_of(*PARTS))})  # committed later than its source
    git(tmp_path, "add", "-A")
    git(tmp_path, "commit", "-qm", "Japanese")
    main(["status", "--root", str(tmp_path)])
    assert "more: behind, 1 word changed" in capsys.readouterr().out
    sync(capsys, tmp_path, "i18n/ja/pages/a.md#more", "--write")
    assert hashes_of(*PARTS) in page.read_text(encoding="utf-8")  # the others are not recorded yet
    assert "ja  i18n/ja/pages/a.md  translation.sections -> today's hashes\n" in sync(capsys, tmp_path, "ja", "--write")
    now = hashes_of(*(part.replace("Three", "Four") for part in PARTS))
    assert page.read_text(encoding="utf-8") == SDK_JA.format(now)
    main(["status", "--root", str(tmp_path)])
    assert "ja: 1 of 1 pages current" in capsys.readouterr().out
    assert sync(capsys, tmp_path, "ja", "--write").startswith("nothing to record")


@pytest.mark.parametrize(("front", "each_page"), [
    ("default_lang_commit: {commit}", 0), ("translation:\n  sections: [{hashes}]\n  tool: 1", 1)],
    ids=["commit", "hashes"])
def test_git_is_not_asked_anew_for_each_page_and_commit(front, each_page, capsys, tmp_path, monkeypatch):
    def count_walks(names, edits):
        """How often git walks through the history or shows a text, and looks at the files."""
        root = tmp_path / f"{names}{edits}"
        write(root, {"hexapla.toml": PAGES["hexapla.toml"]})
        git(root, "init", "-q")
        for edit in range(edits):
            write(root, {f"content/en/{name}.md": f"# {name}\n\nOne {edit}.\n" for name in names})
            git(root, "add", "-A")
            git(root, "commit", "-qm", "English")
        commit = git_says(root, "rev-parse", "HEAD")
        for name in names:
            named = front.format(commit=commit, hashes=hashes_of(f"# {name}\n\nOne {edits // 2}.\n"))
            write(root, {f"content/ja/{name}.md": f"---\n{named}\n---\n# あ\n\n一。\n"})
        git(root, "add", "-A")
        git(root, "commit", "-qm", "Japanese")
        calls = []
        with monkeypatch.context() as patched:
            patched.setattr("hexapla.git.run_git",
                            lambda *given, **named: calls.append(given[1][0]) or run_git(*given, **named))
            assert "as git has it" in sync(capsys, root, "ja", "--adopt")
        return calls.count("log"), calls.count("show"), calls.count("status")

    few, many = count_walks("ab", 3), count_walks("abcd", 9)
    assert [more - less for less, more in zip(few, many, strict=True)] == [2 * each_page, 2, 0]


def test_hashes_stay_on_a_page_that_the_sdk_would_cut_otherwise(capsys, tmp_path):
    git(tmp_path, "init", "-q")
    write(tmp_path, SDK | {"i18n/ja/pages/a.md": SDK_JA.format("a, b, c").replace("## 続き", "### 続き")})
    git(tmp_path, "add", "-A")
    git(tmp_path, "commit", "-qm", "all")
    assert "more  unrecorded -> current\n" in sync(capsys, tmp_path, "ja", "--reviewed", "--write")
    assert "[a, b, c]" in (tmp_path / "i18n/ja/pages/a.md").read_text(encoding="utf-8")


def behind(capsys, root):
    """The pages with a section that is behind."""
    capsys.readouterr()
    assert main(["status", "--root", str(root), "--layout", "docs/{lang}/{page}.md", "--format", "json"]) == 0
    pages = json.loads(capsys.readouterr().out)["pages"]
    return [page["page"] for page in pages if any(each["state"] == "behind" for each in page["sections"])]


@pytest.fixture
def lunaria(tmp_path):
    """A tree of two pages in two languages, committed."""
    git(tmp_path, "init", "-q")
    write(tmp_path, {"docs/en/a.md": "# A {#a}\n\nOne.\n", "docs/ja/a.md": "# あ {#a}\n\n一。\n",
                     "docs/en/b.md": "# B {#b}\n\nTwo.\n", "docs/ja/b.md": "# い {#b}\n\n二。\n"})
    git(tmp_path, "add", "-A")
    git(tmp_path, "commit", "-qm", "All")
    return tmp_path


@pytest.mark.parametrize("case", LUNARIA, ids=lambda case: case["what"])
def test_a_commit_that_lunaria_ignores_does_not_count(capsys, lunaria, case):
    for commit in case["commits"]:
        write(lunaria, commit["files"])
        git(lunaria, "commit", "-qam", commit["message"])
    assert behind(capsys, lunaria) == case["otherwise"]
    write(lunaria, case["config"])
    assert behind(capsys, lunaria) == case["behind"]
    tree = ("--root", str(lunaria), "--layout", "docs/{lang}/{page}.md")
    main(["sync", "ja", *tree, "--adopt", "--write"])
    assert behind(capsys, lunaria) == case["behind"]  # as it was adopted


def test_the_next_commit_is_told_which_pages_lunaria_must_not_take_for_finished(capsys, lunaria):
    write(lunaria, {"docs/en/a.md": "# A {#a}\n\nOne.\n\n## More {#more}\n\nWords.\n"})
    git(lunaria, "commit", "-qam", "More")
    write(lunaria, {"docs/ja/a.md": "# あ {#a}\n\n一つ。\n", "docs/ja/b.md": "# い {#b}\n\n二つ。\n"})
    tree = ("--root", str(lunaria), "--layout", "docs/{lang}/{page}.md")
    for config, told in (({}, False), ({"lunaria.config.json": "{}"}, True)):
        write(lunaria, config)
        capsys.readouterr()
        main(["sync", "ja", *tree, "--write"])
        last = capsys.readouterr().out.splitlines()[-1]
        assert (last == "for Lunaria, write into the commit's message: @lunaria-ignore:docs/ja/a.md") is told
