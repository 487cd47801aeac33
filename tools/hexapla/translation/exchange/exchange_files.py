"""Export a tree's messages to files for translators' tools, and import such files into pages and records."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from itertools import chain
from pathlib import Path
from typing import NamedTuple

from hexapla.errors import ConfigError
from hexapla.files import join_inside, read_file, replace_if_unchanged, write_file
from hexapla.git import blob_name
from hexapla.languages import bcp47
from hexapla.report_text import plural
from hexapla.text_language import language_of_texts
from hexapla.translation.exchange import po, xliff
from hexapla.translation.exchange.catalog_import import (
    CHANGED,
    Plan,
    Refusal,
    find_objection,
    plan_import,
    refused_message,
)
from hexapla.translation.exchange.catalog_merge import has_own_translation, mark_of, merge_catalogs
from hexapla.translation.history.changes import source_history
from hexapla.translation.memory.catalog import Catalog, Message, page_messages
from hexapla.translation.memory.near_matches import suggest_all
from hexapla.translation.memory.store import TranslationMemory
from hexapla.translation.sections.section_problems import Judge
from hexapla.translation.sections.segments import MessageKey
from hexapla.translation.site_text import SiteText, SiteTextFiles, TextKind
from hexapla.translation.status.section_states import PageStatus, TranslationState, find_statuses
from hexapla.translation.tracking import by_priority, chosen_pages, require_readable
from hexapla.translation.translation_tree import TranslationTree, require_unrecorded, write_page, write_records

FORMATS = {"po": po, "xliff": xliff}
SHOWN = 20  # refusals that are listed one by one
REFUSED = ".refused"  # ends the name of a file with what was not taken over; a folder is imported without such files
PARSERS = {po.SUFFIX: po.parse, xliff.SUFFIX: xliff.parse, ".xliff": xliff.parse}


def page_catalog(tree: TranslationTree, page: PageStatus, memory: TranslationMemory) -> Catalog:
    """The messages of one page in one language, with what the memory has for them."""
    name = blob_name(tree.data(page.source_path))
    found = suggest_all(memory, page, page_messages(tree, page, memory.history))
    return Catalog(page.page, page.language, tree.layout.source, page.source_path, name, found)


def with_marks(catalog: Catalog) -> Catalog:
    return catalog._replace(messages=tuple(each._replace(exported=mark_of(each.target)) for each in catalog.messages))


class ImportResult(NamedTuple):
    """What an import did, or would do: its pages, and files that could not be read at all."""

    plans: tuple[Plan, ...]
    unread: tuple[Refusal, ...]

    @property
    def refusals(self) -> list[Refusal]:
        """All that was not taken over: whole files, and messages of those that were read."""
        return [*self.unread, *(refusal for made in self.plans for refusal in made.refusals)]


def export_all(
    tree: TranslationTree, given: Sequence[str], language: str | None, format: str, output: Path,
    texts: SiteTextFiles | None = None,
) -> str:
    """Write the files and say what was written; what was done in one that is there stays in it. Raises ConfigError.

    The `texts` beside the pages are written where no page is named.
    """
    names, languages = chosen_pages(tree, given, language)
    pages = by_priority(tree, find_statuses(tree, languages, names))
    require_readable(tree, pages)
    history = source_history(tree)
    memories = {code: TranslationMemory(tree, code, history) for code in languages}
    counts: defaultdict[str, Counter[str]] = defaultdict(Counter)
    wanted = (page for page in pages if page.state is not TranslationState.EXTRA)
    beside = text_catalogs(texts, tree.layout.source, languages) if texts and not given else ()
    for made in chain((page_catalog(tree, page, memories[page.language]) for page in wanted), beside):
        if made.messages:
            file = join_inside(output, f"{made.language}/{made.page}{FORMATS[format].SUFFIX}")
            there = read_file(output, file) if file.is_file() else None
            made = with_marks(made)
            made = made if there is None else merge_catalogs(made, PARSERS[file.suffix](there, str(file)))
            replace_if_unchanged(file, there, FORMATS[format].dump(made))  # a translator may be at work
            finished = sum(bool(each.target) and not each.fuzzy for each in made.messages)
            counts[made.language].update(pages=1, messages=len(made.messages), finished=finished)
    return "".join(f"{code}: {count['pages']} pages, {count['finished']} of {count['messages']} messages translated\n"
                   for code, count in counts.items())


def import_files(
    tree: TranslationTree, folder: Path, judge: Judge, put: bool, texts: SiteTextFiles | None = None
) -> ImportResult:
    """Read every file of a folder; with `put`, write the pages and records. Raises ConfigError for no file at all."""
    among = [folder] if folder.is_file() else folder.rglob("*")
    files = sorted(path for path in among if path.suffix in PARSERS and path.is_file()
                   and (path == folder or not path.stem.endswith(REFUSED)))
    if not files:
        raise ConfigError(f"{folder}: holds no .po, .xlf or .xliff file; name the folder that `hexapla export` wrote")
    plans: list[Plan] = []
    refusals: list[Refusal] = []
    for file in files:
        try:
            catalog, language = read_catalog(tree, file, folder)
            made = plan_of(tree, catalog, language, str(file), judge, texts)
            if put:
                require_unrecorded(tree, language, made.records)
            if put and made.text is not None:
                write_page(tree, made.path, made.text)
            if put and texts:
                for text, translation in made.puts:
                    texts.put(text, language, translation)
        except ConfigError as error:
            refusals.append(Refusal(str(file), 1, str(error).removeprefix(f"{file}: ")))
            continue
        plans.append(made)
        if put and made.refused:
            left = catalog._replace(messages=made.refused, obsolete=())
            beside = file.with_name(f"{file.stem.removesuffix(REFUSED)}{REFUSED}{file.suffix}")
            write_file(beside, FORMATS["po" if file.suffix == po.SUFFIX else "xliff"].dump(left))
    for language in tree.languages if put else ():
        if new := {key: record for made in plans if made.language == language for key, record in made.records.items()}:
            write_records(tree, language, new)
    return ImportResult(tuple(plans), tuple(refusals))


def plan_of(
    tree: TranslationTree, catalog: Catalog, language: str, file: str, judge: Judge, texts: SiteTextFiles | None
) -> Plan:
    """What to write of a catalog, be it of a page or of texts beside the pages. Raises ConfigError."""
    if catalog.page not in tree.source:
        if catalog.page in list(TextKind) and texts:
            return text_plan(texts, catalog, language, file)
        raise ConfigError(f"{file}: is for the page {catalog.page!r}, which the source does not have any more")
    page = next(find_statuses(tree, (language,), (catalog.page,)))
    require_readable(tree, [page])
    return plan_import(tree, page, catalog, file, judge)


def read_catalog(tree: TranslationTree, file: Path, folder: Path) -> tuple[Catalog, str]:
    """A file's catalog and the language it is for. Raises ConfigError."""
    catalog = PARSERS[file.suffix](read_file(folder if folder.is_dir() else file.parent, file), str(file))
    given = catalog.language, file.relative_to(folder).parts[0] if folder.is_dir() else ""
    language = next((code for name in given for code in tree.languages if bcp47(code) == bcp47(name)), None)
    if language is None:
        known = ", ".join(tree.languages)
        raise ConfigError(f"{file}: is for the language {catalog.language!r}; this project has {known}")
    texts = (message.target for message in catalog.messages if message.target)
    if found := language_of_texts(texts, language, tree.layout.source):
        raise ConfigError(f"{file}: its texts are in the language {found.rstrip('?')!r}, not {language!r} as it says: "
                          "give it the language that it is in")
    return catalog, language


def import_lines(found: ImportResult, put: bool) -> Iterator[str]:
    """What an import did, line by line."""
    refusals, doubts = found.refusals, [doubt for made in found.plans for doubt in made.doubts]
    yield from map(str, [*refusals[:SHOWN], *doubts])
    if len(refusals) > SHOWN:
        yield f"and {len(refusals) - SHOWN} more that were not taken over"
    if put and any(made.refused for made in found.plans):
        yield f"what was not taken over is in files named {REFUSED}.po or .xlf beside, with the reasons"
    changed = [made for made in found.plans if made.text is not None or made.puts]
    recorded = sum(len(made.records) for made in found.plans)
    for made in changed:
        texts = f"{plural(len(made.puts), 'text')} " if made.puts else ""
        yield f"{made.path}: {texts}{'written' if put else 'would change'}"
    yield (
        f"{len(found.plans)} files read, {len(changed)} pages {'written' if put else 'to write'}, "
        f"{recorded - len(doubts)} sections {'recorded as' if put else 'to record as'} current, "
        f"{len(doubts)} as needing review, {len(refusals)} messages refused"
    )
    if not put and (changed or recorded):
        yield "nothing was written; put it into the pages with --write"


def text_catalogs(files: SiteTextFiles, source: str, languages: Sequence[str]) -> Iterator[Catalog]:
    """The texts of each kind in each language. Raises ConfigError."""
    texts = files.read()
    for language in (code for code in languages if code in files.languages):
        for kind in TextKind:
            found = tuple(message_of(text, language) for text in by_key(texts, kind).values())
            yield Catalog(str(kind), language, source, str(kind), "", found)


def by_key(texts: Sequence[SiteText], kind: str) -> dict[MessageKey, SiteText]:
    """The texts of a kind by the key of their message: a sentence of the site has its name as its section."""
    return {
        (text.name if text.kind is TextKind.SENTENCES else "", text.text, 1): text
        for text in texts if text.kind == kind
    }


def message_of(text: SiteText, language: str) -> Message:
    """The message of a text; what it was before is offered as fuzzy."""
    section = text.name if text.kind is TextKind.SENTENCES else ""
    earlier = "" if language in text.translations else text.earlier.get(language, "")
    target = text.translations.get(language, earlier)
    place = f"{text.path}:{text.line}" if text.line else text.path
    return Message(section, text.text, 1, target, 0, bool(earlier), text.previous if earlier else "", place)


def text_plan(files: SiteTextFiles, catalog: Catalog, language: str, file: str) -> Plan:
    """What to write of one catalog. `file` is what it is called in refusals."""
    known = by_key(files.read(), catalog.page)
    refusals, refused, puts = [], [], []
    for each in catalog.messages:
        text = known.get(each.key)
        here = text.translations.get(language, "") if text else ""
        if not each.problem and (not each.target or each.target == here or not has_own_translation(each)):
            continue
        changed = here and each.exported and mark_of(here) != each.exported
        reason = find_objection(each, known) or (CHANGED if changed else "")
        reason = reason or (files.problem(text, language, each.target) if text else "")
        if text and not reason:
            puts.append((text, each.target))
        else:
            refusals.append(Refusal(file, each.line, reason))
            refused.append(refused_message(each, reason))
    return Plan(language, catalog.page, catalog.page, None, {}, tuple(refusals), (), tuple(refused), tuple(puts))
