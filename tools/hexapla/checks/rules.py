"""The table of rules: what each is called, how much it weighs, and the function that finds it."""

from dataclasses import dataclass

from hexapla.checks import anchors, embedded, linkparity, links
from hexapla.checks.context import Check


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule. `compares` ones need a source and are asked about translations alone; one function may serve several."""

    id: str
    severity: str
    check: Check
    compares: bool = False


LINK_RULES = (
    Rule("link-target-missing", "error", links.broken),
    Rule("link-anchor-missing", "error", links.broken),
    Rule("anchor-fragile", "warning", links.broken),
    Rule("link-malformed", "error", links.malformed),
    Rule("link-differs", "error", linkparity.differing, compares=True),
    Rule("link-missing", "warning", linkparity.differing, compares=True),
    Rule("link-extra", "warning", linkparity.differing, compares=True),
    Rule("link-host-new", "warning", linkparity.new_hosts, compares=True),
    Rule("image-differs", "warning", linkparity.images, compares=True),
    Rule("anchor-unpinned", "warning", anchors.unpinned),
    Rule("anchor-differs", "error", anchors.differing, compares=True),
    Rule("anchor-duplicate", "error", anchors.duplicated),
    Rule("html-unsafe", "error", embedded.unsafe, compares=True),
    Rule("include-missing", "error", embedded.includes),
    Rule("include-section-missing", "error", embedded.includes),
    Rule("include-empty", "error", embedded.includes),
    Rule("front-matter", "error", embedded.includes),
    Rule("code-unclosed", "error", embedded.includes),
)

RULES: tuple[Rule, ...] = (*LINK_RULES,)
