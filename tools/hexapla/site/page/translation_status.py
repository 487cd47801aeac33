"""The state of translations in the site: a banner on each section that is behind, and a page per language."""

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from html import escape
from posixpath import relpath
from typing import NamedTuple

from hexapla.cache import Cache
from hexapla.config.discovery import layout_of_project
from hexapla.config.layout import has_records
from hexapla.examples.evidence_store import of_texts, outputs_of
from hexapla.site.sources import SiteSources
from hexapla.site.texts.strings import say_sentence
from hexapla.translation import tracking
from hexapla.translation.history.changes import (
    SectionDiff,
    SourceHistory,
    section_diffs,
    source_history,
    with_word_counts,
)
from hexapla.translation.memory.moved_sections import MovedSections
from hexapla.translation.status import status_html
from hexapla.translation.status.section_states import Change, PageStatus, SectionStatus, TranslationState, find_statuses
from hexapla.translation.status.status_html import PageTop, Say
from hexapla.translation.translation_tree import RecordedOutputs, TranslationTree, read_tree
from hexapla.translation.word_diff import inline_diff

DrawTop = Callable[[str, str, Mapping[str, str]], PageTop]  # for a language, an address, and those of other languages
FOLDER = "translations"  # of these pages, in the site
HEADING = re.compile(r'<h[1-6][^>]*\bid="(?P<id>[^"]*)"[^>]*>.*?</h[1-6]>', re.S)
REPORTED = {TranslationState.BEHIND, TranslationState.DRAFT, TranslationState.REVIEW}


class KnownPage(NamedTuple):
    """What is known of a page's translation: its status, and the sections that it lacks and another page has, by id."""

    status: PageStatus | None
    moved: Mapping[str, str]


@dataclass(frozen=True)
class TranslationStatus:
    """The status of every page, found when it is asked for.

    `origin` maps a derived language to the one it is converted from; `recorded` are the languages with records.
    """

    sections: TranslationTree
    origin: Mapping[str, str]
    recorded: Collection[str]
    history: SourceHistory
    moves: MovedSections
    _known: dict[tuple[str, str], KnownPage] = field(default_factory=dict)

    def page(self, language: str, name: str) -> PageStatus | None:
        """A page in a language, also where it is derived; None where nothing is recorded for the language."""
        return self._find_status(language, name).status

    def moved(self, language: str, name: str) -> Mapping[str, str]:
        """The translations of sections that a page lacks and that stand in another place of the tree, by id."""
        return self._find_status(language, name).moved

    def _find_status(self, language: str, name: str) -> KnownPage:
        found = self._find_own(language, name)
        if (found.status is None or not found.status.path) and language in self.origin:
            found = self._find_own(self.origin[language], name)
        return found

    def _find_own(self, language: str, name: str) -> KnownPage:
        if language not in self.recorded:
            return KnownPage(None, {})
        if (language, name) not in self._known:
            found = with_word_counts(self.sections, find_statuses(self.sections, [language], [name]), self.history)
            status = next(iter(found), None)
            self._known[language, name] = self._follow_moves(status) if status else KnownPage(None, {})
        return self._known[language, name]

    def _follow_moves(self, page: PageStatus) -> KnownPage:
        """A page, the sections that it lacks looked for in the rest of the tree."""
        moved = {}
        sections = list(page.sections)
        for number, each in enumerate(page.sections):
            missing = page.path and each.state is TranslationState.MISSING
            made = self.moves.assemble_section(page, each) if missing else None
            if made and made.places and not made.unknown:
                moved[each.id] = made.text
                sections[number] = self.moves.judge_section(page, each)
        return KnownPage(replace(page, sections=tuple(sections)), moved)

    def status_files(self, names: Mapping[str, str], draw_top: DrawTop) -> Iterator[tuple[str, str]]:
        """The pages on translations: their address in the site and their HTML; `names` maps codes to names."""
        every_name = sorted({name for files in self.sections.files.values() for name in files})
        states = {code: status_url(code) for code in names if {code, self.origin.get(code)} & {*self.recorded}}
        for language in names:
            known = (self.page(language, name) for name in every_name)
            pages = [page for page in known if page]
            if not pages:
                continue
            speak: Say = partial(say_sentence, language)
            ordered = tracking.by_priority(self.sections, pages)
            title = speak("status-title", translation=names[language])
            table = status_html.language_status(ordered, speak, partial(link_changes, language))
            body, url = [f"<h1>{escape(title)}</h1>", *table], status_url(language)
            top = draw_top(language, url, states)
            yield url, status_html.html_document(language, title, "\n".join(body), top)
            for page in pages:
                if any(section.state in REPORTED for section in page.sections):
                    every = section_diffs(self.sections, page, self.history)
                    told = [each for each in every if each.status.state in REPORTED]
                    languages, url = (language, self.sections.layout.source), changes_url(language, page.page)
                    yield url, diff_html(page, told, languages, speak, draw_top(language, url, states))


def diff_html(
    page: PageStatus, found: Sequence[SectionDiff], languages: tuple[str, str], say: Say, top: PageTop
) -> str:
    """What changed in the source since a page was translated; `languages` are the reader's and the source's."""
    language, source = languages
    title = say("changed-title", page=page.page)
    body = status_html.render_template(
        "diff.html", page=page, sections=found, source=source, title=title, say=say, inline_diff=inline_diff
    )
    return status_html.html_document(language, title, body.rstrip("\n"), top)


def insert_banners(html: str, page: PageStatus, language: str, root: str) -> str:
    """A page's HTML with its banners and a link to its language's page; `root` is the site's root from the page."""
    address = f"{root}{changes_url(language, page.page)}"
    told = {each.here: make_banner(each, language, address) for each in page.sections if each.state in REPORTED}
    if told:
        html = HEADING.sub(lambda match: f"{match[0]}\n{told.get(match['id'], '')}".rstrip(), html)
    link = f'<a href="{escape(root)}{status_url(language)}">{escape(say_sentence(language, "status-link"))}</a>'
    return f'{html}\n<p class="hx-status">{link}</p>'


def describe_makers(page: PageStatus, language: str) -> list[str]:
    """Who reviewed sections of a page's translation, and which models drafted those that nobody has read.

    A section that was edited since is nobody's.
    """
    found = [each.record.maker for each in page.sections if each.record and each.state is not TranslationState.EDITED]
    return [say_sentence(language, f"{how}-by", names=" · ".join(sorted(names))) for how in ("reviewed", "drafted")
            if (names := {by for made, by, _ in found if made == how})]


def read_status(sources: SiteSources, settings: Mapping[str, object]) -> TranslationStatus:
    """The status of the translations of a site; `settings` is its mkdocs.yml."""
    project = sources.project
    output: Callable[[str], str] = outputs_of(sources.evidence, project.hardware)
    place = layout_of_project(project, settings)
    recordings = RecordedOutputs(project.evidence, partial(of_texts, hardware=tuple(project.hardware)))
    sections = read_tree(place, sources.snippets.read, output, Cache(project.root), recordings)
    history = source_history(sections)
    origin = {each.code: each.derived_from for each in project.languages if each.derived_from}
    recorded_in = {code for code in sections.languages if has_records(project.root, code)}
    return TranslationStatus(sections, origin, recorded_in, history, MovedSections(sections, history))


def status_url(language: str) -> str:
    """The address of a language's status page, from the site's root."""
    return f"{FOLDER}/{language}/index.html"


def changes_url(language: str, page: str) -> str:
    """The address of the changes since a page was translated, from the site's root."""
    return f"{FOLDER}/{language}/changes/{page}.html"


def link_changes(language: str, page: PageStatus, section: SectionStatus | None) -> str:
    """The link from a language's page to the changes of a page or of one of its sections; "" without any."""
    if not any(each.state in REPORTED for each in page.sections) or (section and section.state not in REPORTED):
        return ""
    address = relpath(changes_url(language, page.page), f"{FOLDER}/{language}")
    return f"{address}#{section.id or 'top'}" if section else address


def banner_text(section: SectionStatus, language: str) -> str:
    """The sentence of a section that is behind, a draft or in doubt."""
    kind = str(section.change or section.state)
    if section.change is Change.TEXT and section.words is None:
        kind = "text-unknown"
    return say_sentence(language, f"behind-{kind}", words=section.words)


def make_banner(section: SectionStatus, language: str, address: str) -> str:
    """The banner below the heading of a section that is behind, a draft or in doubt."""
    link = escape(say_sentence(language, "changed-link"))
    more = f'<a href="{escape(address)}#{escape(section.id or "top")}">{link}</a>'
    return f'<p class="hx-behind" role="note">{escape(banner_text(section, language))} {more}</p>'
