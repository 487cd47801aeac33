"""Rules of other packages, by their entry points `hexapla.rules`: of those packages alone that the caller enables.

A tree's own configuration enables none: whoever checks a tree that they do not trust would run what it names.
"""

import os
import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from importlib.util import find_spec
from typing import TYPE_CHECKING

from hexapla.cache import digest, program_stamps, stamp
from hexapla.checks.engine.rule_runs import rule_failed, traceback_of
from hexapla.checks.engine.time_limit import TimeLimit, TimeLimitError
from hexapla.checks.finding import Finding
from hexapla.checks.rules.registry import BY_ID, SCOPES, Rule
from hexapla.checks.rules.selection import SEVERITIES, OtherRules
from hexapla.errors import ConfigError, failure_place

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

GROUP = "hexapla.rules"
ENABLED = "HEXAPLA_RULES_FROM"  # in the environment, which is the user's: names of packages, with commas
ID = re.compile(r"[a-z]+(?:-[a-z]+)*")


def load_rules(names: Iterable[str] = ()) -> OtherRules:
    """The rules of the packages that the caller names and those that the user's environment names.

    Raises ConfigError for a package that is not installed or has no such rules.
    """
    given = (*names, *os.environ.get(ENABLED, "").split(","))
    wanted = tuple(dict.fromkeys(plain_name(name) for name in given if name.strip()))
    return load_packages(wanted) if wanted else OtherRules()


@cache
def load_packages(names: tuple[str, ...]) -> OtherRules:
    """The rules of packages; what is wrong with one of them is a finding, and the others are loaded."""
    from importlib.metadata import entry_points  # 70 ms, which only those who enable a package wait for

    rules: dict[str, Rule] = {}
    unloaded: list[Finding] = []
    points = [(plain_name(point.dist.name), point) for point in entry_points(group=GROUP) if point.dist]
    for name in names:
        found = [point for package, point in points if package == name]
        if not found:
            message = f"--rules-from or {ENABLED} names {name!r}, which is not installed or has no rules for Hexapla"
            raise ConfigError(f"{message}; install it with: pip install {name}")
        for row in (row for point in found for row in load_entry_point(name, point)):
            if isinstance(row, Finding):
                unloaded.append(row)
            elif reason := refusal_reason(row, rules):
                unloaded.append(failed_package(name, f"the package {name} {reason}"))
            else:
                rules[row.id] = row
    return OtherRules(tuple(rules.values()), tuple(unloaded))


def load_entry_point(package: str, point: "EntryPoint") -> Iterator[Rule | Finding]:
    """The rules of one entry point, or the finding that there are none."""
    try:
        with TimeLimit():
            found: Sequence[object] = list(point.load()())
            build = f"{point.dist.version if point.dist else ''} {code_digest(point.module)}"
    except TimeLimitError:
        yield failed_package(package, f"the rules of the package {package} take too long to load")
    except Exception as error:  # a defect of that package
        message = f"the rules of the package {package} cannot be loaded: {failure_place(error)}"
        yield failed_package(package, message, traceback_of(error))
    else:
        for row in found:
            yield row._replace(package=package, build=build) if isinstance(row, Rule) else failed_package(
                package, f"the package {package} has {row!r} among its rules, which is no Rule")


def refusal_reason(rule: Rule, others: Iterable[str]) -> str:
    """Why a row of another package is not taken over, "" where it is."""
    if not isinstance(rule.id, str) or not ID.fullmatch(rule.id):
        return f"has the rule {rule.id!r}, whose id is not words of a to z with hyphens"
    if rule.id in BY_ID or rule.id in others:
        return f"has the rule {rule.id!r}, an id that is taken"
    if rule.severity not in SEVERITIES or rule.scope not in SCOPES or rule.scope == "site":
        return f"has the rule {rule.id!r} with a severity or a scope that is none"
    if not isinstance(rule.function, str) or not all(rule.function.partition(":")):
        return f"has the rule {rule.id!r}, whose function is not written as 'package.module:function'"
    return ""


def failed_package(package: str, message: str, traceback: str = "") -> Finding:
    """`rule-failed` of a package whose rules are not all loaded."""
    return rule_failed(package, message, f"report it to the authors of {package}", traceback).as_error(".", "")


def code_digest(module: str) -> str:
    """A digest that changes when a file of the package of a module is written again."""
    spec = find_spec(module.partition(".")[0])
    if spec is None:
        return ""
    folders = spec.submodule_search_locations or ()
    files = [spec.origin] if spec.origin and not folders else []
    return digest(*sorted(each for folder in folders for each in program_stamps(folder)),
                  *(stamp(file, os.stat(file)) for file in files))  # noqa: PTH116


def plain_name(package: str) -> str:
    """A package's name as pip compares it.

    >>> plain_name("My_Rules")
    'my-rules'
    """
    return re.sub(r"[-_.]+", "-", package.strip()).lower()
