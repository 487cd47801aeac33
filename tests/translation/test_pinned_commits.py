"""A page that names the commit of its source, as OpenTelemetry's do, names the right one after `hexapla sync`."""

import pytest
import yaml
from hexapla.cli import main
from hexapla.translation.history.pinned_commits import pin_commit, pinned_commit

from tests.cases import FOLDER
from tests.site.project import git
from tests.translation.test_command import git_says
from tests.translation.test_state import write

CASES = yaml.safe_load((FOLDER / "translation/pinned_commits.yml").read_text(encoding="utf-8"))
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
    assert bool(pinned_commit(case["text"])) is ("pinned" in case)
    if "pinned" in case:
        assert pin_commit(case["text"], COMMIT) == case["pinned"]
        assert pin_commit(case["pinned"], COMMIT) == case["pinned"]
        assert pinned_commit(case["pinned"]) == COMMIT


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
