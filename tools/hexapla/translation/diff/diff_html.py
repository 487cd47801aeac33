"""What changed in the source since a page was translated, as a self-contained HTML page."""

from collections.abc import Sequence

from hexapla.translation.history.changes import SectionDiff
from hexapla.translation.status.section_states import PageStatus
from hexapla.translation.status.status_html import Say, html_document, render_template
from hexapla.translation.word_diff import inline_diff


def diff_html(page: PageStatus, found: Sequence[SectionDiff], languages: tuple[str, str], say: Say) -> str:
    """One page in one language; a section's anchor is its id. `languages` are the reader's and the source's."""
    language, source = languages
    title = say("changed-title", page=page.page)
    body = render_template(
        "diff.html", page=page, sections=found, source=source, title=title, say=say, inline_diff=inline_diff
    )
    return html_document(language, title, body.rstrip("\n"))
