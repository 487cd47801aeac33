"""Findings of somebody else's tree that say one thing about it: one in place of each group.

What many pages name and hardly any reaches is made by something that is not read here: a plugin, another part of the
site, a program. Where most links of a form lead somewhere, the few that do not have a finding each.
"""

import re
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator
from typing import NamedTuple

from hexapla.checks.engine.checker import Checker
from hexapla.checks.engine.time_limit import TimeLimit, TimeLimitError
from hexapla.checks.finding import Finding
from hexapla.checks.site_index import Target
from hexapla.pages.slugs import loose_id

TARGETS = ("link-target-missing", "include-missing")
LINKS = (*TARGETS, "link-anchor-missing")
# Of the judged findings of benchmarks/trees, the true ones of one form have 6 uses at most, those that are not 16 at
# least; ids that have a heading's letters are 10% of a tree's where that is an error, else 61%.
USED, DIFFERENT = 10, 3  # uses that are alike, different targets among them
DEAD, LOOSE = 0.9, 1 / 3
OTHERS = 10              # pages of a language, and a third of them, that are in another one
# Where a target starts from, its first folder, and the folder that it is.
FORM = re.compile(r"(/|(?:\.{1,2}/)+|)([^/]+/(?=[^/]))?([^/]+/$)?")

Form = tuple[str, str, str]  # "image", "link" or "include"; the language, "" for all; how the target begins
Pair = tuple[str, str]       # a page's name, a target or an id


class FindingGroup(NamedTuple):
    """Findings that say one thing about the tree: rule and severity of the one in their place, its words, a hint."""

    rule: str
    severity: str
    message: str
    hint: str
    findings: list[Finding]


class Suspect(NamedTuple):
    """A finding about a link: the forms of its target, the page that has it, and where the link leads."""

    finding: Finding
    forms: tuple[Form, ...]
    pair: Pair
    leads: Target | None


def fold_groups(checker: Checker, findings: Collection[Finding]) -> Collection[Finding]:
    """The findings of a whole tree, one in place of each group; as they are where finding groups takes too long."""
    try:
        with TimeLimit():
            groups = [*language_groups(checker, findings), *link_groups(checker, findings)]
    except TimeLimitError:
        return findings
    folded, notes = set[Finding](), list[Finding]()
    for rule, severity, message, hint, group in groups:
        if own := [each for each in group if each not in folded]:
            folded.update(own)
            notes.append(own[0]._replace(rule=rule, severity=severity, message=f"{len(own)} {message}", hint=hint,
                                         fix=None))
    return sorted([*(each for each in findings if each not in folded), *notes], key=lambda each: each[:5])


def language_groups(checker: Checker, findings: Iterable[Finding]) -> Iterator[FindingGroup]:
    """The pages of each language of which many are in another: they are not translated, or its code means another here.
    """
    found = defaultdict[tuple[str, str], list[Finding]](list)
    for each in findings:
        if each.rule == "language-wrong":
            found[each.language, each.subject.rstrip("?")].append(each)
    pages = Counter(language for language, _ in checker.own_pages.values())
    for (language, other), group in found.items():
        if len(group) >= OTHERS and 3 * len(group) >= pages[language]:
            message = f"of {pages[language]} pages of {language!r} are in the language {other!r}"
            hint = "translate them, or name the languages of the tree with `--languages`"
            yield FindingGroup("language-wrong", group[0].severity, message, hint, group)


def link_groups(checker: Checker, findings: Iterable[Finding]) -> Iterator[FindingGroup]:
    """The links, images and includes that are alike and lead nowhere; what leads somewhere is counted in all pages."""
    suspects = [*find_suspects(checker, findings)]
    loose = loose_ids(checker, suspects)
    alive, named = count_resolved(checker, suspects, loose)
    hint = "if one of them does not work on the site, `--ignore link-unresolved-group` lists them all"
    for form, resolved in alive.items():
        own = [each for each in suspects if form in each.forms and each.finding.rule in TARGETS]
        dead = {each.pair for each in own}
        if len({target for _, target in dead}) >= DIFFERENT and len(dead) >= DEAD * (len(dead) + len(resolved)):
            message = (f"{form[0]}s like {own[0].pair[1]!r} lead nowhere in this tree, and hardly any of that form "
                       "leads anywhere: something else makes what they name")
            yield FindingGroup("link-unresolved-group", "note", message, hint, [each.finding for each in own])
    if len(loose) >= USED and len(loose) >= LOOSE * (len(loose) + len(named)):
        message = ("links name an id that is a heading's but for its case, marks or end: the site makes ids by a rule "
                   "which is not known here")
        alike = [finding for group in loose.values() for finding in group]
        yield FindingGroup("link-unresolved-group", "note", message, hint, alike)


def find_suspects(checker: Checker, findings: Iterable[Finding]) -> Iterator[Suspect]:
    """What the findings are about; one about something else than a link of its page is none."""
    by_page = defaultdict[str, list[Finding]](list)
    for each in findings:
        if each.rule in LINKS:
            by_page[each.path].append(each)
    for path, own in by_page.items():
        uses = {place: (forms, pair, leads) for forms, pair, leads, place in page_uses(checker, path)}
        for each in own:
            if found := uses.get((each.line, each.column)):
                yield Suspect(each, *found)


def page_uses(
    checker: Checker, path: str, wanted: frozenset[Form] | None = None
) -> Iterator[tuple[tuple[Form, ...], Pair, Target | None, tuple[int, int]]]:
    """The links and includes of a page (of some forms): forms, pair, where each leads, and its line and column."""
    language, name = checker.index.owners[path]
    page = checker.store.page(path)
    for link in page.links:
        forms = forms_of(checker, link.target, "image" if link.image else "link", language)
        if wanted is None or not wanted.isdisjoint(forms):
            leads = checker.index.resolve(path, language, link.target, link.image)
            yield forms, (name, link.target.partition("#")[0]), leads, (link.line, link.column)
    for shown in page.inclusions:
        forms = forms_of(checker, shown.path, "include", language)
        if wanted is None or not wanted.isdisjoint(forms):
            exists = checker.index.has_included(shown.path, path)
            leads = Target(shown.path, "", shown.path * exists, exists)
            yield forms, (name, shown.path), leads, (shown.line, shown.column)


def forms_of(checker: Checker, target: str, kind: str, language: str) -> tuple[Form, ...]:
    """What targets have in common that are alike: how they begin, without the code of a language.

    Pages of one name in several languages share their links. Images may be served to one of them alone.
    """
    file = target.partition("#")[0].partition("?")[0]
    root, folder, whole = FORM.findall(file)[0]
    if root == "/" and folder.rstrip("/") in checker.index.pages:
        _, folder, whole = FORM.findall(file.removeprefix(root + folder))[0]
    start = ("../" if root.startswith(".") else root) + folder
    return (*((kind, "", each) for each in dict.fromkeys((start, start + whole))),
            *([(kind, language, start)] if kind == "image" else ()))


def count_resolved(
    checker: Checker, suspects: Collection[Suspect], loose: Collection[Pair]
) -> tuple[dict[Form, set[Pair]], set[Pair]]:
    """Of the forms that may be no form of links that is known: the uses that lead somewhere; the ids that are there.

    Nothing is counted, and no page read, where no group is large enough.
    """
    dead, alive = defaultdict[Form, set[Pair]](set), defaultdict[Form, set[Pair]](set)
    for each in suspects:
        for form in each.forms if each.finding.rule in TARGETS else ():
            dead[form].add(each.pair)
    forms = [form for form, pairs in sorted(dead.items()) if len(pairs) >= USED]  # those of all languages first
    counts_ids = len(loose) >= USED
    named = set[Pair]()
    for path in checker.own_pages if forms or counts_ids else ():
        try:
            found = [*page_uses(checker, path, None if counts_ids else frozenset(forms))]
        except (OSError, UnicodeDecodeError):
            continue  # its own finding says so
        for own, pair, leads, _ in found:
            if leads and leads.exists:
                for form in own:
                    alive[form].add(pair)
                ids = checker.index.ids(leads.path) if leads.anchor else None
                if ids and leads.anchor in ids:
                    named.add((leads.name, leads.anchor))
    return {form: alive[form] for form in forms}, named


def loose_ids(checker: Checker, suspects: Iterable[Suspect]) -> dict[Pair, list[Finding]]:
    """The findings about each id that links name and that has the letters and digits which a heading's begins with."""
    letters, found = dict[str, list[str]](), defaultdict[Pair, list[Finding]](list)
    for finding, _, _, leads in suspects:
        if finding.rule == "link-anchor-missing" and leads and (ids := checker.index.ids(leads.path)):
            if leads.path not in letters:
                letters[leads.path] = sorted(map(loose_id, ids.headings))
            own = loose_id(leads.anchor)
            first = bisect_left(letters[leads.path], own)  # what begins with it follows it
            if own and any(each.startswith(own) for each in letters[leads.path][first:first + 1]):
                found[leads.name, leads.anchor].append(finding)
    return found
