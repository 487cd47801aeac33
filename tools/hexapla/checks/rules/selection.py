"""Which rules count where, and how severe they are: the command line before the configuration of a tree.

The cache holds what rules found whatever is selected; a selection is applied to findings.
"""

from collections.abc import Iterable, Mapping, Sequence
from fnmatch import fnmatchcase
from typing import Any, NamedTuple

from hexapla.checks.finding import Finding
from hexapla.checks.nearest import nearest_name
from hexapla.checks.rules.registry import BY_ID, Rule
from hexapla.errors import ConfigError

SEVERITIES = ("error", "warning", "note")
KEYS = ("select", "ignore", "severity")
TREE_KEYS = (*KEYS, "extend-select", "per-page")


class Selection(NamedTuple):
    """Rules to select (None: all but the optional ones), optional rules to add, rules to ignore, and severities."""

    select: frozenset[str] | None = None
    ignore: frozenset[str] = frozenset()
    severity: Mapping[str, str] = {}
    extend: frozenset[str] = frozenset()

    def allows(self, rule: str) -> bool:
        """Whether findings of a rule are wanted; that a selected rule failed is one of them."""
        wanted = self.select is None or rule in self.select | self.extend or rule == "rule-failed"
        return wanted and rule not in self.ignore

    def names(self, rule: str) -> bool:
        return rule in self.extend or (self.select is not None and rule in self.select)


class OtherRules(NamedTuple):
    """The rules of other packages that are enabled, and `rule-failed` of each that could not be loaded."""

    rules: tuple[Rule, ...] = ()
    unloaded: tuple[Finding, ...] = ()

    @property
    def known(self) -> Mapping[str, Rule]:
        """These rules and Hexapla's own by their ids."""
        return BY_ID | {rule.id: rule for rule in self.rules}


class RuleSet(NamedTuple):
    """The selections that apply to a run.

    `tree` is for all pages, `pages` for those whose path matches a glob, in order. `command` is the command line's: it
    overrides both.
    """

    tree: Selection = Selection()
    pages: tuple[tuple[str, Selection], ...] = ()
    command: Selection = Selection()
    others: OtherRules = OtherRules()

    def severity(self, rule: str, path: str) -> str | None:
        """How severe a finding of a rule is in a file, None if it is not wanted there."""
        layers = [self.tree, *(chosen for glob, chosen in self.pages if fnmatchcase(path, glob))]
        if not self.command.allows(rule) or not self.enables(self.others.known[rule]):
            return None
        if self.command.select is None and not all(layer.allows(rule) for layer in layers):
            return None
        levels = [layer.severity[rule] for layer in (self.command, *reversed(layers)) if rule in layer.severity]
        return levels[0] if levels else self.others.known[rule].severity

    def enables(self, rule: Rule) -> bool:
        """Whether a rule is not off: an optional one is until it is named."""
        every = (self.command, self.tree, *(chosen for _, chosen in self.pages))
        return not rule.optional or any(each.names(rule.id) for each in every)

    def run(self, rules: Sequence[Rule]) -> tuple[Rule, ...]:
        """The rules to run: those whose function serves a rule that is wanted on some page."""
        wanted = {
            rule.function for rule in rules
            if self.command.allows(rule.id) and (self.command.select is not None or self.tree.allows(rule.id))
            and self.enables(rule)
        }
        return tuple(rule for rule in rules if rule.function in wanted)


EVERYTHING = RuleSet()


def configured(findings: Iterable[Finding], rules: RuleSet) -> list[Finding]:
    """The findings that are wanted, as severe as they are configured to be."""
    if rules == EVERYTHING:
        return list(findings)
    levels = ((finding, rules.severity(finding.rule, finding.path)) for finding in findings)
    return [finding._replace(severity=level) for finding, level in levels if level is not None]


def of_settings(
    settings: object, place: str, command: Selection = EVERYTHING.command, others: OtherRules = EVERYTHING.others
) -> RuleSet:
    """The selections that a configuration describes; `place` is its file and key. Raises ConfigError."""
    given = require_mapping(settings, place)
    pages = require_mapping(given.get("per-page"), f"{place}.per-page")
    tree = {key: value for key, value in given.items() if key != "per-page"}
    return RuleSet(
        read_selection(tree, place, TREE_KEYS, others.known),
        tuple((glob, read_selection(require_mapping(chosen, f"{place}.per-page"), f"{place}.per-page {glob!r}", KEYS,
                          others.known))
              for glob, chosen in pages.items()),
        command, others,
    )


def of_options(
    select: Sequence[str], ignore: Sequence[str], severity: Sequence[str], known: Mapping[str, Rule] = BY_ID
) -> Selection:
    """The selection of `--select a,b`, `--ignore a,b` and `--severity rule=level`. Raises ConfigError."""
    levels = {}
    for given in severity:
        rule, sign, level = given.partition("=")
        if not sign:
            raise ConfigError(f"--severity {given!r} sets nothing; write it as --severity RULE=LEVEL")
        levels[rule.strip()] = level.strip()
    named = {
        key: [name.strip() for names in given for name in names.split(",") if name.strip()]
        for key, given in (("--select", select), ("--ignore", ignore))
    }
    return Selection(
        known_rules(named["--select"], "--select", known) if select else None,
        known_rules(named["--ignore"], "--ignore", known),
        known_levels(levels, "--severity", known),
    )


def read_selection(
    given: Mapping[str, Any], place: str, keys: Sequence[str], known: Mapping[str, Rule] = BY_ID
) -> Selection:
    """One mapping of `select`, `ignore` and `severity`. Raises ConfigError."""
    for key in given:
        if key not in keys:
            raise ConfigError(f"{place} has the key {key!r}, which is none; {suggest_name(key, keys)}")
    return Selection(
        known_rules(given["select"], f"{place}.select", known) if given.get("select") is not None else None,
        known_rules(given.get("ignore") or (), f"{place}.ignore", known),
        known_levels(require_mapping(given.get("severity"), f"{place}.severity"), f"{place}.severity", known),
        known_rules(given.get("extend-select") or (), f"{place}.extend-select", known),
    )


def require_mapping(given: object, place: str) -> dict[str, Any]:
    """A mapping with texts for keys, empty for None. Raises ConfigError."""
    if given is None:
        return {}
    if not isinstance(given, dict) or not all(isinstance(key, str) for key in given):
        raise ConfigError(f"{place} is not a mapping of names to values; write it as the page on rules shows")
    return given


def known_rules(names: object, place: str, known: Mapping[str, Rule] = BY_ID) -> frozenset[str]:
    """A list of rules. Raises ConfigError for anything else and for a rule that does not exist."""
    if not isinstance(names, list | tuple) or not all(isinstance(name, str) for name in names):
        raise ConfigError(f"{place} is not a list of rules; write it as [link-missing, link-extra]")
    for name in names:
        known_rule(name, place, known)
    return frozenset(names)


def known_levels(levels: Mapping[str, object], place: str, known: Mapping[str, Rule] = BY_ID) -> dict[str, str]:
    """Severities by rule. Raises ConfigError for a rule or a severity that does not exist."""
    for rule, level in levels.items():
        known_rule(rule, place, known)
        if level not in SEVERITIES:
            raise ConfigError(f"{place} gives {rule} the level {level!r}, which is none; use error, warning or note")
    return {rule: str(level) for rule, level in levels.items()}


def known_rule(name: str, place: str, known: Mapping[str, Rule] = BY_ID) -> Rule:
    """The rule of that id. Raises ConfigError with the nearest id."""
    if name not in known:
        raise ConfigError(f"{place} names {name!r}, which is no rule; {suggest_name(name, known)}")
    return known[name]


def suggest_name(name: str, known: Iterable[str]) -> str:
    """The known name that was probably meant, as a question; all of them if none is near."""
    names = list(known)
    near = nearest_name(name, names)
    return f"did you mean {near}?" if near else f"there are {', '.join(names)}"
