"""The services of `hexapla status`, `diff` and `sync`: what is behind, what changed, and records of what was read."""

import os
import shlex
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from hexapla.cache import key_of
from hexapla.config.owners import find_owners, unread_limit
from hexapla.errors import ConfigError
from hexapla.git import COMMIT_DIGITS, Repository, blob_name
from hexapla.report_text import plural
from hexapla.translation.diff.diff_text import diff_text
from hexapla.translation.handwritten import passage_notes, read_passages
from hexapla.translation.history import named_sources
from hexapla.translation.history.changes import section_diffs, source_history, waits_since, with_word_counts
from hexapla.translation.history.infer_from_git import adopted_record, describe_unrecorded, ignored_words, judge_by_git
from hexapla.translation.memory.moved_sections import MovedSections
from hexapla.translation.records import records
from hexapla.translation.records.records import Key, Record, choose_record, orphaned_records, record_of
from hexapla.translation.sections.section_problems import Judge, Judgement, Note
from hexapla.translation.sections.sections import translation_digest
from hexapla.translation.status import status_text
from hexapla.translation.status.priority import rank_pages
from hexapla.translation.status.recorded_doubts import later_verdicts, with_doubts
from hexapla.translation.status.section_states import (
    Change,
    PageStatus,
    SectionStatus,
    TranslationState,
    find_statuses,
    state_by_record,
)
from hexapla.translation.status.status_digest import status_digest
from hexapla.translation.status.status_text import by_language
from hexapla.translation.status.touched_drafts import drafts_material, unread_drafts, with_touched_drafts
from hexapla.translation.translation_tree import TranslationTree, record_digests, write_page, write_records

if TYPE_CHECKING:
    from hexapla.translation.status.status_html import Say

EMPTY: Mapping[str, Sequence[str]] = {}
MERGED = "two people recorded it, neither of them for today's source and translation"
DRAFT = "a draft"  # what `sync` leaves of a section that nobody has reviewed
SHOWN = 20  # drafts that a command names
# States of sections that `sync` has nothing to record of: `check --fix` gives a heading the id of the source.
UNTOUCHED = {TranslationState.EXTRA, TranslationState.MISSING, TranslationState.RENAMED}
FORMATS = ("text", "json", "html", "github", "digest")


class SyncedSection(NamedTuple):
    """A section that `sync` recorded, or would record without --write: what it was until then, and what it is now.

    Without a section it is a file: of records without a merge's marks, or a page that names a later source.
    """

    language: str
    page: str
    section: str | None
    before: str
    after: str = "current"
    refused: bool = False


class Sync(NamedTuple):
    """What `sync` is to record: of the pages and sections that `given` names, in one language or in all.

    `judge` speaks against sections; `reviewed` says that somebody has read all of them, drafts and doubts included,
    `reviewer` who. `adopt` records of what nobody has recorded what git says that it was made from.
    """

    given: Sequence[str]
    language: str | None = None
    write: bool = False
    judge: Judge | None = None
    reviewed: bool = False
    reviewer: str = ""
    adopt: bool = False


def chosen_sections(tree: TranslationTree, given: Sequence[str]) -> tuple[list[str], set[Key]]:
    """Arguments such as `docs/ja/page.md#section` without their sections, and these. Raises ConfigError."""
    pages: list[str] = []
    named: set[Key] = set()
    whole: set[str] = set()
    for argument in given:
        page, mark, section = argument.partition("#")
        pages.append(page)
        found = [name for _, name in named_pages(tree, page)]
        named |= {(name, section) for name in found if mark}
        whole |= set(() if mark else found)
    return pages, {key for key in named if key[0] not in whole}


def is_named(named: set[Key], page: str, section: str) -> bool:
    """Whether a section is one of those that arguments name, or on a page of which they name none."""
    return (page, section) in named or all(name != page for name, _ in named)


def require_sections(pages: Iterable[PageStatus], named: set[Key]) -> None:
    """Raise ConfigError for a section that is on none of the pages."""
    known = {(page.page, each.id) for page in pages for each in page.sections}
    for _, section in sorted(named - known):
        raise ConfigError(f"no section {section!r} there; `hexapla status` lists the sections that are not current")


def chosen_pages(
    tree: TranslationTree, given: Sequence[str], language: str | None = None
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The pages and languages that names, paths and folders name, all without any. Raises ConfigError."""
    names: dict[str, None] = {}
    languages: dict[str, None] = {}
    for argument in given:
        found = named_pages(tree, argument)
        codes = {code for code, _ in found}
        names |= dict.fromkeys(name for _, name in found)
        languages |= dict.fromkeys(tree.languages if tree.layout.source in codes else sorted(codes))
    if language:
        require_language(tree, language)
        languages = {language: None}
    return tuple(names), tuple(code for code in tree.languages if not languages or code in languages)


def named_pages(tree: TranslationTree, argument: str) -> list[tuple[str, str]]:
    """The languages and names of the pages that an argument names: a name, a language, a path from here or the root."""
    name = argument.strip("/").removesuffix(".mdx").removesuffix(".md")
    if any(name in pages for pages in tree.files.values()):
        return [(tree.layout.source, name)]
    if name in tree.languages:
        return [(name, page) for page in {**tree.source, **tree.files[name]}]
    for base in (Path.cwd(), tree.layout.root):
        given = Path(os.path.relpath(base / argument, tree.layout.root)).as_posix()
        found = [
            (code, page) for code, pages in tree.files.items() for page, path in pages.items()
            if given == "." or path == given or path.startswith(f"{given}/")
        ]
        if found:
            return found
    raise ConfigError(f"{argument}: is no page of this tree; name one as `hexapla status` lists it")


def require_language(tree: TranslationTree, language: str) -> None:
    """Raise ConfigError for a language that the tree does not have."""
    if language not in tree.languages:
        known = ", ".join(tree.languages) or "none"
        raise ConfigError(f"{language!r} is no language that is translated here; there are: {known}")


def require_readable(tree: TranslationTree, pages: Iterable[PageStatus]) -> None:
    """Raise ConfigError where one of the pages, or its source, could not be read."""
    for path in (path for page in pages for path in (page.path, page.source_path)):
        if path in tree.unreadable:
            raise ConfigError(f"{path}: {tree.unreadable[path]}")


def tree_status(
    tree: TranslationTree, given: Sequence[str] = (), views: Path | None = None, language: str | None = None
) -> list[PageStatus]:
    """The status of the pages that arguments name, by priority or by a CSV of page views. Raises ConfigError."""
    names, languages = chosen_pages(tree, given, language)
    history = source_history(tree)
    recorded = list(find_statuses(tree, languages, names))
    known = judge_by_git(tree, recorded)
    moves = MovedSections(tree, history, {} if names else by_language(recorded))
    found = with_touched_drafts(tree, moves.follow_sections(with_word_counts(tree, known, history)))
    return by_priority(tree, with_doubts(tree, found), views)


def by_priority(tree: TranslationTree, pages: Iterable[PageStatus], views: Path | None = None) -> list[PageStatus]:
    """Pages by language, in each those first that readers would miss most; `views` is a CSV."""
    rank = rank_pages(tree.layout, views)
    codes = {code: number for number, code in enumerate(tree.languages)}
    return sorted(pages, key=lambda page: (codes[page.language], rank.get(page.page, len(rank)), page.page))


def whole_report(
    tree: TranslationTree, format: str, say: "Say", color: bool, beside: Mapping[str, Sequence[str]] = EMPTY
) -> str:
    """The report on all pages, and on the texts `beside` them that are not translated; from the cache where it may be.

    It is not kept where a count of words is unknown, which `git fetch` may change, nor where a page changes meanwhile.
    """
    source = {name: page.digest for name, page in tree.source.items()}
    for code in tree.languages:
        for path in tree.files[code].values():
            tree.data(path)  # every file is read for the key, none is parsed
    recorded, head = record_digests(tree), tree.repository.head
    files = tree.layout, source, tree.digests, recorded, tree.unreadable, head
    passages = [read_passages(tree.layout.root, code) for code in sorted(tree.layout.derived)]
    material = {code: (each.terms, each.instructions) for code, each in drafts_material(tree).items()}
    settings = unread_limit(tree.layout.root), ignored_words(tree.layout.root)
    key = key_of("status report", format, color, beside, *files, passages, material, settings)
    kept = tree.cache.get(key)
    if isinstance(kept, str):
        return kept
    pages = tree_status(tree)
    report = status_report(tree, pages, format, say, color, beside)
    counted = all(each.words is not None or each.change is not Change.TEXT for page in pages for each in page.sections)
    if counted and not tree.modified and recorded == record_digests(tree):
        tree.cache.put(key, report)
    return report


def status_report(
    tree: TranslationTree, pages: Sequence[PageStatus], format: str, say: "Say", color: bool,
    beside: Mapping[str, Sequence[str]] = EMPTY,
) -> str:
    """The status of pages in one of FORMATS; `say` has the sentences of the HTML page."""
    if format == "json":
        return status_text.status_json(pages, beside)
    if format == "html":
        from hexapla.translation.status.status_html import status_html  # Jinja takes 50 ms, which no other format needs

        return status_html(pages, say)
    if format == "digest":
        history = source_history(tree)
        owners = find_owners(tree.layout.root).of
        return status_digest(pages, owners, lambda page, section: waits_since(tree, page, section, history))
    odd = [each for code in tree.languages for each in tree.records[code].notes]
    odd += [(page, Note(1, why)) for page, why in tree.unreadable.items()]
    odd += describe_unrecorded(tree, pages)
    odd += passage_notes(tree)
    odd += later_verdicts(tree)
    odd += [(records.path(each.language), Note(1, str(each)))
            for each in unread_drafts(tree, by_language(pages)) if not each.room]
    if format == "github":
        return status_text.status_github(pages, odd)
    lines = status_text.status_lines(pages, odd, tree.repository.head is not None, color, beside)
    return "".join(f"{line}\n" for line in lines)


def show_changes(
    tree: TranslationTree, given: Sequence[str], language: str | None = None, color: bool = False
) -> str:
    """What changed since the sections that are not current were translated. Raises ConfigError."""
    history = source_history(tree)
    places, named = chosen_sections(tree, given)
    pages = tree_status(tree, places, None, language)
    require_readable(tree, pages)
    require_sections(pages, named)
    return "".join(diff_text(
        page, [each for each in section_diffs(tree, page, history) if is_named(named, page.page, each.status.id)],
        tree.repository.head is not None, color) for page in pages)


def sync_tree(tree: TranslationTree, wanted: Sync) -> list[SyncedSection]:
    """Record that the translations of sections are right for today's source: those that exist and are not current.

    What the judge calls an error is not recorded, what it doubts needs review; drafts stay drafts until they were
    reviewed. Several records of a section, as a merge leaves them, are put together alone. Raises ConfigError.
    """
    given, named = chosen_sections(tree, wanted.given)
    names, languages = chosen_pages(tree, given, wanted.language)
    pages = list(find_statuses(tree, languages, names))
    if wanted.adopt:
        pages = list(judge_by_git(tree, pages))
    require_readable(tree, pages)
    require_sections(pages, named)
    done: list[SyncedSection] = []
    for code in languages:
        new: dict[Key, Record | None] = {}
        known = tree.records[code]
        mended = [name for name in known.conflicts if not names or name in names]
        for page in (page for page in pages if page.language == code):
            for each in page.sections:
                if len(known.section(page.page, each.id)) > 1:  # as a merge leaves them
                    done += merged_section(tree, page, each, new)
                elif page.page in mended or not is_named(named, page.page, each.id) or not each.line:
                    continue
                else:
                    done += sync_section(tree, page, each, new, wanted)
        done += [SyncedSection(code, records.path(code, name), None, "a merge conflict", "both sides put together")
                 for name in mended]
        later = [made for page in pages if page.language == code and (made := later_source(tree, page, new))]
        done += [made for made, _ in later]
        if wanted.write and (new or mended):
            write_records(tree, code, new, mended)
        for renamed, text in later if wanted.write else ():
            write_page(tree, renamed.page, text)
    return done


def later_source(
    tree: TranslationTree, page: PageStatus, new: Mapping[Key, Record | None]
) -> tuple[SyncedSection, str] | None:
    """What is done, and the text of a page that names today's source, if all sections are current by `new` records."""
    repository, text = tree.repository, tree.text(page.path) if page.path and page.source_path else ""
    commit, hashes = named_sources.named_commit(text), named_sources.named_hashes(text)
    if not (commit or hashes) or not all(is_current_then(tree, page, each, new) for each in page.sections):
        return None
    if commit:
        before = f"default_lang_commit {commit[:COMMIT_DIGITS]}"
        last = "" if page.source_path in repository.uncommitted else repository.last_commits.get(page.source_path, "")
        after, made = last[:COMMIT_DIGITS], text if last.startswith(commit) else named_sources.name_commit(text, last)
    else:
        today = named_sources.hash_sections(tree.text(page.source_path), tree.layout.closes_fence(page.source_path))
        fits = len(today) == len(named_sources.hash_sections(text, tree.layout.closes_fence(page.path)))
        before, after = "translation.sections", "today's hashes" if fits and today != hashes else ""
        made = named_sources.name_hashes(text, today)
    return (SyncedSection(page.language, page.path, None, before, after), made) if after and made != text else None


def is_current_then(
    tree: TranslationTree, page: PageStatus, status: SectionStatus, new: Mapping[Key, Record | None]
) -> bool:
    """Whether a section is current with the records `new`."""
    record, section = new.get((page.page, status.id)), tree.section(page.page, status.id)
    state = state_by_record(record, section)[0] if record and section else status.state
    return state is TranslationState.CURRENT


def merged_section(
    tree: TranslationTree, page: PageStatus, status: SectionStatus, new: dict[Key, Record | None]
) -> list[SyncedSection]:
    """Put one record in the place of several: that of today's source and translation, else one that needs review."""
    section, key = tree.section(page.page, status.id), (page.page, status.id)
    if section is None:
        return []
    found = tree.records[page.language].section(*key)
    text = tree.section_text(page.language, page.page, status.here) if status.line else ""
    right = choose_record(found, section, translation_digest(text))
    new[key] = right or found[0]._replace(review=MERGED, reviewer="")
    after = str(state_by_record(right, section)[0]) if right else f"needs review, {MERGED}"
    return [SyncedSection(page.language, *key, f"{len(found)} records", after)]


def sync_section(
    tree: TranslationTree, page: PageStatus, status: SectionStatus, new: dict[Key, Record | None], wanted: Sync
) -> list[SyncedSection]:
    """Put the record of one section into `new` where it is not current, or with `adopt` where nobody has recorded it.
    """
    key = (page.page, status.id)
    if wanted.adopt:
        if record := adopted_record(tree, page, status):
            new[key] = record
            after = f"as git has it, {status.state if status.state is TranslationState.BEHIND else 'current'}"
            return [SyncedSection(page.language, *key, "unrecorded", after)]
        return []
    if tree.section(*key) is None or status.state in UNTOUCHED:
        return []
    if status.state is TranslationState.CURRENT:
        if status.record and not tree.records[page.language].section(*key):
            new |= {**renamed_records(tree, page, status), key: status.record}
            return [SyncedSection(page.language, *key, "recorded under another name")]
        return []
    before = str(status.state)
    if status.state is TranslationState.DRAFT and not wanted.reviewed:
        return [SyncedSection(page.language, *key, before, DRAFT)]
    text = tree.section_text(page.language, page.page, status.here)
    judged = wanted.judge(page.language, *key, text, "") if wanted.judge else Judgement()
    if status.state is TranslationState.REVIEW and status.record and not judged.errors and (
            status.record.review == judged.reason):
        return []
    if not judged.errors:
        new |= section_records(tree, page, status, text, judged.reason, wanted.reviewer)
    return [SyncedSection(page.language, *key, before, *judged.outcome)]


def section_records(
    tree: TranslationTree, page: PageStatus, status: SectionStatus, text: str, review: str, reviewer: str = ""
) -> dict[Key, Record | None]:
    """The new record of a section's text for the source as the tree has read it; None for that under its old name."""
    section, key = tree.section(page.page, status.id), (page.page, status.id)
    if section is None:
        return {}
    blob = blob_name(tree.source[page.page].file.data)
    made = record_of(section, blob, review, translation_digest(text), reviewer)
    return {**renamed_records(tree, page, status), key: made}


def renamed_records(tree: TranslationTree, page: PageStatus, status: SectionStatus) -> dict[Key, Record | None]:
    """None for the record of a section under a name that the source does not have any more."""
    known = tree.records[page.language]
    if status.record is None or known.section(page.page, status.id):
        return {}
    return {old: None for old, found in orphaned_records(known, tree.section_keys).items() if status.record in found}


def sync_text(done: Sequence[SyncedSection], wanted: Sync) -> str:
    """What was recorded, or would be, as text."""
    drafts = [each for each in done if each.after == DRAFT]
    shown = [each for each in done if each.after != DRAFT]
    lines = [f"{each.language}  {each.page if each.section is None else f'{each.page}#{each.section}'}  "
             f"{each.before} -> {each.after}" for each in shown]
    recorded = sum(not each.refused and each.section is not None for each in shown)
    changed = any(not each.refused for each in shown)
    if not done:
        lines.append("nothing to record: every section that is translated there is current, or waits for --reviewed")
    elif changed and not wanted.write:
        lines.append(f"nothing was written; record {'these' if len(shown) > 1 else 'this'} with --write")
    elif shown:
        counted = f"{plural(recorded, 'section')} recorded; " if recorded or not changed else ""
        lines.append(f"{counted}commit {'translations/' if counted else 'what was written'} with your work")
    if drafts:
        named = " ".join(shlex.quote(f"{each.page}#{each.section}") for each in drafts[:SHOWN])
        language = f" --language {drafts[0].language}" if len({each.language for each in drafts}) == 1 else ""
        stay, them = ("stays one", "it") if len(drafts) == 1 else ("stay drafts", "them")
        lines.append(f"{plural(len(drafts), 'draft')} that nobody has reviewed {stay}; when you have read {them}: "
                     f"hexapla sync {named}{language} --reviewed --write")
        if len(drafts) > SHOWN:
            lines.append(f"and {len(drafts) - SHOWN} more; `hexapla status` lists them")
    return "\n".join(lines) + "\n"


def reviewer_name(root: Path, given: str | None) -> str:
    """Who reviews: the name that was given, else that of git, else that of the workflow's actor, else "" for nobody."""
    return given or Repository(root).user_name or os.environ.get("GITHUB_ACTOR", "")
