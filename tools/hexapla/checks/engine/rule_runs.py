"""Run one rule: a rule that fails is named by `rule-failed`, and hides nothing of the other rules and pages."""

import traceback
from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar

from hexapla.checks.context import RuleContext, Violation
from hexapla.checks.engine.time_limit import SECONDS, TimeLimit, TimeLimitError
from hexapla.checks.finding import Finding
from hexapla.checks.rules.registry import Rule
from hexapla.checks.site_index import SiteIndex
from hexapla.errors import failure_place

FRAMES = 20  # of a traceback, the innermost
Found = TypeVar("Found", Violation, Finding)


def run_on_page(rules: Sequence[Rule], context: RuleContext) -> list[Violation]:
    """The violations that the function of some rules finds in a page."""
    found, failure = run_rules(rules, lambda: rules[0].check(context), Violation, "this page")
    return [failure] if failure else found


def run_on_tree(rules: Sequence[Rule], tree: SiteIndex) -> list[Finding]:
    """The findings of the function of some rules of scope tree."""
    found, failure = run_rules(rules, lambda: rules[0].check_tree(tree), Finding, "this tree")
    return [failure.as_error(".", "")] if failure else found


def rule_failed(subject: str, message: str, hint: str, traceback: str = "") -> Violation:
    """Why a rule has no answer, what to do, and the traceback, "" for a rule that was stopped."""
    return Violation("rule-failed", subject, message, hint, 1, traceback=traceback)


def run_rules(
    rules: Sequence[Rule], function: Callable[[], Iterable[Found]], kind: type[Found], place: str
) -> tuple[list[Found], Violation | None]:
    """What a function of rules yields, or why it has no answer: it raises, takes too long, or yields what is no answer.
    """
    rule = rules[0]
    name = f"the rule {rule.id} of the package {rule.package}" if rule.package else f"the rule {rule.id}"
    whose = f"report it to the authors of {rule.package}" if rule.package else f"report it with {place}"
    hint = f"{whose}; --ignore {rule.id} goes on"
    try:
        with TimeLimit():
            found = list(function())
            if rule.package:
                require_answers(found, kind, {each.id for each in rules})
            return found, None
    except TimeLimitError:
        message = f"{name} takes more than {SECONDS:.0f} seconds on {place} and was stopped"
        return [], rule_failed(rule.id, message, hint if rule.package else "cut the page into several")
    except RecursionError as error:
        message = f"{name} fails on {place}: what it holds is nested too deep"
        simpler = hint if rule.package else "simplify what is nested"
        return [], rule_failed(rule.id, message, simpler, traceback_of(error))
    except Exception as error:  # a defect of a rule; the pages and rules beside it are checked all the same
        message = f"{name} fails on {place}: {failure_place(error)}"
        return [], rule_failed(rule.id, message, hint, traceback_of(error))


def require_answers(found: Iterable[object], kind: type, ids: set[str]) -> None:
    """Raise TypeError where another package's rule yields what is no answer of its own: the cache would keep it."""
    for item in found:
        if not isinstance(item, kind) or not isinstance(item, Violation | Finding) or item.rule not in ids:
            raise TypeError(f"{item!r} is no {kind.__name__} of {', '.join(sorted(ids))}")
        texts, numbers = (item.message, item.hint, item.subject), (item.line, item.column)
        if not all(isinstance(text, str) for text in texts) or not all(isinstance(number, int) for number in numbers):
            raise TypeError(f"{item!r} has a field of another type than {kind.__name__} says")


def traceback_of(error: BaseException) -> str:
    """The traceback of an error, its innermost frames where there are many."""
    return "".join(traceback.format_exception(error, limit=-FRAMES))
