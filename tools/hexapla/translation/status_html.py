"""The status of a tree as a self-contained HTML page: a row per page, a field per section, coloured by state."""

from collections.abc import Callable, Iterator
from html import escape
from string import Template
from typing import Protocol

from hexapla.translation.status import Change, PageStatus, SectionStatus, TranslationState
from hexapla.translation.status_text import Pages, by_language, summary


class Say(Protocol):
    """The sentence of a name in the reader's language, its values put in."""

    def __call__(self, name: str, /, **values: object) -> str: ...


# The address of what changed on a page, or in one of its sections; "" for none.
Link = Callable[[PageStatus, SectionStatus | None], str]

DOCUMENT = Template("""<!doctype html>
<html lang="$language">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width,initial-scale=1">
<meta name="robots" content="noindex">
<title>$title</title>
<style>$style</style>
</head>
<body>
<main>
$body
</main>
</body>
</html>
""")
# Colours that people with any colour vision tell apart: Okabe and Ito, "Color Universal Design", 2002.
STYLE = """
:root { color-scheme: light dark; }
body { font: 1rem/1.5 system-ui, sans-serif; margin: 0 auto; max-width: 75rem; padding: 1rem; }
h1 { font-size: 1.5rem; } h2 { font-size: 1.2rem; margin-top: 2rem; } h3 { font-size: 1rem; }
table { border-collapse: collapse; } th { font-weight: normal; text-align: start; vertical-align: top; }
th, td { padding: .1rem .75rem .1rem 0; } code, pre, samp { font-family: ui-monospace, monospace; font-size: .9em; }
i { display: inline-block; width: .85rem; height: .85rem; margin: 0 1px; box-sizing: border-box; background: #009e73; }
i.behind { background: linear-gradient(135deg, #e69f00 50%, #8a5f00 50%); }
i.missing { background: none; border: 2px solid #888; } i.extra { background: #cc79a7; border-radius: 50%; }
i.draft { background: repeating-linear-gradient(45deg, #56b4e9 0 3px, #1b6fa8 3px 6px); }
i.unrecorded { background: repeating-linear-gradient(90deg, #999 0 2px, transparent 2px 4px); }
.legend { list-style: none; padding: 0; } .legend li { display: inline-block; margin-inline-end: 1.25rem; }
del { background: #e69f0055; } ins { background: #009e7355; text-decoration: none; border-bottom: 2px solid #009e73; }
pre { white-space: pre-wrap; border: 1px solid #8888; padding: .5rem; }
.beside { display: grid; gap: 1.5rem; grid-template-columns: repeat(auto-fit, minmax(min(28rem, 100%), 1fr)); }
"""


def document(language: str, title: str, body: str) -> str:
    """A self-contained HTML page."""
    return DOCUMENT.substitute(language=escape(language), title=escape(title), style=STYLE, body=body)


def status_html(pages: Pages, say: Say) -> str:
    """All languages on one page, as `hexapla status --format html` prints it."""
    parts = [
        part for language, found in by_language(pages).items()
        for part in (
            f"<h1>{escape(say('status-title', translation=language))}</h1>", *language_status(found, say, no_link)
        )
    ]
    return document("en", say("status-title", translation=", ".join(by_language(pages))), "\n".join(parts))


def no_link(page: PageStatus, section: SectionStatus | None) -> str:
    """The address of changes where there are no pages of changes."""
    return ""


def language_status(pages: Pages, say: Say, link: Link) -> Iterator[str]:
    """One language: its counts, its rows of fields, what is left to do."""
    counts = summary(pages)
    done, words = counts["pages"][TranslationState.CURRENT], counts["words_behind"]
    yield f"<p>{escape(say('status-summary', done=done, pages=len(pages), words=words))}</p>"
    yield f"<p>{escape(say('status-picture'))}</p>"
    used = [state for state in TranslationState if counts["sections"][state]]
    fields = (f'<li><i class="{state}"></i> {escape(say(f"state-{state}"))}</li>' for state in used)
    yield f'<ul class="legend">{"".join(fields)}</ul>'
    yield "<table>"
    yield from (page_row(page, say, link) for page in pages)
    yield "</table>"
    yield f"<h2>{escape(say('status-open'))}</h2>"
    left = [page for page in pages if page.state is not TranslationState.CURRENT]
    if left:
        yield f"<ul>{''.join(page_item(page, say, link) for page in left)}</ul>"
    else:
        yield f"<p>{escape(say('status-none'))}</p>"


def page_row(page: PageStatus, say: Say, link: Link) -> str:
    """A page and its fields."""
    fields = "".join(section_field(section, say) for section in page.sections)
    return f"<tr><th>{linked(page.page, link(page, None))}<td>{fields}"


def section_field(section: SectionStatus, say: Say) -> str:
    """A section in a row; one that is not current has its name and state as a title."""
    if section.state is TranslationState.CURRENT:
        return "<i></i>"
    title = f"{section_name(section, say)}: {state_text(section, say)}"
    return f'<i class="{section.state}" title="{escape(title)}"></i>'


def page_item(page: PageStatus, say: Say, link: Link) -> str:
    """What is left to do on a page; a missing page in one line."""
    if page.state is TranslationState.MISSING:
        return f"<li>{escape(page.page)}: {escape(say('state-missing'))}</li>"
    sections = "".join(
        f"<li>{linked(section_name(section, say), link(page, section))}: {escape(state_text(section, say))}</li>"
        for section in page.sections if section.state is not TranslationState.CURRENT
    )
    return f"<li>{linked(page.page, link(page, None))}<ul>{sections}</ul></li>"


def linked(text: str, address: str) -> str:
    """A text, as a link where there is an address."""
    return f'<a href="{escape(address)}">{escape(text)}</a>' if address else escape(text)


def section_name(section: SectionStatus, say: Say) -> str:
    """What a section is called."""
    return section.title or section.id or say("top")


def state_text(section: SectionStatus, say: Say) -> str:
    """A section's state, and what changed."""
    state = say(f"state-{section.state}")
    return say("state-and-change", state=state, change=change_text(section, say)) if section.change else state


def change_text(section: SectionStatus, say: Say) -> str:
    """What changed in the source of a section that is behind."""
    if section.change is Change.TEXT and section.words is not None:
        return say("change-text", words=section.words)
    return say("change-text-unknown" if section.change is Change.TEXT else f"change-{section.change}")
