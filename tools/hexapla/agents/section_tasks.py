"""The next section to translate with its context, and the submission of a translation, judged as the editor does."""

from collections.abc import Mapping, Sequence
from datetime import date
from pathlib import Path
from typing import NamedTuple

from hexapla.checks.finding import Finding
from hexapla.errors import ConfigError
from hexapla.section_writer import (
    ConflictError,
    RefusedError,
    SectionWriter,
    SubmittedDraft,
    UnknownNameError,
    describe_findings,
    require_page,
    tidy_text,
    version_of,
)
from hexapla.translation.history.changes import section_diff, source_history
from hexapla.translation.memory.near_matches import section_offers
from hexapla.translation.memory.store import TranslationMemory
from hexapla.translation.neighbours import TextPair, find_neighbours
from hexapla.translation.records.draft_inputs import DraftInputs, read_material, terms_in
from hexapla.translation.status.section_states import PageStatus, SectionStatus
from hexapla.translation.status.status_text import describe_section
from hexapla.translation.status.touched_drafts import FREE, is_draft, is_free, section_words, unread_drafts
from hexapla.translation.tracking import chosen_pages, chosen_sections, reviewer_name, tree_status
from hexapla.translation.verdicts import Doubt
from hexapla.translation.word_diff import DiffKind, inline_diff

EMPTY = "nothing was saved: the text is empty; submit the whole section, from its heading on"
DOUBTFUL = "nothing was saved: this is not as in the source; mend it, or say that it is meant where it is right"
SAVED = "saved as a draft; `hexapla sync` records that somebody has read it"
FINE = "nothing is wrong with it; nothing was written yet"


class SectionContext(NamedTuple):
    """A section to translate with what that needs; `version` names its texts and goes along with the submission.

    `before` is the source's Markdown when it was translated, `remembered` what the translation memory makes of it.
    """

    page: str
    section: str
    title: str
    language: str
    state: str
    reason: str
    version: str
    source: str
    translation: str
    before: str
    changes: Sequence[tuple[DiffKind, str]]
    code: Sequence[str]
    output: Sequence[str]
    terms: Mapping[str, str]
    remembered: str
    similar: Sequence[TextPair]
    around: Sequence[TextPair]
    instructions: str
    doubts: Sequence[Doubt]

    def as_data(self) -> dict[str, object]:
        """The fields as JSON has them."""
        pairs = {name: [each._asdict() for each in getattr(self, name)] for name in ("similar", "around")}
        return {**self._asdict(), **pairs, "doubts": [each.as_data() for each in self.doubts]}


class Submission(NamedTuple):
    """A translation of a section as a whole, of the `version` that its context named; `by` is who or what made it.

    `meant` says that doubts about it were read and that it is right.
    """

    page: str
    language: str
    section: str
    text: str
    version: str
    by: str = ""
    meant: bool = False


class SubmissionOutcome(NamedTuple):
    """What became of a submission: `text` stands there instead, `version` is that of the saved one, "" for none."""

    right: bool
    message: str
    version: str = ""
    findings: tuple[Finding, ...] = ()
    doubtful: bool = False
    text: str = ""

    def as_data(self) -> dict[str, object]:
        """The fields as JSON has them."""
        return {**self._asdict(), "findings": describe_findings(self.findings)}


def next_section(
    writer: SectionWriter, given: Sequence[str] = (), language: str | None = None, views: Path | None = None
) -> SectionContext | None:
    """The first section that waits, on the pages that readers miss most, or the PAGE#SECTION given; None for none left.

    A language whose drafts have to be read first has drafts alone to make again. Raises ConfigError.
    """
    tree = writer.reread_tree()
    places, named = chosen_sections(tree, given)
    full = () if named else {each.language for each in unread_drafts(tree, tree.languages) if not each.room}
    for page in tree_status(tree, places, views, language):
        readable = tree.unreadable.keys().isdisjoint((page.path, page.source_path))
        for status in page.sections if readable or named else ():
            # It waits for a draft where it is missing, behind, or a draft made with what is another today.
            free = not named and (page.language not in full or is_draft(status)) and (
                status.touched is not None or (status.state in FREE and is_free(tree, page, status)))
            if free or (page.page, status.id) in named:
                return describe_task(writer, page, status)
    if named:
        raise ConfigError(f"{' '.join(given)}: is no section of the source; `hexapla status` lists its pages")
    return None


def full_languages(writer: SectionWriter, language: str | None) -> list[str]:
    """Of which languages drafts have to be read before more are made, in a sentence each. Raises ConfigError."""
    codes = writer.tree.languages if language is None else (language,)
    return [str(each) for each in unread_drafts(writer.tree, codes) if not each.room]


def describe_task(writer: SectionWriter, page: PageStatus, status: SectionStatus) -> SectionContext:
    """A section with what its translation needs. Raises ConfigError for one that the source does not have."""
    tree, history = writer.tree, source_history(writer.tree)
    section = tree.section(page.page, status.id)
    if section is None:
        raise ConfigError(f"{page.page}#{status.id}: is no section of the source; take it out of the translation")
    source = tree.source_text(page.page, section)
    try:
        here = writer.section_on_disk(page.page, page.language, status.id)
    except (UnknownNameError, ValueError) as error:
        raise ConfigError(f"{error.args[0]}; `hexapla status` lists pages") from error
    diff = section_diff(tree, page, status, history)
    before = diff.before or ""
    offers = section_offers(TranslationMemory(tree, page.language, history), page.page, section)
    material = read_material(tree.layout.root, page.language)
    words = section_words(tree, page.page).get(status.id, "")
    return SectionContext(
        page.page, status.id, status.title, page.language, str(status.state), describe_section(status),
        f"{version_of(source)}-{version_of(here)}", source.rstrip(), here, before,
        list(inline_diff(before, source)) if before else [], diff.code or (), diff.output or (),
        terms_in(words, material.terms),
        offers.text if offers.places else "", [TextPair(each.text, each.target) for each in offers.near],
        find_neighbours(tree, page, status), material.instructions, status.doubts,
    )


def place_of(writer: SectionWriter, place: str, language: str | None) -> tuple[str, str, str]:
    """The page, language and section of a PAGE#SECTION. Raises ConfigError where it names another number of them."""
    path, _, section = place.partition("#")
    names, languages = chosen_pages(writer.tree, [path], language)
    if len(names) != 1 or len(languages) != 1:
        raise ConfigError(f"{place}: is not one section in one language; write PAGE#SECTION, and --language")
    return names[0], languages[0], section


def submit_translation(writer: SectionWriter, given: Submission, write: bool) -> SubmissionOutcome:
    """Judge a translation as the editor does, and write it as a draft. Raises ConfigError, ChangedError, OSError."""
    if not tidy_text(given.text).strip():
        return SubmissionOutcome(False, EMPTY)
    tree, (source, _, base) = writer.reread_tree(), given.version.partition("-")
    try:
        require_page(tree, given.page, given.language)
        material = read_material(tree.layout.root, given.language)
        words = section_words(tree, given.page).get(given.section, "")
        by = given.by.encode(errors="replace").decode() or reviewer_name(tree.layout.root, None)
        today = date.today().isoformat()
        made = DraftInputs(by, today, material.instructions_hash, terms=material.hash_terms(words))
        draft = SubmittedDraft(source, made)
        if not write:
            writer.admit_text(*given[:4], base, given.meant, draft)
            return SubmissionOutcome(True, FINE)
        version = writer.save(*given[:4], base, given.meant, draft)
        return SubmissionOutcome(True, SAVED, f"{source}-{version}")
    except ConflictError as error:
        return SubmissionOutcome(False, f"nothing was saved: {error}", text=error.text)
    except RefusedError as error:
        message = DOUBTFUL if error.doubtful else str(error)
        return SubmissionOutcome(False, message, findings=tuple(error.findings), doubtful=error.doubtful)
    except ConfigError:
        raise
    except (UnknownNameError, ValueError) as error:
        raise ConfigError(f"{error.args[0]}; `hexapla status` lists pages, and `hexapla next` a section") from error
