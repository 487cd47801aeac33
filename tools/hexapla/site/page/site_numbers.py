"""Numbers about a whole site, out of its evidence and its records of translation, and a passage in all languages."""

import re
from collections import Counter
from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from markdown import markdown

from hexapla.examples.evidence import RunState
from hexapla.pages.evidence_references import insert_figures
from hexapla.pages.lines import read
from hexapla.site.page.line_breaks import remove_cjk_line_breaks
from hexapla.site.page.site_files import alternate_urls
from hexapla.site.page.translation_status import TranslationStatus
from hexapla.site.sources import SiteSources
from hexapla.translation.sections.sections import cut_sections
from hexapla.translation.status.section_states import TranslationState, find_statuses

if TYPE_CHECKING:
    from mkdocs.structure.files import Files

NOT_IN_STEP = {TranslationState.BEHIND, TranslationState.MISSING, TranslationState.DRAFT, TranslationState.REVIEW,
               TranslationState.UNRECORDED}
LINK = re.compile(r"(?<!!)\[([^\[\]]*)\]\([^()]*\)")
NO_PARAGRAPH = re.compile(r"\s*(?:[-*+|>#!<`~?\d]|={3}|--8<)")


class SiteNumbers(NamedTuple):
    """What holds of a site today.

    `programs` are those of `total` that ran as they are now, `hardware` how many of them on each kind, and `tests` what
    asserted their effect there. Of the `sections` of all translations, `in_step` are current. `languages` names the
    source too.
    """

    programs: int
    total: int
    hardware: tuple[tuple[str, int], ...]
    tests: int
    languages: tuple[str, ...]
    sections: int
    in_step: int


class ParallelPassage(NamedTuple):
    """A paragraph of a section in one language: its HTML, the section's title, its address from the site's root."""

    language: str
    name: str
    title: str
    url: str
    html: str


def count_numbers(sources: SiteSources, status: TranslationStatus) -> SiteNumbers:
    """The numbers of a site."""
    ran = [
        (path, each.hardware.kind, run) for each in sources.evidence for path, run in each.runs.items()
        if path in sources.programs and sources.current.state(path, run) is RunState.RAN
    ]
    kinds = Counter(kind for _, kind in {(path, kind) for path, kind, _ in ran})
    codes = [each.code for each in sources.project.languages]
    written = dict.fromkeys(status.origin.get(code, code) for code in codes[1:])
    states = [section.state for page in find_statuses(status.sections, [*written]) for section in page.sections]
    return SiteNumbers(
        len({path for path, *_ in ran}), len(sources.programs),
        tuple((name, kinds[kind]) for kind, name in sources.project.hardware.items() if kind in kinds),
        len({(path, test) for path, _, run in ran for test in run.tests}),
        tuple(each.name for each in sources.project.languages), len(states),
        sum(state not in NOT_IN_STEP for state in states),
    )


def parallel_passages(sources: SiteSources, files: "Files", page: str, section: str) -> Iterator[ParallelPassage]:
    """The first paragraph of a section in each language that has the page."""
    paths = {each: f"{each.code}/{page}" for each in sources.project.languages}
    urls = next((alternate_urls(files.src_uris[path]) for path in paths.values() if path in files.src_uris), {})
    for language, path in paths.items():
        key = sources.derived.get(path, (language.code, page))
        if language.code not in urls or key not in sources.pages:
            continue
        text = sources.pages.text(key)
        text = sources.derived.convert(path, text) if path in sources.derived else text
        span = next((each for each in cut_sections(text) if each.id == section), None)
        if span is None:
            continue
        lines = insert_figures([*read(text[span.start : span.end])], partial(sources.figure, language=language.code))
        paragraphs = "".join(line.text for line in lines).split("\n\n")[1:]
        plain = next((each for each in paragraphs if each.strip() and not NO_PARAGRAPH.match(each)), "")
        html = remove_cjk_line_breaks(markdown(LINK.sub(r"\1", plain).strip()))
        title, url = span.title.replace("`", ""), f"{urls[language.code]}#{section}"
        yield ParallelPassage(language.code, language.name, title, url, html)
