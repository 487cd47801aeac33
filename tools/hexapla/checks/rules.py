"""The table of rules: what each is called, how much it weighs, and the function that finds it."""

from dataclasses import dataclass

from hexapla.checks.context import Check


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule. `compares` ones need a source and are asked about translations alone; one function may serve several."""

    id: str
    severity: str
    check: Check
    compares: bool = False


LINK_RULES: tuple[Rule, ...] = ()

RULES: tuple[Rule, ...] = (*LINK_RULES,)
