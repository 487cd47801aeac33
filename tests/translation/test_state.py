"""What becomes of translations when the source changes: the situations of tests/cases/translation/state.

A case lays the pages below over its own `files`, records every translation as current, commits, and applies `edits`
(a file's new text, or null to remove it; `a -> b` renames). `states` lists, as `language page#section state`, with the
change and the number of words where there are any, all that is not current then; `says` what `hexapla status` prints.
"""

import os

import pytest
from hexapla.config import discovery
from hexapla.translation import answers, service, status_text
from hexapla.translation.translation_tree import read

from tests.cases import cases
from tests.site.project import git

PAGES = {
    "docs/en/page.md": "# Page {#page}\n\nSome words that open it.\n\n## First {#first}\n\nOne two three four.\n"
                       "\n## Second {#second}\n\n```python\nx = 1\n```\n",
    "docs/zh/page.md": "# 页面 {#page}\n\n开头。\n\n## 第一 {#first}\n\n一二三四。\n"
                       "\n## 第二 {#second}\n\n```python\nx = 1\n```\n",
}


def write(root, files):
    """Write, remove and rename files."""
    for path, text in files.items():
        old, arrow, new = path.partition(" -> ")
        if arrow:
            (root / new).parent.mkdir(parents=True, exist_ok=True)
            (root / old).rename(root / new)
        elif text is None:
            (root / path).unlink()
        else:
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            (root / path).write_bytes(text.encode())


def tree(root, outputs=None):
    """The tree of a case, its snippets below snippets/."""
    found = discovery.layout_of_options(root, "docs/{lang}/{page}.md")
    return read(found, lambda path: (root / "snippets" / path).read_text(), lambda path: (outputs or {}).get(path, ""))


def told(pages):
    """What a case lists."""
    for page in pages:
        for section in page.sections:
            if section.state != "current":
                parts = [page.language, f"{page.page}#{section.id}", section.state, section.change, section.words]
                yield " ".join(str(part) for part in parts if part not in {None, 0})


@pytest.mark.parametrize("case", cases("translation/state"))
def test_case(case, tmp_path):
    write(tmp_path, PAGES | case.get("files", {}))
    service.sync(tree(tmp_path, case.get("outputs")), ["docs/en"], write=True)
    if case.get("git", True):
        git(tmp_path, "init", "-q")
        git(tmp_path, "add", "-A")
        git(tmp_path, "commit", "-qm", "all")
    write(tmp_path, case.get("edits", {}))
    for _ in range(2):  # the second time out of the cache
        now = tree(tmp_path, case.get("outputs_after", case.get("outputs")))
        pages = service.survey(now)
        assert list(told(pages)) == case["states"]
        now.remember()
    text = status_text.text(pages, service.notes(now), case.get("git", True))
    for words in case.get("says", []):
        assert words in text


@pytest.mark.parametrize("case", [case for case in cases("translation/state") if case.values[0].get("settled")])
def test_sync_settles_it_and_a_second_one_changes_nothing(case, tmp_path):
    write(tmp_path, PAGES | case.get("files", {}))
    service.sync(tree(tmp_path, case.get("outputs")), ["docs/en"], write=True)
    write(tmp_path, case.get("edits", {}))
    assert service.sync(tree(tmp_path, case.get("outputs")), ["docs/en"])
    before = (tmp_path / "translations/zh.txt").read_bytes()
    service.sync(tree(tmp_path, case.get("outputs")), ["docs/en"], write=True)
    after = (tmp_path / "translations/zh.txt").read_bytes()
    assert before != after
    assert after.count(b"\n") == before.count(b"\n") or b"<<<<" in before  # what moved is not there twice
    assert list(told(service.survey(tree(tmp_path, case.get("outputs"))))) == case.get("left", [])
    assert not service.sync(tree(tmp_path, case.get("outputs")), ["docs/en"], write=True)
    assert (tmp_path / "translations/zh.txt").read_bytes() == after


def test_what_was_found_of_a_page_gives_way_when_a_section_moves_to_it_from_another(tmp_path):
    write(tmp_path, PAGES)
    service.sync(tree(tmp_path), ["docs/en"], write=True)
    first = "## First {#first}\n\nOne two three four.\n"
    write(tmp_path, {"docs/en/new.md": first, "docs/zh/new.md": "## 第一 {#first}\n\n一二三四。\n"})
    before = tree(tmp_path)
    assert list(told(service.survey(before))) == ["zh new#first unrecorded"]
    before.remember()
    write(tmp_path, {"docs/en/page.md": PAGES["docs/en/page.md"].replace(first, "")})
    assert list(told(service.survey(tree(tmp_path)))) == ["zh page#first extra"]


def test_what_was_said_is_said_again_until_something_changes(tmp_path):
    write(tmp_path, PAGES)
    service.sync(tree(tmp_path), ["docs/en"], write=True)
    for path in (*PAGES, "translations/zh.txt"):
        os.utime(tmp_path / path, (1, 1))
    answers.Question(tree(tmp_path), ["text"]).keep("said")
    assert answers.Question(tree(tmp_path), ["text"]).kept() == "said"
    assert answers.Question(tree(tmp_path), ["json"]).kept() is None
    (tmp_path / "docs/zh/page.md").write_text("# 页面 {#page}\n")
    assert answers.Question(tree(tmp_path), ["text"]).kept() is None


def test_what_changes_while_it_is_being_said_is_seen_the_next_time(tmp_path):
    write(tmp_path, PAGES)
    for path in PAGES:
        os.utime(tmp_path / path, (1, 1))
    question = answers.Question(tree(tmp_path), ["text"])
    assert question.kept() is None
    (tmp_path / "docs/zh/page.md").write_text("# 页面 {#page}\n")
    os.utime(tmp_path / "docs/zh/page.md", (2, 2))
    question.keep("said")
    assert answers.Question(tree(tmp_path), ["text"]).kept() is None


def test_a_tree_that_is_being_written_is_not_remembered(tmp_path):
    write(tmp_path, PAGES)
    answers.Question(tree(tmp_path), ["text"]).keep("said")
    assert answers.Question(tree(tmp_path), ["text"]).kept() is None
