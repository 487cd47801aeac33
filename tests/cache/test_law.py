"""The law of the cache: a cached check equals an uncached one, whatever changed in between.

The changes are made from the records themselves, so that a field is covered on the day it is added, and from the files
of a case of each kind in tests/cases/checks; by `make test-kinds`, of every case.
"""

import os
from pathlib import Path

import pytest
from hexapla.cache import Cache, key_of
from hexapla.checks.engine import checker, tree_check
from hexapla.checks.engine.checker import Checker, Tree
from hexapla.checks.engine.rule_runs import run_on_page
from hexapla.checks.rules import recorded_runs
from hexapla.checks.rules.registry import USUAL_RULES
from hexapla.config.discovery import SnippetFolders, layout_of_options
from hexapla.examples.evidence import Evidence, Hardware, Run, Status, dump_evidence
from hexapla.examples.figures import RecordedFigures
from hexapla.examples.provenance import hash_files, lock_hash, read_pins
from hexapla.examples.snippet import Snippets
from hexapla.frameworks.registry import BY_KEY
from hexapla.git import SourceRepository
from hexapla.glossary import Term

from tests.cases import FOLDER, cases

PAGES = {
    "docs/en/a.md": "# A batch {#a}\n\nSee [b](b.md#b), [c](/en/b/#b) and 3 batches of *x*.\n",
    "docs/en/b.md": "# B {#b}\n\n```python\n--8<-- \"a.py:x\"\n```\n\n![p](p.png)\n",
    "docs/zh/a.md": "# 批次 {#a}\n\n见[乙](b.md#b)、[丙](/zh/b/#b)和3个小批 x。\n",
    "docs/zh/b.md": "# 乙 {#b}\n\n```python\n--8<-- \"a.py:x\"\n```\n\n![p](p.png)\n",
    "docs/zh-Hant/a.md": "# 批次 {#a}\n\n見[乙](b.md#b)、[丙](/zh/b/#b)和3個批次 x。\n",
    "mkdocs.yml": "nav: [a.md, b.md]\n", "docs/en/p.png": "x", "docs/zh/p.png": "x",
    "snippets/a.py": "# --8<-- [start:x]\nx = 1\n# --8<-- [end:x]\n",
}


def lay(root, files):
    for path, text in files.items():
        file = root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(text if isinstance(text, bytes) else text.encode())


def base(root):
    """A tree in which every field of every record has a value that is not its default."""
    lay(root, PAGES)
    layout = layout_of_options(root, "docs/{lang}/{page}.md")._replace(
        fallbacks={"zh-Hant": ("zh",)}, derived=frozenset({"zh-Hant"}),
        extensions={"smarty": {"smart_dashes": False}, "toc": {"permalink": True}}, navigation=["a.md", "b.md"],
        snippets=(root / "snippets",), inclusions=root / "docs", completed=frozenset({"zh"}),
        framework=BY_KEY["hugo"], site="docs/", plugin_ids=frozenset({"x"}),
        elsewhere=SourceRepository(root, "0" * 40, "copies/"),
    )
    term = Term("batch", False, {"zh": "批次"}, {"zh": ("批",)}, {"zh": ("小批",)}, {"zh": "https://example.org/"}, 1)
    return Tree(layout, (term,), SnippetFolders((root / "snippets",)))


def fills_another(root, content):
    """Another function for one of a framework's."""
    return ("another",)


def changed(value):
    """Other values of a field, made from its present one."""
    if isinstance(value, bool):
        yield not value
    elif isinstance(value, tuple) and hasattr(value, "_fields"):
        yield from variants(value)
        yield None
    elif isinstance(value, tuple | list):
        yield type(value)(() if value else ("x",))
        for number, each in enumerate(value):
            for other in changed(each):
                yield type(value)([*value[:number], other, *value[number + 1 :]])
    elif isinstance(value, frozenset):
        yield frozenset()
    elif isinstance(value, dict):
        yield {}
        for name, each in value.items():
            for other in changed(each):
                yield {**value, name: other}
    elif isinstance(value, Path):
        yield value / "elsewhere"
    elif isinstance(value, int):
        yield value + 1
    elif callable(value):
        yield fills_another
    elif isinstance(value, str):
        yield {"python-markdown": "github", "batch": "page", "批次": "批量"}.get(value, f"{value}x")
    else:
        raise TypeError(f"say what else {value!r} may be")


def variants(record):
    """The record with one thing changed, for everything in it."""
    for name in record._fields:
        for other in changed(getattr(record, name)):
            yield record._replace(**{name: other})


def test_every_field_of_every_setting_is_in_the_key(tmp_path):
    tree = base(tmp_path)
    keys = [key_of("violations", each) for each in (tree, *variants(tree))]
    assert len(keys) > 40
    assert len(set(keys)) == len(keys)


def findings(tree, root=None):
    cache = Cache(root)
    try:
        return tree_check.check(Checker(tree, cache)).findings
    finally:
        cache.close()


def test_a_cached_check_equals_an_uncached_one_whatever_setting_changed(tmp_path):
    tree = base(tmp_path)
    assert findings(tree, tmp_path) == findings(tree, tmp_path) == findings(tree)
    seen = set()
    for other in variants(tree):
        if getattr(other.layout, "framework", None) is not None and other.layout.root.is_dir():
            uncached = findings(other)
            assert findings(other, tmp_path) == uncached, other
            seen.add(uncached)
    assert len(seen) > 5  # the changes do change what is found
    assert findings(tree, tmp_path) == findings(tree)


def test_what_one_selection_of_rules_left_in_the_cache_serves_another(tmp_path, monkeypatch):
    tree, ran = base(tmp_path), []
    some = {"links.targets.broken", "links.parity.differing", "numbers.rule.differing"}
    monkeypatch.setattr(checker, "run_on_page", lambda rules, context: ran.append(
        (rules[0].function, context.document.path)) or run_on_page(rules, context))

    def reported(rules, root=None):
        ran.clear()
        cache = Cache(root)
        try:
            return tree_check.check(Checker(tree, cache, rules=rules)).findings
        finally:
            cache.close()

    first = [rule for rule in USUAL_RULES if rule.function in some]
    expected = [reported(rules) for rules in (first, USUAL_RULES, USUAL_RULES[5:])]
    assert reported(first, tmp_path) == expected[0]
    assert reported(USUAL_RULES, tmp_path) == expected[1]
    assert ran
    assert not {function for function, _ in ran} & some
    assert reported(USUAL_RULES[5:], tmp_path) == expected[2]
    assert reported(first, tmp_path) == expected[0]
    assert not ran


LOGICAL = ("docs/en/page.md", "docs/zh/page.md")


def kind_of(case, folder):
    """What an answer may depend on beside the text: what it is about, what is found, where pages lie, what files there
    are.
    """
    found = sorted({finding.split()[1] for finding in case["findings"]})
    given = [case.get(key) for key in ("layout", "source-layout", "languages", "anchors")]
    parts = [key for key in ("source", "translation", "glossary", "origins") if key in case]
    return str([folder, found, given, parts, sorted({Path(path).suffix for path in case.get("files", ())})])


def cases_of_each_kind():
    """The first case of each kind."""
    every = cases("checks")
    folders = [file.parent for file in sorted((FOLDER / "checks").rglob("*.yml"))]
    first = {kind_of(case.values[0], folder): case for case, folder in zip(every[::-1], folders[::-1], strict=True)}
    return every if "EVERY_KIND" in os.environ else list(first.values())


@pytest.mark.parametrize("case", cases_of_each_kind())
def test_a_cached_check_equals_an_uncached_one_whatever_file_changed(case, tmp_path):
    files = dict(case.get("files", {}))
    files |= {path: case[key] for path, key in zip(LOGICAL, ("source", "translation"), strict=True) if key in case}
    lay(tmp_path, files)

    def tree():
        layout = layout_of_options(
            tmp_path, case.get("layout", "docs/{lang}/{page}.md"), case.get("source-layout", ""), "en",
            tuple(case.get("languages", ())), case.get("anchors", "python-markdown"),
        )
        return tree_check.tree_of(layout, ())

    def hold():
        try:
            made = tree()
        except ValueError:  # no page of the source is left
            return
        assert findings(made, tmp_path) == findings(made)

    hold()
    for path, content in files.items():
        data = content if isinstance(content, bytes) else content.encode()
        for other in (None, data + b"\n\n# Another 7 {#other}\n\n[x](gone.md#x)\n"):
            if other is None:
                (tmp_path / path).unlink()
            else:
                (tmp_path / path).write_bytes(other)
            hold()
        (tmp_path / path).write_bytes(data)
    lay(tmp_path, {"docs/en/another.md": "# New {#new}\n", "docs/zh/gone.md": "# x\n"})
    hold()


PRINTED = "data:image/png;base64,iVBORw0KGgoAAAANSUhEUv8KAAAAAElFTkSuQmCC"


def recorded(root, kind):
    """A file of evidence of a run on a kind of CPU, as the tree is now."""
    snippets = Snippets(root / "snippets")
    files = hash_files(root, ["snippets/demo/add.py", "tests/snippets/demo/test_add.py", "data.txt"])
    lock = lock_hash(read_pins(root, snippets.root, "core"), ["torch"], {})
    run = Run(Status.RAN, snippets.hash("demo/add.py"), "2026-01-02", seconds=0.1, peak_memory_bytes=1, files=files,
              lock=lock, versions={"python": "3.11", "torch": "2.1"}, runner="cpu", device=kind,
              output=f"total: {len(kind)}\n{PRINTED}\n", tests=("test_it",), test_seconds=0.1)
    return dump_evidence(Evidence(Hardware("cpu", kind, 2, 1), {"demo/add.py": run}))


RUN_TREE = {
    "docs/en/a.md": "# A {#a}\n\n`{evidence cpu-one} demo/add > total as 0`\n\n"
    "```python\n--8<-- \"demo/add.py\"\n```\n", "docs/zh/a.md": "# 甲 {#a}\n",
    "snippets/demo/add.py": "import torch\nimport _help\nimport snippets._util\nprint(1)\n",
    "snippets/demo/_help.py": "x = 1\n", "snippets/_util.py": "y = 1\n",
    "tests/snippets/demo/test_add.py": "import pytest\npytestmark = pytest.mark.needs(devices=1)\n",
    "data.txt": "1\n", "constraints.txt": "torch==2.1\n", "pyproject.toml": "[tool.hexapla.runners.cpu]\n",
}
RUN_CHANGES = {  # beside another text for each file, and none
    "snippets/_shared/_help.py": "y = 2\n", "snippets/demo/torch.py": "z = 3\n", "requirements.txt": "torch==3.0\n",
    "snippets/evidence/cpu-three.json": "{}", "snippets/environments/core.txt": "torch==4\n",
    "snippets/evidence/cpu-one.json.sig": "nobody's",
}


def test_what_is_said_of_recorded_runs_is_the_same_from_the_cache_whatever_file_changed(tmp_path):
    lay(tmp_path, RUN_TREE)
    lay(tmp_path, {f"snippets/evidence/cpu-{kind}.json": recorded(tmp_path, kind) for kind in ("one", "twofold")})
    layout = layout_of_options(tmp_path, "docs/{lang}/{page}.md")._replace(snippets=(tmp_path / "snippets",))
    seen = set()

    def hold():
        made = tree_check.tree_of(layout, ())
        uncached = findings(made)
        assert findings(made, tmp_path) == uncached
        seen.add(uncached)

    hold()
    for path in sorted([*RUN_TREE, "snippets/evidence/cpu-one.json", "snippets/evidence/cpu-twofold.json"]):
        before = (tmp_path / path).read_bytes()
        for other in (None, before + b"\n", before.replace(b"1", b"2")):
            if other is not None:
                (tmp_path / path).write_bytes(other)
            elif path != "docs/en/a.md":
                (tmp_path / path).unlink()
            hold()
        (tmp_path / path).write_bytes(before)
    for path, text in RUN_CHANGES.items():
        lay(tmp_path, {path: text})
        hold()
        (tmp_path / path).unlink()
    assert len(seen) > 12  # the changes do change what is found


def test_findings_of_recorded_runs_are_read_once(tmp_path, monkeypatch):
    lay(tmp_path, RUN_TREE)
    lay(tmp_path, {"snippets/evidence/cpu-one.json": recorded(tmp_path, "one")})
    layout = layout_of_options(tmp_path, "docs/{lang}/{page}.md")._replace(snippets=(tmp_path / "snippets",))
    first = findings(tree_check.tree_of(layout, ()), tmp_path)
    monkeypatch.setattr(recorded_runs, "run_findings", None)
    monkeypatch.setattr(RecordedFigures, "evidence", None)
    assert findings(tree_check.tree_of(layout, ()), tmp_path) == first
