"""The services of `hexapla status`, `diff` and `sync`: what is behind, what changed, and records of what was read."""

import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from hexapla.cache import key_of
from hexapla.errors import ConfigError
from hexapla.git import Repository, blob_name
from hexapla.translation import records, status_text
from hexapla.translation.adoption import adopted, adopted_record, doubts
from hexapla.translation.changes import section_diffs
from hexapla.translation.diff_text import diff_text
from hexapla.translation.handwritten import passage_notes, read_passages
from hexapla.translation.judgement import Judge, Judgement, reason_of
from hexapla.translation.memory.moves import MovedSections
from hexapla.translation.priority import ranks, read_views
from hexapla.translation.records import Key, Note, Record, orphans, record_of, replaced
from hexapla.translation.revisions import SourceHistory, with_word_counts
from hexapla.translation.status import Change, PageStatus, SectionStatus, TranslationState, statuses
from hexapla.translation.status_text import by_language, plural
from hexapla.translation.translation_tree import TranslationTree, record_digests, write_records

if TYPE_CHECKING:
    from hexapla.translation.status_html import Say

EMPTY: Mapping[str, Sequence[str]] = {}
FORMATS = ("text", "json", "html", "github")


class SyncedSection(NamedTuple):
    """A section that `sync` recorded, or would record without --write.

    `before` says what it was until then; `reason` why it needs review now, `refusal` why it was not recorded, `adopted`
    what it is by git.
    """

    language: str
    page: str
    section: str
    before: str
    reason: str = ""
    refusal: str = ""
    adopted: str = ""

    @property
    def after(self) -> str:
        """What it is now."""
        if self.refusal:
            return f"not recorded, {self.refusal}"
        return f"needs review, {self.reason}" if self.reason else self.adopted or "current"


def chosen_pages(
    tree: TranslationTree, given: Sequence[str], language: str | None = None
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The pages and languages that arguments name: names, paths, folders. Raises ConfigError.

    A path below a translation's folder names its language too; no argument names all.
    """
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
    """The languages and names of the pages that an argument names: a name, a language, or a path from here or the root.
    """
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
    """The status of the pages that arguments name, by priority in each language; `views` is a CSV of page views.

    Raises ConfigError.
    """
    names, languages = chosen_pages(tree, given, language)
    repository = Repository(tree.layout.root)
    history = SourceHistory(repository)
    recorded = list(statuses(tree, languages, names))
    known = adopted(tree, recorded, repository)
    moves = MovedSections(tree, history, {} if names else by_language(recorded))
    found = moves.followed(with_word_counts(tree, known, history))
    return by_priority(tree, found, read_views(views) if views else "")


def by_priority(tree: TranslationTree, pages: Iterable[PageStatus], views: str = "") -> list[PageStatus]:
    """Pages by language, in each those first that readers would miss most; `views` is the text of a CSV."""
    rank = ranks(tree.layout, views)
    codes = {code: number for number, code in enumerate(tree.languages)}
    return sorted(pages, key=lambda page: (codes[page.language], rank.get(page.page, len(rank)), page.page))


def whole_report(
    tree: TranslationTree, format: str, say: "Say", color: bool, beside: Mapping[str, Sequence[str]] = EMPTY
) -> str:
    """The report on all pages, and on the texts `beside` them that each language lacks.

    It comes from the cache where no page, record, included file or commit has changed.

    It is not kept where a count of words is unknown, which a `git fetch` may change, nor where a page was modified
    in between.
    """
    source = {name: page.digest for name, page in tree.source.items()}
    for code in tree.languages:
        for path in tree.files[code].values():
            tree.data(path)  # every file is read for the key, none is parsed
    recorded, head = record_digests(tree), Repository(tree.layout.root).head
    files = tree.layout, source, tree.digests, recorded, tree.unreadable, head
    passages = [read_passages(tree.layout.root, code) for code in sorted(tree.layout.derived)]
    key = key_of("status report", format, color, beside, *files, passages)
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
        from hexapla.translation.status_html import status_html  # Jinja takes 50 ms, which no other format needs

        return status_html(pages, say)
    odd = [(records.path(code), note) for code in tree.languages for note in tree.records[code].notes]
    odd += [(page, Note(1, why)) for page, why in tree.unreadable.items()]
    odd += doubts(tree, pages)
    odd += passage_notes(tree)
    if format == "github":
        return status_text.status_github(pages, odd)
    return status_text.status_text(pages, odd, Repository(tree.layout.root).head is not None, color, beside)


def diff(
    tree: TranslationTree, given: Sequence[str], section: str | None = None, language: str | None = None,
    color: bool = False,
) -> str:
    """What changed since the sections that are not current were translated. Raises ConfigError."""
    history = SourceHistory(Repository(tree.layout.root))
    pages = tree_status(tree, given, None, language)
    require_readable(tree, pages)
    if section is not None and not any(each.id == section for page in pages for each in page.sections):
        raise ConfigError(unknown_section(section))
    found = [
        (page, [each for each in section_diffs(tree, page, history) if section in {None, each.status.id}])
        for page in pages
    ]
    return "".join(diff_text(page, each, history.known, color) for page, each in found)


def sync(
    tree: TranslationTree, given: Sequence[str], section: str | None = None, language: str | None = None,
    write: bool = False, judge: Judge | None = None, adopt: bool = False,
) -> list[SyncedSection]:
    """Record that the translations of sections are right for today's source: those that exist and are not current.

    What `judge` calls an error is not recorded, what it doubts needs review; without it all was reviewed. `adopt`
    records of what nobody has recorded what git says that it was made from.
    Raises ConfigError where nothing is named. Records of sections that were renamed are kept under their new name.
    """
    names, languages = chosen_pages(tree, given, language)
    done: list[SyncedSection] = []
    known = False
    pages = list(statuses(tree, languages, names))
    if adopt:
        pages = list(adopted(tree, pages, Repository(tree.layout.root)))
    require_readable(tree, pages)
    for code in languages:
        new: dict[Key, Record | None] = {}
        for page in (page for page in pages if page.language == code):
            for each in page.sections:
                known = known or section in {None, each.id}
                if section in {None, each.id} and each.line and adopt:
                    done += adopt_section(tree, page, each, new)
                elif section in {None, each.id} and each.line:
                    done += sync_section(tree, page, each, new, judge)
        if write and new:
            write_records(tree.layout.root, code, replaced(tree.records[code], new))
    if not known:
        raise ConfigError(unknown_section(section))
    return done


def unknown_section(section: str | None) -> str:
    """The message about a section that none of the pages has."""
    return f"no section {section!r} there; `hexapla status` lists the sections that are not current"


def sync_section(
    tree: TranslationTree, page: PageStatus, status: SectionStatus, new: dict[Key, Record | None], judge: Judge | None
) -> list[SyncedSection]:
    """Put the record of one section into `new` where it is not current."""
    name = status.id
    if tree.section(page.page, name) is None:
        return []
    kept = tree.records[page.language].of.get((page.page, name), ())
    if len(kept) == 1 and status.state is TranslationState.CURRENT:
        return []
    before = f"{len(kept)} records" if len(kept) > 1 else str(status.state)
    text = tree.section_text(page.language, page.page, status.here)
    judged = judge(page.language, page.page, name, text, "") if judge else Judgement()
    if judged.errors:
        refusal = reason_of(each.message for each in judged.errors)
        return [SyncedSection(page.language, page.page, name, before, refusal=refusal)]
    if status.state is TranslationState.REVIEW and status.record and status.record.review == judged.reason:
        return []
    new |= section_records(tree, page, status, judged.reason)
    return [SyncedSection(page.language, page.page, name, before, judged.reason)]


def adopt_section(
    tree: TranslationTree, page: PageStatus, status: SectionStatus, new: dict[Key, Record | None]
) -> list[SyncedSection]:
    """Put what git says of a section into `new` where nobody has recorded it."""
    key, record = (page.page, status.id), adopted_record(tree, page, status)
    if record is None:
        return []
    new[key] = record
    after = f"as git has it, {status.state if status.state is TranslationState.BEHIND else 'current'}"
    return [SyncedSection(page.language, *key, "unrecorded", adopted=after)]


def section_records(
    tree: TranslationTree, page: PageStatus, status: SectionStatus, review: str
) -> dict[Key, Record | None]:
    """The new record of a section that stands for today's source, and None for the one under its old name."""
    section, key = tree.section(page.page, status.id), (page.page, status.id)
    if section is None:
        return {}
    new: dict[Key, Record | None] = {key: record_of(section, blob_name(tree.data(page.source_path)), review)}
    if status.record and key not in tree.records[page.language].of:  # a name that the source does not have any more
        lost = orphans(tree.records[page.language], tree.section_keys)
        new |= {old: None for old, found in lost.items() if status.record in found}
    return new


def sync_text(done: Sequence[SyncedSection], write: bool) -> str:
    """What was recorded, or would be, as text."""
    lines = [f"{each.language}  {each.page}#{each.section}  {each.before} -> {each.after}" for each in done]
    recorded = sum(not each.refusal for each in done)
    if not done:
        lines.append("nothing to record: every section that is translated there is current, or waits for --reviewed")
    elif write or not recorded:
        lines.append(f"{plural(recorded, 'section')} recorded; commit translations/ with your work")
    else:
        lines.append(f"nothing was written; record {'these' if len(done) > 1 else 'this'} with --write")
    return "\n".join(lines) + "\n"
