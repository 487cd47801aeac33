"""Findings of somebody else's tree that say one thing about it: one note in place of each group, and no errors.

What many pages name and hardly any reaches is made by something that is not read here: a plugin, another part of the
site, a program. Where most links of a form lead somewhere, the few that do not are errors. So are a page of another
language, and code that a page has beside its source's, unless a third of a language's pages or all code of a page is.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator
from itertools import chain
from posixpath import basename, dirname
from typing import NamedTuple

from hexapla.checks.engine.checker import Checker
from hexapla.checks.finding import Finding
from hexapla.checks.site_index import Target, folders_around
from hexapla.pages.slugs import loose_id

TARGETS = ("link-target-missing", "include-missing")
ANCHORS = ("link-anchor-missing",)
# Of the judged findings of benchmarks/trees, the true ones of one form have 6 uses at most, those that are not 16 at
# least; ids that have a heading's letters are 10% of a tree's where that is an error, else 61%.
USED, DIFFERENT = 10, 3  # uses that are alike, different targets among them
DEAD, LOOSE = 0.9, 1 / 3
OTHERS = 10              # pages of a language, and a third of them, that are in another one
ADDED = 5                # blocks of code on a page whose source has none
FORM = re.compile(r"(?P<root>/|(?:\.{1,2}/)+|)(?P<folder>[^/]+/(?=[^/]))?")
LINK_OR_CODE = re.compile(r"\[[^\[\]\n]*\]\([^()\n]*\)|`[^`\n]*`")

Form = tuple[str, str, str]  # "image", "link" or "include"; the language, "" for all; how the target begins
Pair = tuple[str, str]       # a page's name, a target or an id


class FindingGroup(NamedTuple):
    """Findings that say one thing about the tree: the rule of their note, what it says behind their number, a hint."""

    rule: str
    message: str
    hint: str
    findings: list[Finding]


class Suspect(NamedTuple):
    """A finding about a link: the forms of its target, the page that has it, and where the link leads."""

    finding: Finding
    forms: tuple[Form, ...]
    pair: Pair
    leads: Target | None


def fold_groups(checker: Checker, findings: Iterable[Finding], paths: Collection[str]) -> list[Finding]:
    """The findings in the pages at `paths`, a note in place of those that are alike and not understood."""
    found = [*findings]
    groups = [*language_groups(checker, found, paths), *code_groups(checker, found)]
    if "link-unresolved-group" not in checker.selected.command.ignore:
        groups += link_groups(checker, found)
    folded, notes = set[Finding](), list[Finding]()
    for rule, message, hint, group in groups:
        if own := [each for each in group if each not in folded]:
            folded.update(own)
            message = f"{len(own)} {message}"
            notes.append(own[0]._replace(rule=rule, severity="note", message=message, hint=hint, fix=None))
    return sorted([*(each for each in found if each not in folded), *notes], key=lambda each: each[:5])


def language_groups(checker: Checker, findings: Iterable[Finding], paths: Collection[str]) -> Iterator[FindingGroup]:
    """The pages of each language of which many are in another: they are not translated, or its code means another here.
    """
    found = defaultdict[tuple[str, str], list[Finding]](list)
    for each in findings:
        if each.rule == "language-wrong":
            found[each.language, each.subject].append(each)
    pages = Counter(checker.index.owners[path][0] for path in paths)
    for (language, other), group in found.items():
        if len(group) >= OTHERS and 3 * len(group) >= pages[language]:
            message = f"of {pages[language]} pages of {language!r} are in the language {other!r}"
            hint = "translate them, or name the languages of the tree with `--languages`"
            yield FindingGroup("language-wrong", message, hint, group)


def code_groups(checker: Checker, findings: Iterable[Finding]) -> Iterator[FindingGroup]:
    """The code of each page whose source has none: one of the two is a summary, or leads elsewhere."""
    found = defaultdict[tuple[str, str], list[Finding]](list)
    for each in findings:
        if each.rule == "code-count" and each.source_path:
            found[each.path, each.source_path].append(each)
    for (_, source), group in found.items():
        if len(group) >= ADDED and not checker.store.page(source).fences:
            yield FindingGroup("code-count", "code blocks stand here, and the source has none",
                               "compare the two pages: one of them may be a summary", group)


def link_groups(checker: Checker, findings: Iterable[Finding]) -> Iterator[FindingGroup]:
    """The links, images and includes that are alike and lead nowhere; what leads somewhere is counted in all pages."""
    suspects = [*find_suspects(checker, [each for each in findings if each.rule in (*TARGETS, *ANCHORS)])]
    alive, named = count_resolved(checker, suspects)
    hint = "if one of them does not work on the site, `--ignore link-unresolved-group` lists them all"
    for message, group in chain(folder_groups(checker, suspects), form_groups(suspects, alive),
                                anchor_groups(checker, suspects, len(named))):
        yield FindingGroup("link-unresolved-group", message, hint, group)


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
    checker: Checker, suspects: Collection[Suspect]
) -> tuple[dict[Form, set[Pair]], set[Pair]]:
    """Of the forms that may be no form of links that is known: the uses that lead somewhere; the ids that are there.

    Nothing is counted, and no page read, where no group is large enough.
    """
    dead, alive = defaultdict[Form, set[Pair]](set), defaultdict[Form, set[Pair]](set)
    for each in suspects:
        for form in each.forms if each.finding.rule in TARGETS else ():
            dead[form].add(each.pair)
    forms = [form for form, pairs in sorted(dead.items()) if len(pairs) >= USED]  # those of all languages first
    loose = len(loose_ids(checker, suspects)) >= USED
    named = set[Pair]()
    for path in checker.own_pages if forms or loose else ():
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


def folder_groups(checker: Checker, suspects: Iterable[Suspect]) -> Iterator[tuple[str, list[Finding]]]:
    """The findings of each folder without a page that links enter, and whose pages have names that no page has.

    A page of such a name would be the one that was meant.
    """
    owners = checker.index.owners
    names = {bare_name(path) for path in owners} | {basename(dirname(path)) for path in owners}
    filled = {folder for path in owners for folder in folders_around(path)}
    entered = defaultdict[str, list[Suspect]](list)
    for each in suspects:
        if each.finding.rule == "link-target-missing" and each.forms[0][0] == "link" and each.leads:
            entered[dirname(each.leads.name)].append(each)
    for folder, group in entered.items():
        wanted = {bare_name(each.leads.name) for each in group if each.leads}
        if folder not in filled and len(wanted) >= DIFFERENT and wanted.isdisjoint(names):
            yield (f"links lead into {folder!r}, where this tree has no page: something else fills that folder",
                   [each.finding for each in group])


def bare_name(path: str) -> str:
    """The name of a page's file without its ending: `a` of `docs/a.md`."""
    return basename(path.rstrip("/")).partition(".")[0]


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
    loose = loose_ids(checker, [each for each, _ in anchors])
    if len(loose) >= USED and len(loose) >= LOOSE * (len(loose) + named):
        alike = [each.finding for each, leads in anchors if (leads.name, leads.anchor) in loose]
        yield ("links name an id that is a heading's but for its case, marks or some of its words: the site makes ids "
               "by a rule which is not known here"), alike


def loose_ids(checker: Checker, suspects: Iterable[Suspect]) -> set[Pair]:
    """The ids that links name and that have the letters of a heading's, or some of them in a row."""
    found = set[Pair]()
    for each in suspects:
        if each.finding.rule in ANCHORS and each.leads and (ids := checker.index.ids(each.leads.path)):
            wanted = loose_id(each.leads.anchor)
            if any(wanted in loose_id(heading) for heading in ids.headings):
                found.add((each.leads.name, each.leads.anchor))
    return found


def is_written(checker: Checker, leads: Target) -> bool:
    """Whether a page has the id that a link names between marks: on a heading, alone in its line, or as an attribute.

    Links and code are no such place.
    """
    page, anchor = checker.store.page(leads.path), re.escape(leads.anchor)
    marked = re.compile(
        rf"^\s*\#{{1,6}}[ \t].*(?:[\[{{(\#]|/\*)\s*{anchor}\s*(?:[\\\])}}]|\*/)"
        rf"|^\s*[\[{{(<]+[^\s\w]*{anchor}[^\s\w]+\s*$|[\[{{]\#{anchor}\s*[\\\]}}]|\b[\w-]+=[\"'{{]+{anchor}[\"'}}]")
    code = {line for fence in page.fences for line in range(fence.line, (fence.end_line or fence.line) + 1)}
    return any(leads.anchor in line and marked.search(LINK_OR_CODE.sub("", line))
               for number, line in enumerate(page.lines, 1) if number not in code)
