"""`hexapla check` from its options to its exit status: cache, baseline, fixes, layouts, history, built sites."""

import contextlib
import io
import json
import os
import sqlite3
import subprocess
import zlib

import pytest
from hexapla.cache import FILE, Cache
from hexapla.checks import context
from hexapla.checks.engine import fixes, tree_check
from hexapla.checks.engine.checker import Checker
from hexapla.checks.finding import Finding
from hexapla.checks.rules import navigation as navigation_rule
from hexapla.checks.rules.links import parity, targets
from hexapla.checks.rules.registry import function_of
from hexapla.cli import check as cli_check
from hexapla.cli import make_parser
from hexapla.config.discovery import detect_layout
from hexapla.errors import ConfigError
from hexapla.files import LARGEST
from hexapla.git import Repository
from hexapla.pages import reader
from hexapla.reports import FORMATS

PAGES = {
    "docs/en/a.md": "# A {#a}\n\nSee [b](b.md#b).\n",
    "docs/en/b.md": "# B {#b}\n",
    "docs/zh/a.md": "# 甲 {#a}\n\n见[乙](b.md#b)。\n",
    "docs/zh/b.md": "# 乙 {#b}\n",
}
CONFIGURED = """
plugins:
  - i18n: {docs_structure: folder, languages: [{locale: en, name: E, default: true}, {locale: zh, name: Z}]}
markdown_extensions: [attr_list, pymdownx.superfences]
"""


def lay(root, files):
    for path, text in files.items():
        file = root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")


def check(root, *options):
    """The findings as `path:line rule`, the exit status, and the pages checked."""
    chosen = make_parser("check").parse_args(["check", "--root", str(root), "--parity", *map(str, options)])
    chosen.format, shown = "json", io.StringIO()
    with contextlib.redirect_stdout(shown):
        status = cli_check.check(chosen)
    if chosen.write_baseline or chosen.explain:
        return [], status, shown.getvalue()
    report = json.loads(shown.getvalue())
    found = [f"{each['path']}:{each['line']} {each['rule']}" for each in report["findings"]]
    return found, status, f"{report['summary']['pages']} pages"


def findings(root, *options):
    """The findings as the report has them, and the exit status."""
    chosen = make_parser("check").parse_args(["check", "--root", str(root), "--parity", *map(str, options)])
    chosen.format, shown = "json", io.StringIO()
    with contextlib.redirect_stdout(shown):
        status = cli_check.check(chosen)
    entries = json.loads(shown.getvalue())["findings"]
    return [Finding(**{key: value for key, value in each.items() if key != "fingerprint"}) for each in entries], status


def test_a_rule_that_raises_is_no_finding_and_hides_none(tmp_path, monkeypatch):
    def broken(context):
        raise KeyError

    lay(tmp_path, PAGES | {"docs/zh/a.md": "# 甲 {#a}\n\n见[乙](c.md)。\n"})
    monkeypatch.setattr(parity, "differing", broken)
    function_of.cache_clear()
    found, status, _ = check(tmp_path)
    assert (status, found) == (3, ["docs/zh/a.md:1 rule-failed", "docs/zh/a.md:3 link-target-missing",
                                   "docs/zh/b.md:1 rule-failed"])
    assert check(tmp_path, "--ignore", "link-differs,link-missing,link-extra")[1] == 1
    monkeypatch.undo()
    function_of.cache_clear()
    assert check(tmp_path)[1] == 1  # what failed is not kept


def test_a_rule_of_the_tree_that_raises_hides_no_other(tree, monkeypatch):
    def broken(index):
        raise KeyError("gone")
        yield

    (tree / "docs/zh/b.md").unlink()
    monkeypatch.setattr(navigation_rule, "navigation", broken)
    function_of.cache_clear()
    found, status = findings(tree)
    monkeypatch.undo()
    function_of.cache_clear()
    assert status == 3
    assert {item.rule for item in found} >= {"rule-failed", "page-missing"}
    (failed,) = (item for item in found if item.rule == "rule-failed")
    assert (failed.path, failed.message.partition(":")[0]) == (".", "the rule nav-missing fails on this tree")


@pytest.mark.parametrize("options", [(), ("--select", "link-differs"), ("--select", "link-missing")])
def test_the_traceback_is_in_json_alone_and_a_selection_does_not_hide_that_a_rule_failed(tree, monkeypatch, options):
    def broken(context):
        raise KeyError("gone")
        yield

    monkeypatch.setattr(parity, "differing", broken)
    function_of.cache_clear()
    found, status = findings(tree, *options)
    shown = {kind: run(tree, kind, *options) for kind in FORMATS if kind != "json"}
    monkeypatch.undo()
    function_of.cache_clear()
    failed = [item for item in found if item.rule == "rule-failed"]
    assert status == 3 and failed
    assert all(item.traceback.startswith("Traceback") and "KeyError: 'gone'" in item.traceback for item in failed)
    assert all("the rule link-differs fails" in text and "Traceback" not in text for text in shown.values())


def run(root, kind, *options):
    """What the command prints in a format."""
    chosen = make_parser("check").parse_args(["check", "--root", str(root), "--parity", *map(str, options)])
    chosen.format = kind
    with contextlib.redirect_stdout(io.StringIO()) as shown:
        cli_check.check(chosen)
    return shown.getvalue()


@pytest.fixture
def tree(tmp_path):
    lay(tmp_path, PAGES)
    return tmp_path


def test_a_clean_tree_is_clean_and_a_second_run_parses_nothing(tree, monkeypatch):
    assert check(tree) == ([], 0, "4 pages")
    monkeypatch.setattr("hexapla.pages.reader.read", lambda *_: pytest.fail("a page was parsed again"))
    assert check(tree) == ([], 0, "4 pages")


def test_what_a_link_leads_to_is_looked_at_again_when_it_changes(tree):
    check(tree)
    (tree / "docs/zh/b.md").write_text("# 乙 {#c}\n", encoding="utf-8")
    found = check(tree)[0]
    assert "docs/zh/a.md:3 link-anchor-missing" in found
    assert "docs/zh/b.md:1 anchor-differs" in found
    (tree / "docs/zh/b.md").unlink()
    assert check(tree)[0] == ["docs/zh/b.md:1 page-missing"]
    (tree / "docs/en/b.md").unlink()
    assert "docs/zh/a.md:3 link-target-missing" in check(tree)[0]


BEGUN = {
    "docs/en/b.md": "# B {#b}\n\nText 1.\n\n## C {#c}\n\n- One `x`\n\n## D {#d}\n\n```python\nx = 1\n```\n",
    "docs/zh/b.md": "# 乙 {#b}\n\n文字 1。\n\n## 丁 {#d}\n\n```python\nx = 1\n```\n",
    "docs/en/n.md": "# N {#n}\n",
    "translations/zh.txt": "# begun\n",
}


def test_what_a_language_has_not_begun_fails_no_check(tree):
    lay(tree, BEGUN)
    assert check(tree) == (["docs/zh/n.md:1 page-missing"], 0, "5 pages")
    assert check(tree, "--severity", "page-missing=error")[1] == 1


def test_what_was_translated_and_is_gone_is_a_warning(tree):
    lay(tree, BEGUN)
    assert check(tree)[1] == 0
    for page, section, found in (("b", "c", "docs/zh/b.md:5 heading-count"), ("n", "n", "docs/zh/n.md:1 page-lost")):
        lay(tree, {f"translations/zh/{page}.txt": f"[{section}]\nsource 111111111111 111111111111 - - -\n"})
        assert found in check(tree)[0] and check(tree)[1] == 1


def test_a_section_that_is_there_is_compared_with_its_own(tree):
    lay(tree, BEGUN | {"docs/zh/b.md": BEGUN["docs/zh/b.md"].replace("x = 1", "x = 2")})
    assert check(tree)[0] == ["docs/zh/b.md:8 code-differs", "docs/zh/n.md:1 page-missing"]


def test_a_tree_without_records_lacks_a_section_as_before(tree):
    lay(tree, BEGUN)
    (tree / "translations/zh.txt").unlink()
    assert "docs/zh/b.md:5 heading-count" in check(tree)[0]


def test_an_included_file_is_looked_at_again_when_it_changes(tree):
    lay(tree, {
        "mkdocs.yml": "plugins:\n  - i18n: {docs_structure: folder, languages: [{locale: en, name: E, default: true},"
                      " {locale: zh, name: Z}]}\nmarkdown_extensions: [attr_list]\n",
        "snippets/a.py": "# --8<-- [start:x]\nx = 1\n# --8<-- [end:x]\n",
        "docs/en/b.md": "# B {#b}\n\n```python\n--8<-- \"a.py:x\"\n```\n",
        "docs/zh/b.md": "# 乙 {#b}\n\n```python\n--8<-- \"a.py:x\"\n```\n",
    })
    assert check(tree)[0] == []
    (tree / "snippets/a.py").write_text("# --8<-- [start:y]\nx = 1\n# --8<-- [end:y]\n")
    assert check(tree)[0] == ["docs/en/b.md:4 include-section-missing", "docs/zh/b.md:4 include-section-missing"]
    (tree / "snippets/a.py").unlink()
    assert check(tree)[0] == ["docs/en/b.md:4 include-missing", "docs/zh/b.md:4 include-missing"]


@pytest.mark.parametrize("content", [b"", b"not a database", b"SQLite format 3\0" + b"x" * 4096])
def test_a_damaged_cache_is_made_anew(tree, content):
    (tree / FILE).parent.mkdir(parents=True)
    (tree / FILE).write_bytes(content)
    assert check(tree) == ([], 0, "4 pages")


GLOSSARY = "- {term: batch, zh: 批, forbidden: {zh: [WRONG]}}\n"
KEPT = {
    "mkdocs.yml": CONFIGURED, "docs/glossary.yml": GLOSSARY,
    "docs/en/b.md": "---\ntitle: B\n---\n\n# B {#b}\n\n- A batch.\n",
    "docs/zh/b.md": "---\ntitle: 乙\n---\n\n# 乙 {#b}\n\n- 一个批次。\n",
}
# By what changes between two runs: the file, what is replaced in it, and what is found then.
CHANGES = {
    "glossary": ("docs/glossary.yml", "WRONG", "批次", ["docs/zh/b.md:7 term-forbidden"]),
    "source": ("docs/en/b.md", "- A", "A", ["docs/zh/b.md:7 list-count"]),
    "front matter": ("docs/zh/b.md", "乙\n---", "[\n---", ["docs/zh/b.md:3 front-matter"]),
    "configuration": ("mkdocs.yml", "attr_list, ", "", [
        "docs/en/a.md:3 link-anchor-missing", "docs/zh/a.md:1 anchor-differs", "docs/zh/b.md:5 anchor-differs",
    ]),
}


@pytest.mark.parametrize("change", CHANGES)
def test_what_is_kept_is_read_anew_when_it_changes(tree, change):
    file, old, new, found = CHANGES[change]
    lay(tree, KEPT)
    assert [check(tree)[0] for _ in range(2)] == [[], []]
    lay(tree, {file: KEPT[file].replace(old, new)})
    assert [check(tree)[0] for _ in range(2)] == [found, found]


def test_a_page_that_has_not_changed_is_not_rendered_beside_one_that_has(tree, monkeypatch):
    read, texts = reader.read, []
    lay(tree, KEPT)
    check(tree)
    monkeypatch.setattr(reader, "read", lambda text, *rest: texts.append(text) or read(text, *rest))
    lay(tree, {"docs/en/b.md": KEPT["docs/en/b.md"] + "- B\n", "docs/glossary.yml": "- {term: model, zh: 模型}\n"})
    assert check(tree)[0] == ["docs/zh/b.md:7 list-count"]
    assert texts == [KEPT["docs/en/b.md"] + "- B\n"]


@pytest.mark.parametrize("value", ["{", zlib.compress(b"null"), zlib.compress(b"{"), "", b"\xff", None])
def test_a_damaged_entry_is_made_anew(tree, value):
    lay(tree, {"mkdocs.yml": CONFIGURED, "docs/glossary.yml": GLOSSARY})
    found = check(tree)
    with sqlite3.connect(tree / FILE) as database:
        database.execute("update answers set value = ?", (value,))
    assert check(tree) == found == ([], 0, "4 pages")


def test_only_what_is_named_is_checked(tree):
    lay(tree, {"docs/en/b.md": "# B {#b}\n\n[x](gone.md)\n", "README.md": "[x](gone.md)\n"})
    assert check(tree, tree / "docs/zh/a.md", tree / "README.md") == ([], 0, "1 pages")
    assert check(tree, tree / "docs/en/b.md")[0] == ["docs/en/b.md:3 link-target-missing"]
    with pytest.raises(ConfigError, match="no such file"):
        check(tree, tree / "docs/zh/none.md")


def test_a_baseline_accepts_what_is_there_and_nothing_new(tree):
    lay(tree, {"docs/en/a.md": "# A {#a}\n\nSee [b](b.md#b) and [x](gone.md).\n"})
    file = tree / "accepted.json"
    assert check(tree)[1] == 1
    assert check(tree, "--write-baseline", file)[1] == 0
    assert check(tree, "--baseline", file)[:2] == ([], 0)
    lay(tree, {"docs/en/a.md": "\n\n# A {#a}\n\nSee [b](b.md#b), [x](gone.md), [x](gone.md).\n"})
    assert check(tree, "--baseline", file)[0].count("docs/en/a.md:5 link-target-missing") == 1
    file.write_text("{}")
    with pytest.raises(ConfigError, match="is no baseline"):
        check(tree, "--baseline", file)
    file.write_text('{"schema": 3, "accepted": []}')
    with pytest.raises(ConfigError, match="has schema 3"):
        check(tree, "--baseline", file)


@pytest.mark.parametrize("text", [
    '{"schema": 2, "accepted": ' + "[" * 200_000, '{"schema": 2, "accepted": [{"fingerprint": "a", "count": 1e999}]}',
    '{"schema": 1e999, "accepted": []}', '{"schema": ' + "1" * 5000 + ', "accepted": []}',
])
def test_a_file_that_is_no_baseline_is_one_sentence(tree, text):
    file = tree / "accepted.json"
    file.write_text(text)
    with pytest.raises(ConfigError, match="is no baseline; write it anew"):
        check(tree, "--baseline", file)


def test_a_baseline_is_a_file_of_bearable_size(tree):
    file = tree / "accepted.json"
    with file.open("wb") as stream:
        stream.truncate(LARGEST + 1)
    with pytest.raises(ConfigError, match="is larger than"):
        check(tree, "--baseline", file)
    file.unlink()
    os.mkfifo(file)
    with pytest.raises(ConfigError, match="is no file but"):
        check(tree, "--baseline", file)


def test_a_baseline_outlives_other_words_and_other_lines(tree, monkeypatch):
    lay(tree, {"docs/en/a.md": "# A {#a}\n\nSee [b](b.md#b) and [x](gone.md).\n"})
    file = tree / "accepted.json"
    check(tree, "--write-baseline", file)
    violation = context.Violation

    def reworded(rule, subject, message, hint, *rest, **more):
        return violation(rule, subject, f"{message}, in other words", "x", *rest, **more)

    for module in (targets, parity):
        monkeypatch.setattr(module, "Violation", reworded)
    found = findings(tree, "--no-cache")[0]
    assert found and all("in other words" in finding.message for finding in found)
    lay(tree, {"docs/en/a.md": "\n\n# A {#a}\n\nSee [b](b.md#b) and [x](gone.md).\n"})
    assert check(tree, "--no-cache", "--baseline", file)[:2] == ([], 0)
    lay(tree, {"docs/en/a.md": "# A {#a}\n\nSee [b](b.md#b) and [x](lost.md).\n"})
    assert "docs/en/a.md:3 link-target-missing" in check(tree, "--no-cache", "--baseline", file)[0]


def test_a_baseline_of_another_schema_is_one_sentence(tree):
    file = tree / "accepted.json"
    check(tree, "--write-baseline", file)
    file.write_text(json.dumps(json.loads(file.read_text()) | {"schema": 1}))
    with pytest.raises(ConfigError, match="has schema 1, and this version reads 2; write it anew"):
        check(tree, "--baseline", file)


@pytest.mark.parametrize("mark", ["\u2028", "\x0b", "\x0c", "\x85"], ids=ascii)
def test_a_fix_stands_where_markdown_counts_the_line(tree, mark):
    """Python counts more characters as the end of a line than Markdown does."""
    lay(tree, {"docs/zh/a.md": f"一{mark}二{mark}三\n\n# 甲\n\n见[乙](b.md#b)。\n"})
    check(tree, "--fix", "--write")
    assert (tree / "docs/zh/a.md").read_text("utf-8") == f"一{mark}二{mark}三\n\n# 甲 {{#a}}\n\n见[乙](b.md#b)。\n"


def test_fix_keeps_line_endings_mode_and_the_byte_order_mark(tree):
    file = tree / "docs/zh/a.md"
    file.write_bytes("\ufeff# 甲\r\n\r\n见[乙](b.md#b)。\r\n".encode())
    file.chmod(0o640)
    assert check(tree, "--fix", "--write")[:2] == ([], 0)
    assert file.read_bytes() == "\ufeff# 甲 {#a}\r\n\r\n见[乙](b.md#b)。\r\n".encode()
    assert file.stat().st_mode & 0o777 == 0o640


def test_a_loop_of_links_and_a_page_nobody_can_read_stop_nothing(tree):
    (tree / "docs/zh/loop").symlink_to(tree / "docs/zh")
    (tree / "docs/zh/dead.md").symlink_to(tree / "nowhere.md")
    found = check(tree)[0]
    assert "docs/zh/dead.md:1 encoding" in found
    assert not any("loop" in item for item in found)


def test_a_site_of_one_language_needs_no_layout(tmp_path):
    lay(tmp_path, {"mkdocs.yml": "site_name: X\n", "docs/index.md": "# I\n\n[a](sub/a.md#a) [b](gone.md)\n",
                   "docs/sub/a.md": "# A\n\n[i](../index.md#i)\n"})
    assert check(tmp_path) == (["docs/index.md:3 link-target-missing"], 1, "2 pages")


def test_the_i18n_plugin_s_own_structure_is_the_suffix(tmp_path):
    lay(tmp_path, {
        "mkdocs.yml": "site_name: X\nmarkdown_extensions: [attr_list]\nplugins:\n  - i18n: {languages: ["
                      "{locale: en, name: E, default: true}, {locale: fr, name: F}]}\n",
        "docs/a.md": "# A {#a}\n\n[b](b.md)\n", "docs/b.md": "# B {#b}\n", "docs/a.fr.md": "# A {#a}\n\n[b](c.md)\n",
    })
    assert check(tmp_path)[0] == [
        "docs/a.fr.md:3 link-differs", "docs/a.fr.md:3 link-target-missing", "docs/b.fr.md:1 page-missing",
    ]


@pytest.mark.parametrize(("options", "says"), [
    (["--layout", "docs/{lang}/x.md"], "has no {page}"),
    (["--layout", "doc/{lang}/{page}.md"], "no page matches"),
    (["--layout", "../{lang}/{page}.md"], "leads out of the root"),
    (["--layout", "docs/{page}.md"], "has no {lang}"),
    (["--source-layout", "docs/{page}.md"], "needs --layout"),
    (["--site", "nowhere"], "is no folder"),
    (["--baseline", "nowhere.json"], "write it with --write-baseline"),
])
def test_a_mistake_in_the_options_is_one_sentence(tree, options, says):
    with pytest.raises(ConfigError, match=says):
        check(tree, *options)


def test_a_configuration_that_cannot_be_run_is_read_as_far_as_it_goes(tree):
    lay(tree, {"mkdocs.yml": (
        "site_name: X\nplugins:\n  - not-installed\n  - i18n: {docs_structure: folder, languages: ["
        "{locale: en, name: E, default: true},"
        " {locale: zh, name: Z}]}\nmarkdown_extensions:\n  - attr_list\n  - not_installed\n"
        "  - pymdownx.snippets: {base_path: /etc}\n"
        "  - toc: {slugify: !!python/object/apply:os.system {args: [touch pwned]}}\n"
    )})
    assert check(tree) == ([], 0, "4 pages")
    assert not (tree / "pwned").exists()
    lay(tree, {"mkdocs.yml": "docs_dir: ../elsewhere\n"})
    with pytest.raises(ConfigError, match="lies outside"):
        check(tree)
    lay(tree, {"mkdocs.yml": "plugins: [\n"})
    with pytest.raises(ConfigError, match="is not YAML"):
        check(tree)


def test_a_source_that_moved_on_is_told_from_a_translation_that_is_wrong(tree):
    def git(*words):
        environment = {**os.environ, "GIT_AUTHOR_NAME": "a", "GIT_AUTHOR_EMAIL": "a@example.org",
                       "GIT_COMMITTER_NAME": "a", "GIT_COMMITTER_EMAIL": "a@example.org"}
        subprocess.run(["git", "-C", tree, *words], check=True, capture_output=True, env=environment)

    lay(tree, {"docs/zh/a.md": "# 甲 {#a}\n\n见[乙](a.md)。\n"})
    git("init", "-q")
    git("add", ".")
    git("commit", "-qm", "both")
    lay(tree, {"docs/en/a.md": "# A {#a}\n\nSee [b](b.md#b) and [this](https://example.org).\n"})
    git("commit", "-qam", "the source alone")
    checker = Checker(tree_check.tree_of(detect_layout(tree), ()), Cache(None), Repository(tree))
    origins = {found.rule: found.origin for found in tree_check.check(checker).findings}
    assert origins == {"link-differs": "translation", "link-missing": "source-moved"}


def test_a_built_site_is_checked_by_its_html(tmp_path):
    lay(tmp_path / "site", {
        "index.html": "<a href='guide/'>a</a> <a href='guide/#there'>b</a> <a href='guide/#gone'>c</a>"
                      "<a href='none/'>d</a> <img src='x.png'> <a href='https://example.org/none'>e</a>"
                      "<a href='/guide'>f</a> <a href='#'>g</a> <a href='#top'>h</a> <link rel=icon href=x.ico>",
        "guide/index.html": "<h1 id='there'>x</h1><a name='old'></a><a href='../#none'>x</a><a href='#old'>y</a>",
        "a b.html": "<a href='guide/?q=1#there'>x</a><a href='a%20b.html'>y</a>",
    })
    found, status, words = check(tmp_path, "--site", tmp_path / "site")
    assert sorted(found) == ["guide/index.html:1 link-anchor-missing", "index.html:1 link-anchor-missing"] + [
        "index.html:1 link-target-missing"
    ] * 3
    assert (status, words) == (1, "3 pages")
    found, _, _ = check(tmp_path, "--site", tmp_path / "site", "--site-prefix", "docs")
    assert len(found) == 5


def test_a_reference_that_its_reader_sees_is_found_in_a_built_site(tmp_path):
    lay(tmp_path / "site", {
        "index.html": "<p>See [the guide][guide] and [that][].</p><pre>a[0][1] [x][y]</pre><code>[x][z]</code> a[0][1]",
        "code.html": "<p>[<code>Foo</code>][pkg.Foo] and [<code>Bar</code>][].</p>",
        "other.html": "<p>None [here] (nor) [there].</p><a href='#'>[Paper]</a><a href='#'>[Code]</a>",
    })
    found, status, _ = check(tmp_path, "--site", tmp_path / "site")
    assert (sorted(found), status) == (["code.html:1 markup-literal"] * 2 + ["index.html:1 markup-literal"] * 2, 1)


def unpinned(tree):
    file = tree / "docs/zh/a.md"
    file.write_text("# 甲\n\n见[乙](b.md#b)。\n", "utf-8")
    return file


def test_fix_shows_a_difference_and_writes_nothing(tree, capsys):
    file = unpinned(tree)
    found = check(tree)[:2]
    assert check(tree, "--fix")[:2] == found
    assert file.read_text("utf-8") == "# 甲\n\n见[乙](b.md#b)。\n"
    told = capsys.readouterr().err
    assert "--- a/docs/zh/a.md\n+++ b/docs/zh/a.md\n" in told and "-# 甲\n+# 甲 {#a}\n" in told
    assert "nothing was written" in told


def test_fix_that_writes_says_what_it_changed(tree, capsys):
    unpinned(tree)
    assert check(tree, "--fix", "--write")[:2] == ([], 0)
    assert capsys.readouterr().err == "docs/zh/a.md:1: changed the heading id (anchor-unpinned)\n"


def test_write_alone_is_refused(tree):
    with pytest.raises(ConfigError, match="--write writes what --fix shows"):
        check(tree, "--write")


def test_a_file_that_was_changed_meanwhile_is_left_and_named(tree, capsys, monkeypatch):
    file, propose = unpinned(tree), fixes.propose_fixes

    def propose_and_change(*given):
        proposed = propose(*given)
        file.write_text("# 甲二\n", "utf-8")
        return proposed

    monkeypatch.setattr(fixes, "propose_fixes", propose_and_change)
    check(tree, "--fix", "--write")
    assert file.read_text("utf-8") == "# 甲二\n"
    assert "left the heading id (anchor-unpinned): the file was changed while" in capsys.readouterr().err


def commit(tree):
    for words in (["init", "-q"], ["add", "."], ["-c", "user.name=t", "-c", "user.email=t@t", "commit", "-qm", "x"]):
        subprocess.run(["git", *words], cwd=tree, check=True)


def test_an_id_renamed_in_the_source_alone_is_given_to_the_translations_and_links_follow_it(tree):
    lay(tree, {"docs/en/b.md": "# B {#b}\n\nSee [b](#b).\n", "docs/zh/b.md": "# 乙 {#b}\n\n见[乙](#b)。\n"})
    commit(tree)
    lay(tree, {"docs/en/b.md": "# B {#bee}\n\nSee [b](#bee).\n", "docs/en/a.md": "# A {#a}\n\nSee [b](b.md#bee).\n"})
    commit(tree)
    assert check(tree, "--fix", "--write")[:2] == ([], 0)
    assert (tree / "docs/zh/b.md").read_text("utf-8") == "# 乙 {#bee}\n\n见[乙](#bee)。\n"
    assert (tree / "docs/zh/a.md").read_text("utf-8") == "# 甲 {#a}\n\n见[乙](b.md#bee)。\n"


def test_what_new_findings_come_of_is_left_and_nothing_else(tree, capsys):
    unpinned(tree)
    page = "# C {#c}\n\n## Mending\n\n## Checks {#checks}\n\n## Ideas\n\n## Plans\n\n## Great issues\n"
    lay(tree, {
        "docs/en/c.md": page,
        "docs/zh/c.md": "# 丙 {#c}\n\n## 修 {#mending}\n\n## 想 {#ideas}\n\n## 计 {#plans}\n\n## 问 {#greate}\n",
    })
    before = check(tree)[0]
    after = check(tree, "--fix", "--write")[0]  # with an id of its own, the English heading is not the Chinese one
    assert len(after) == len(before) - 3
    assert (tree / "docs/zh/a.md").read_text("utf-8").startswith("# 甲 {#a}\n")
    assert (tree / "docs/en/c.md").read_text("utf-8") == page.replace(
        "Mending", "Mending {#mending}").replace("Ideas", "Ideas {#ideas}")
    told = capsys.readouterr().err.splitlines()
    assert [line for line in told if "left" in line] == [  # the heading, and the one that the finding stands behind
        f"docs/en/c.md:{line}: left the heading id (anchor-unpinned): there would be more findings than before"
        for line in (9, 11)]


def test_links_follow_beside_fixes_of_their_own_page(tree):
    lay(tree, {"docs/en/b.md": "# B {#b}\n\n## Bee {#bee}\n", "docs/zh/b.md": "# 乙 {#b}\n\n## 蜂 {#bien}\n"})
    lay(tree, {"docs/en/a.md": "# A {#a}\n\n## Twin {#twin}\n\nSee [b](b.md#bee).\n",
               "docs/zh/a.md": "# 甲\r\n\r\n## 双 {#shuang}\r\n\r\n见[乙](b.md#bien)。\r\n"})
    assert check(tree, "--fix", "--write")[:2] == ([], 0)
    assert (tree / "docs/zh/a.md").read_bytes().decode() == (
        "# 甲 {#a}\r\n\r\n## 双 {#twin}\r\n\r\n见[乙](b.md#bee)。\r\n")


def test_an_id_that_something_else_needs_is_left(tree, capsys):
    lay(tree, {"docs/zh/own.md": "# 我们的 {#own}\n\n[乙](b.md#b)\n"})
    lay(tree, {"docs/en/b.md": "# B {#bee}\n", "docs/en/a.md": "# A {#a}\n\nSee [b](b.md#bee).\n"})
    before = check(tree)[0]
    assert len(check(tree, "--fix", "--write")[0]) <= len(before)
    assert (tree / "docs/zh/b.md").read_text("utf-8") == "# 乙 {#b}\n"
    assert "left the heading id (anchor-differs): there would be more findings than before" in capsys.readouterr().err
