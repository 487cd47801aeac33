"""Links that a check of somebody else's tree does not understand: those that are alike are one note, and no errors.

What many pages name and hardly any reaches is made by something that is not read here: a plugin, another part of the
site, a program. Where most links of a form lead somewhere, the few that do not are errors.
"""

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator
from typing import NamedTuple

from hexapla.checks.engine.checker import Checker
from hexapla.checks.finding import Finding
from hexapla.checks.site_index import Target
from hexapla.pages.slugs import loose_id

RULE = "link-unresolved-group"
TARGETS = ("link-target-missing", "include-missing")
ANCHORS = ("link-anchor-missing",)
# Of the judged findings of benchmarks/trees, the true ones of one form have 6 uses at most, those that are not 16 at
# least; ids that differ from a heading's in marks alone are 9% of a tree's where that is an error, else 61%.
USED, DIFFERENT = 10, 3  # uses of a form, different targets among them
DEAD, LOOSE = 0.9, 1 / 3
FORM = re.compile(r"(?P<root>/|(?:\.{1,2}/)+|)(?P<folder>[^/]+/(?=[^/]))?")
LINK_OR_CODE = re.compile(r"\[[^\[\]\n]*\]\([^()\n]*\)|`[^`\n]*`")

Form = tuple[str, str, str]  # "image", "link" or "include"; the language, "" for all; how the target begins
Pair = tuple[str, str]       # a page's name, a target


class Suspect(NamedTuple):
    """A finding about a link: the forms of its target, the page that has it, and where the link leads."""

    finding: Finding
    forms: tuple[Form, ...]
    pair: Pair
    leads: Target | None


def fold_unresolved(checker: Checker, findings: Iterable[Finding], paths: Iterable[str]) -> list[Finding]:
    """The findings in the pages at `paths`, a note in place of those that are alike and not understood."""
    found = [*findings]
    suspects = [*find_suspects(checker, [each for each in found if each.rule in (*TARGETS, *ANCHORS)])]
    alive, named = count_resolved(checker, paths, suspects)
    groups = [*form_groups(suspects, alive), *anchor_groups(checker, suspects, len(named))]
    folded, notes = set[Finding](), list[Finding]()
    for message, group in groups:
        if own := [each for each in group if each not in folded]:
            folded.update(own)
            notes.append(own[0]._replace(
                rule=RULE, severity="note", message=f"{len(own)} {message}", fix=None,
                hint="if one of them does not work on the site, `--ignore link-unresolved-group` lists them all",
            ))
    return sorted([*(each for each in found if each not in folded), *notes], key=lambda each: each[:5])


def find_suspects(checker: Checker, findings: Iterable[Finding]) -> Iterator[Suspect]:
    """What the findings are about; one about something else than a link of its page is none."""
    by_page = defaultdict[str, list[Finding]](list)
    for each in findings:
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
    parts = FORM.match(file)
    root, folder = (parts["root"], parts["folder"] or "") if parts else ("", "")
    if root == "/" and parts and folder.rstrip("/") in checker.index.pages:
        folder = (FORM.match(file[parts.end():]) or parts)["folder"] or ""
    start = ("../" if root.startswith(".") else root) + folder
    return ((kind, "", start), *([(kind, language, start)] if kind == "image" else ()))


def count_resolved(
    checker: Checker, paths: Iterable[str], suspects: Collection[Suspect]
) -> tuple[dict[Form, set[Pair]], set[Pair]]:
    """Of the forms that may be no form of links that is known: the uses that lead somewhere; the ids that are there.

    Nothing is counted, and no page read, where no group is large enough.
    """
    dead, alive = defaultdict[Form, set[Pair]](set), defaultdict[Form, set[Pair]](set)
    for each in suspects:
        for form in each.forms if each.finding.rule in TARGETS else ():
            dead[form].add(each.pair)
    forms = [form for form, pairs in sorted(dead.items()) if len(pairs) >= USED]  # those of all languages first
    loose = any(is_loose(checker, each) for each in suspects)
    named = set[Pair]()
    for path in paths if forms or loose else ():
        try:
            found = [*page_uses(checker, path, None if loose else frozenset(forms))]
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


def form_groups(
    suspects: Collection[Suspect], alive: dict[Form, set[Pair]]
) -> Iterator[tuple[str, list[Finding]]]:
    """The findings of each form whose uses hardly ever lead anywhere."""
    for form, resolved in alive.items():
        own = [each for each in suspects if form in each.forms and each.finding.rule in TARGETS]
        dead = {each.pair for each in own}
        if (len({target for _, target in dead}) >= DIFFERENT
                and len(dead) >= DEAD * (len(dead) + len(resolved))):
            example = own[0].pair[1]
            yield (f"{form[0]}s like {example!r} lead nowhere in this tree, and hardly any of that form leads "
                   "anywhere: something else makes what they name"), [each.finding for each in own]


def anchor_groups(
    checker: Checker, suspects: Iterable[Suspect], named: int
) -> Iterator[tuple[str, list[Finding]]]:
    """The findings about ids that a page has in a way which is not known.

    It writes the id itself; links name more ids of the source's page than it has headings; or ids are made by a rule
    of the tree's own.
    """
    anchors = [(each, each.leads) for each in suspects if each.finding.rule in ANCHORS and each.leads]
    written = [each.finding for each, leads in anchors if is_written(checker, leads)]
    yield "links name an id that their page writes in a form which is not known here", written
    pages, wanted = defaultdict[str, list[Finding]](list), defaultdict[str, set[str]](set)
    for each, leads in anchors:
        pages[leads.name].append(each.finding)
        if checker.index.owners[leads.path][0] == checker.layout.source:
            wanted[leads.name].add(leads.anchor)
    for name, missing in wanted.items():
        ids = checker.index.source_ids(name)
        if ids and len(missing) >= DIFFERENT and len(missing) > len(ids.headings):
            yield (f"links name ids of {name!r}, which has fewer headings than they name: something else makes what it "
                   "shows"), pages[name]
    loose = [(each.finding, leads) for each, leads in anchors if is_loose(checker, each)]
    different = {(leads.name, leads.anchor) for _, leads in loose}
    if len(different) >= DIFFERENT and len(different) >= LOOSE * (len(different) + named):
        yield ("links name an id that differs from a heading's in its case or marks alone: the site makes ids by a "
               "rule which is not known here"), [finding for finding, _ in loose]


def is_loose(checker: Checker, suspect: Suspect) -> bool:
    """Whether the id that a link names has the letters of a heading's."""
    if suspect.finding.rule not in ANCHORS or suspect.leads is None:
        return False
    ids = checker.index.ids(suspect.leads.path)
    return ids is not None and loose_id(suspect.leads.anchor) in map(loose_id, ids.headings)


def is_written(checker: Checker, leads: Target) -> bool:
    """Whether a page has the id that a link names between marks: on a heading, alone in its line, or as an attribute.

    Links and code are no such place.
    """
    page, anchor = checker.store.page(leads.path), re.escape(leads.anchor)
    marked = re.compile(
        rf"^\s*\#{{1,6}}[ \t].*[\[{{(\#*]\s*{anchor}\s*[\\\])}}*]|^\s*[\[{{(<]+[^\s\w]*{anchor}[^\s\w]+\s*$"
        rf"|[\[{{]\#{anchor}\s*[\\\]}}]|\b[\w-]+=[\"'{{]+{anchor}[\"'}}]", re.I)
    code = {line for fence in page.fences for line in range(fence.line, (fence.end_line or fence.line) + 1)}
    return any(leads.anchor.lower() in line.lower() and marked.search(LINK_OR_CODE.sub("", line))
               for number, line in enumerate(page.lines, 1) if number not in code)
