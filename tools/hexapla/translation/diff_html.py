"""What changed in the source since a page was translated, as a self-contained HTML page."""

from collections.abc import Iterable, Iterator, Sequence
from html import escape

from hexapla.translation.changes import SectionDiff
from hexapla.translation.status import Change, PageStatus
from hexapla.translation.status_html import Say, document, section_name, state_text
from hexapla.translation.word_diff import DiffKind, inline_diff

TAGS = {DiffKind.GONE: "del", DiffKind.NEW: "ins"}


def diff_html(page: PageStatus, found: Sequence[SectionDiff], languages: tuple[str, str], say: Say) -> str:
    """One page in one language; a section's anchor is its id. `languages` are the reader's and the source's."""
    heading = say("changed-title", page=page.page)
    parts = [f"<h1>{escape(heading)}</h1>"]
    parts += [part for each in found for part in section_html(page, each, languages[1], say)]
    return document(languages[0], heading, "\n".join(parts))


def section_html(page: PageStatus, found: SectionDiff, source: str, say: Say) -> Iterator[str]:
    """What changed in one section, the translation beside it."""
    status = found.status
    yield f'<h2 id="{escape(status.id or "top")}">{escape(section_name(status, say))}</h2>'
    yield f"<p>{escape(state_text(status, say))}</p>"
    yield '<div class="beside">'
    yield "<div>"
    if found.before is not None:
        yield f"<h3>{escape(say('changed-source'))}</h3>"
        yield f'<pre lang="{escape(source)}">{marked(inline_diff(found.before, found.source))}</pre>'
    elif found.source and status.change in {Change.TEXT, None}:
        if status.change:
            yield f"<p>{escape(say('changed-unknown'))}</p>"
        yield f'<pre lang="{escape(source)}">{escape(found.source)}</pre>'
    if found.code is not None:
        yield f"<h3>{escape(say('changed-code'))}</h3>"
        yield f"<pre><code>{''.join(map(code_line, found.code))}</code></pre>"
    if found.output is not None or status.change is Change.OUTPUT:
        yield f"<p>{escape(say('changed-output'))}</p>"
    if found.output is not None:
        yield f"<pre><samp>{''.join(map(code_line, found.output))}</samp></pre>"
    elif status.change is Change.OUTPUT:
        yield f"<p>{escape(say('changed-output-unknown'))}</p>"
    yield "</div>"
    if found.translation:
        yield f"<div><h3>{escape(say('changed-translation'))}</h3>"
        yield f'<pre lang="{escape(page.language)}">{escape(found.translation)}</pre></div>'
    yield "</div>"


def marked(runs: Iterable[tuple[DiffKind, str]]) -> str:
    """Runs of Markdown, with those removed and added marked."""
    return "".join(
        f"<{TAGS[kind]}>{escape(text)}</{TAGS[kind]}>" if kind in TAGS else escape(text) for kind, text in runs
    )


def code_line(line: str) -> str:
    """A line of a unified difference."""
    tag = {"-": "del", "+": "ins"}.get(line[:1])
    return f"<{tag}>{escape(line)}</{tag}>\n" if tag else f"{escape(line)}\n"
