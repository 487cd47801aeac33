"""`hexapla check` on small trees: the situations of tests/cases/checks.

A case gives the files of a tree, or `source` and `translation` for a tree of one page in two languages. `findings`
lists, as `path:line:column rule`, everything that the rules of `rules` (patterns; default: all on links, anchors,
images, HTML, includes, pages and navigation) find, `glossary` the terms known.
`fixed` gives files as they are after --fix --write.
"""

from fnmatch import fnmatch

import pytest
import yaml
from hexapla import glossary
from hexapla.cache import Cache
from hexapla.checks.engine import fixes, tree_check
from hexapla.checks.engine.checker import Checker
from hexapla.checks.rules.registry import PAGE_RULES
from hexapla.config.discovery import layout_of_options

from tests.cases import cases, cases_to_move

RULES = ("link-*", "anchor-*", "image-*", "html-*", "include-*", "page-*", "nav-*", "encoding", "front-matter")
LOGICAL = ("docs/en/page.md", "docs/zh/page.md")


def lay(root, case):
    """Write the files of a case and say where its pages lie."""
    files = dict(case.get("files", {}))
    files |= {path: case[key] for path, key in zip(LOGICAL, ("source", "translation"), strict=True) if key in case}
    for path, text in files.items():
        file = root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(text if isinstance(text, bytes) else text.encode())
    made = layout_of_options(
        root, case.get("layout", "docs/{lang}/{page}.md"), case.get("source-layout", ""), "en",
        tuple(case.get("languages", ())), case.get("anchors", "python-markdown"),
    )
    return made, files


def run(place, case):
    """All findings of a tree; the terms are those of the case."""
    terms = glossary.parse(yaml.safe_dump(case.get("glossary") or [], allow_unicode=True))
    return tree_check.check(Checker(tree_check.tree_of(place, terms), Cache(None), rules=PAGE_RULES)).findings


def moved(case):
    """A case whose pages have two empty lines above, but for those with front matter."""
    def lower(text):
        return text if isinstance(text, bytes) or text.startswith(("---", "\ufeff")) else f"\n\n{text}"

    files = {path: lower(text) if path.endswith(".md") else text for path, text in case.get("files", {}).items()}
    return {**case, "files": files, **{key: lower(case[key]) for key in ("source", "translation") if key in case}}


def marks(findings):
    """What a baseline knows findings by."""
    return sorted((found.rule, found.path, found.fingerprint, found.subject) for found in findings)


TO_MOVE = [each.id for each in cases_to_move("checks", "findings")]


@pytest.mark.parametrize("case", cases("checks"))
def test_case(case, request, tmp_path):
    place, _ = lay(tmp_path / "before", case)
    every, wanted = run(place, case), case.get("rules", RULES)
    findings = [found for found in every if any(fnmatch(found.rule, pattern) for pattern in wanted)]
    assert [f"{found.path}:{found.line}:{found.column} {found.rule}" for found in findings] == case["findings"]
    if "origins" in case:
        assert [found.origin for found in findings] == case["origins"]
    for words in case.get("says", []):
        assert any(words in f"{found.message}; {found.hint}" for found in findings), findings
    if request.node.callspec.id in TO_MOVE:
        place, _ = lay(tmp_path / "after", moved(case))
        assert marks(run(place, case)) == marks(every), "a finding is known by another fingerprint when all lines move"


@pytest.mark.parametrize("case", [item for item in cases("checks") if "fixed" in item.values[0]])
def test_fix_mends_what_is_certain_and_a_second_run_nothing(case, tmp_path):
    place, files = lay(tmp_path, case)
    store = Checker(tree_check.tree_of(place, ()), Cache(None)).store
    fixes.write_fixes(tmp_path, fixes.propose_fixes(tmp_path, run(place, case), store.read, store.has_read))
    for path, text in (files | case["fixed"]).items():
        assert (tmp_path / path).read_bytes().decode() == text
    again = [found for found in run(place, case) if found.path in case["fixed"]]
    assert not any(each.made for each in fixes.propose_fixes(tmp_path, again, store.read, lambda *_: True))
