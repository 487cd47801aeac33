"""What becomes of translations when the source changes: the situations of tests/cases/translation/state.

A case lays the pages below over its own `files`, records every translation as current, commits, and applies `edits`
(a file's new text, or null to remove it; `a -> b` renames). `states` lists, as `language page#section state`, with the
change and the number of words where there are any, all that is not current then; `says` what `hexapla status` prints.
"""

from collections import Counter
from functools import partial

import pytest
from hexapla.cache import Cache
from hexapla.config import discovery
from hexapla.site.texts import strings
from hexapla.translation import tracking
from hexapla.translation.status import section_states
from hexapla.translation.translation_tree import TranslationTree, read_tree

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


def tree(root, outputs=None, cached=True):
    """The tree of a case, its snippets below snippets/."""
    found = discovery.layout_of_options(root, "docs/{lang}/{page}.md")
    cache = Cache(root if cached else None)
    return read_tree(
        found, lambda path: (root / "snippets" / path).read_text(), lambda path: (outputs or {}).get(path, ""), cache
    )


def report(root, outputs=None, cached=True, format="text"):
    """What `hexapla status` prints."""
    now = tree(root, outputs, cached)
    said = tracking.whole_report(now, format, partial(strings.say_sentence, "en"), color=False)
    now.cache.close()
    return said


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
    tracking.sync_tree(tree(tmp_path, case.get("outputs")), tracking.Sync(["docs/en"], write=True))
    if case.get("git", True):
        git(tmp_path, "init", "-q")
        git(tmp_path, "add", "-A")
        git(tmp_path, "commit", "-qm", "all")
    write(tmp_path, case.get("edits", {}))
    for _ in range(2):  # the second time out of the cache
        now = tree(tmp_path, case.get("outputs_after", case.get("outputs")))
        pages = tracking.tree_status(now)
        assert list(told(pages)) == case["states"]
        now.cache.close()
    text = report(tmp_path, case.get("outputs_after", case.get("outputs")))
    for words in case.get("says", []):
        assert words in text


@pytest.mark.parametrize("case", [case for case in cases("translation/state") if case.values[0].get("settled")])
def test_sync_settles_it_and_a_second_one_changes_nothing(case, tmp_path):
    write(tmp_path, PAGES | case.get("files", {}))
    tracking.sync_tree(tree(tmp_path, case.get("outputs")), tracking.Sync(["docs/en"], write=True))
    write(tmp_path, case.get("edits", {}))
    assert tracking.sync_tree(tree(tmp_path, case.get("outputs")), tracking.Sync(["docs/en"]))
    before = recorded(tmp_path)
    tracking.sync_tree(tree(tmp_path, case.get("outputs")), tracking.Sync(["docs/en"], write=True))
    after = recorded(tmp_path)
    assert before != after
    assert sections_of(after) == sections_of(before)  # what moved is not there twice
    assert list(told(tracking.tree_status(tree(tmp_path, case.get("outputs"))))) == case.get("left", [])
    assert not tracking.sync_tree(tree(tmp_path, case.get("outputs")), tracking.Sync(["docs/en"], write=True))
    assert recorded(tmp_path) == after


def recorded(root):
    """The texts of the files of records."""
    return {file.relative_to(root).as_posix(): file.read_text() for file in (root / "translations").rglob("*.txt")}


def sections_of(texts):
    """How many sections are recorded."""
    return sum(text.count("\nsource ") for text in texts.values())


def test_what_was_found_of_a_page_gives_way_when_a_section_moves_to_it_from_another(tmp_path):
    write(tmp_path, PAGES)
    tracking.sync_tree(tree(tmp_path), tracking.Sync(["docs/en"], write=True))
    first = "## First {#first}\n\nOne two three four.\n"
    write(tmp_path, {"docs/en/new.md": first, "docs/zh/new.md": "## 第一 {#first}\n\n一二三四。\n"})
    before = tree(tmp_path)
    assert list(told(tracking.tree_status(before))) == ["zh new#first unrecorded"]
    before.cache.close()
    write(tmp_path, {"docs/en/page.md": PAGES["docs/en/page.md"].replace(first, "")})
    assert list(told(tracking.tree_status(tree(tmp_path)))) == ["zh page#first extra"]


CHANGES = {
    "translation": ("docs/zh/page.md", "# 页面 {#page}\n"),
    "source": ("docs/en/page.md", PAGES["docs/en/page.md"].replace("four", "five")),
    "new page": ("docs/en/new.md", "# New {#new}\n"),
    "removed page": ("docs/zh/page.md", None),
    "records": ("translations/zh/page.txt", "[first]\n-\n"),
    "note on records": ("translations/zh/page.txt", "no record\n"),
    "included file": ("snippets/a.py", "y = 2\n"),
    "not UTF-8": ("docs/ja/page.md", "# \udcff\n"),
    "commit": (".git/HEAD", "ref: refs/heads/none\n"),
}


@pytest.fixture
def reported(tmp_path):
    """A tree in two languages with an included file, recorded and committed; its report is in the cache."""
    page = PAGES["docs/en/page.md"].replace("x = 1", '--8<-- "a.py"')
    write(tmp_path, {**PAGES, "docs/en/page.md": page, "snippets/a.py": "x = 1\n", "docs/ja/page.md": "# 頁 {#page}\n"})
    tracking.sync_tree(tree(tmp_path), tracking.Sync(["docs/en"], write=True))
    git(tmp_path, "init", "-q")
    git(tmp_path, "add", "-A")
    git(tmp_path, "commit", "-qm", "all")
    report(tmp_path)
    return tmp_path


@pytest.mark.parametrize("change", CHANGES)
def test_a_cached_report_equals_an_uncached_one_after_each_kind_of_change(reported, change):
    path, text = CHANGES[change]
    if text is None:
        (reported / path).unlink()
    else:
        (reported / path).write_bytes(text.encode("utf-8", "surrogateescape"))
    assert report(reported) == report(reported, cached=False)


def test_a_cached_report_equals_an_uncached_one_with_other_outputs_and_formats(reported):
    assert report(reported, {"a.py": "3 MiB"}) == report(reported, {"a.py": "3 MiB"}, cached=False)
    assert report(reported, format="json") == report(reported, format="json", cached=False)
    assert report(reported) == report(reported, cached=False)


def test_an_unchanged_tree_is_reported_without_parsing_a_page(reported, monkeypatch):
    said = report(reported)
    monkeypatch.setattr(tracking, "tree_status", None)
    assert report(reported) == said


def test_one_changed_page_has_no_other_page_read_or_looked_up_twice(reported, monkeypatch):
    source = reported / "docs/en/page.md"
    write(reported, {"docs/en/new.md": "# New {#new}\n\nIts words.\n", "docs/zh/new.md": "# 新 {#new}\n\n字。\n"})
    tracking.sync_tree(tree(reported), tracking.Sync(["docs/en/new.md"], write=True))
    report(reported)
    source.write_text(source.read_text().replace("four", "five"))
    read, asked = Counter(), Counter()
    file, page_status = TranslationTree.file, section_states.page_status

    def counted_file(self, path):
        read[path] += 1
        return file(self, path)

    def counted_status(now, language, name, renames):
        asked[language, name] += 1
        return page_status(now, language, name, renames)

    monkeypatch.setattr(TranslationTree, "file", counted_file)
    monkeypatch.setattr(section_states, "page_status", counted_status)
    assert "behind" in report(reported)
    assert asked == {(language, name): 1 for language in ("ja", "zh") for name in ("new", "page")}
    assert read["docs/zh/new.md"] == 1
    assert read["docs/zh/page.md"] > 1  # it is compared with the source anew


def test_a_report_on_pages_that_changed_meanwhile_is_not_kept(reported, monkeypatch):
    page, status = reported / "docs/zh/page.md", tracking.tree_status
    text = page.read_bytes()
    (reported / ".hexapla/cache.sqlite").unlink()

    def slow(now):
        page.write_text("# 页面 {#page}\n")
        return status(now)

    monkeypatch.setattr(tracking, "tree_status", slow)
    report(reported)
    monkeypatch.undo()
    page.write_bytes(text)
    assert report(reported) == report(reported, cached=False)


@pytest.mark.parametrize("damage", [b"", b"no database", None])
def test_a_damaged_cache_is_made_anew(reported, damage):
    file = reported / ".hexapla/cache.sqlite"
    file.write_bytes(file.read_bytes()[:5000] if damage is None else damage)
    assert report(reported) == report(reported, cached=False)
