"""Many pages are checked by several processes: the same findings, and no page hides the others."""

import os
import signal
import time

import pytest
from hexapla.cache import Cache
from hexapla.checks.context import Violation
from hexapla.checks.engine import checker, rule_runs, time_limit, tree_check
from hexapla.checks.engine.checker import Checker
from hexapla.checks.rules.registry import PAGE_RULES, Rule
from hexapla.config.discovery import layout_of_options
from hexapla.processes import count_cores

COUNT = 40  # pages; more than one process checks alone


def lay(root, count=COUNT):
    for number in range(count):
        for language, word in (("en", "Page"), ("zh", "页")):
            file = root / f"docs/{language}/p{number}.md"
            file.parent.mkdir(parents=True, exist_ok=True)
            links = f"[x](p{number + 1}.md#p) [y](p0.md#gone{number % 3})"
            file.write_text(f"# {word} {number} {{#p}}\n\n{links}\n", encoding="utf-8")
    return tree_check.tree_of(layout_of_options(root, "docs/{lang}/{page}.md"), ())


def check(tree, root, jobs, **options):
    cache = Cache(root)
    try:
        return tree_check.check(Checker(tree, cache, **options), jobs=jobs)
    finally:
        cache.close()


def test_two_processes_find_what_one_does(tmp_path):
    tree = lay(tmp_path)
    assert check(tree, tmp_path / "two", 2) == check(tree, tmp_path / "one", 1)
    assert len(check(tree, tmp_path / "two", 2).findings) > COUNT


def test_progress_ends_with_all_pages(tmp_path):
    seen = []
    checked = Checker(lay(tmp_path), Cache(tmp_path))
    tree_check.check(checked, jobs=2, progress=lambda done, total: seen.append((done, total)))
    assert seen[-1] == (2 * COUNT, 2 * COUNT)
    assert seen == sorted(seen)


class Failing(Rule):
    """A rule that does something to a page called p7: a subclass, so that a worker process can make it too."""

    @property
    def check(self):
        return self.misbehave

    def misbehave(self, context):
        if context.document.name == "p7":
            if self.id == "fail":
                raise KeyError("x")
            os.kill(os.getpid(), signal.SIGKILL)
        yield Violation("other", "a thing", "a message", "a hint", 1)


SAYS = {
    "fail": ("rule-failed", "the rule fail fails on this page: KeyError in test_pool.py:"),
    "kill": ("page-unreadable", "the process that checked this page was ended"),
}


@pytest.mark.parametrize("what", SAYS)
def test_a_page_that_misbehaves_is_told_by_name_and_the_others_are_checked(tmp_path, what):
    rules = (Failing(what, "error", "page", "Fails.", f"tests.{what}"), *PAGE_RULES)
    found = check(lay(tmp_path), tmp_path, 2, rules=rules)
    rule, message = SAYS[what]
    told = {item.path for item in found.findings if item.rule == rule}
    assert told == {"docs/en/p7.md", "docs/zh/p7.md"}
    assert any(message in item.message for item in found.findings)
    assert {item.path for item in found.findings if item.rule == "other"} >= {"docs/en/p8.md", "docs/zh/p6.md"}


def test_a_rule_that_takes_too_long_is_stopped_and_told(tmp_path, monkeypatch):
    def slow(context):
        yield Violation("slow", "a thing", "before", "a hint", 1)
        started = time.process_time()
        while time.process_time() - started < 20:
            pass

    monkeypatch.setattr(rule_runs, "TimeLimit", lambda: time_limit.TimeLimit(0.1))
    rule = Rule("slow", "error", "refused", "page", "Slow.", "none.none")
    monkeypatch.setattr(Rule, "check", property(lambda self: slow))
    (found,) = rule_runs.run_on_page([rule], None)
    assert found.rule == "rule-failed"
    assert "the rule slow takes more than" in found.message


def test_a_page_that_took_too_long_is_tried_again(tmp_path, monkeypatch):
    tree = lay(tmp_path, 2)
    slow = Violation("rule-failed", "a rule", "slow", "hint", 1)
    monkeypatch.setattr(checker, "run_on_page", lambda rules, context: [slow])
    assert {item.rule for item in check(tree, tmp_path, 1).findings} >= {"rule-failed"}
    monkeypatch.undo()
    assert "rule-failed" not in {item.rule for item in check(tree, tmp_path, 1).findings}


def test_there_is_a_core():
    assert count_cores() >= 1
