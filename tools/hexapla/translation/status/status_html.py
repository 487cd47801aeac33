"""The status of a tree as a self-contained HTML page: a row per page, a field per section, coloured by state."""

from collections.abc import Callable
from typing import NamedTuple, Protocol

from jinja2 import Environment, PackageLoader
from markupsafe import Markup

from hexapla.pages.invisible import visible
from hexapla.translation.status.section_states import Change, PageStatus, SectionStatus
from hexapla.translation.status.status_text import Pages, by_language, count_states, waits_for_people


class Say(Protocol):
    """The sentence of a name in the reader's language, its values put in."""

    def __call__(self, name: str, /, **values: object) -> str: ...


# The address of what changed on a page, or in one of its sections; "" for none.
Link = Callable[[PageStatus, SectionStatus | None], str]


def render_template(template: str, **values: object) -> str:
    """The HTML of one of the templates of this room; every value is escaped."""
    return TEMPLATES.get_template(template).render(values)


class PageTop(NamedTuple):
    """The HTML that a site adds to a page: in its head, and above its text."""

    head: str
    bar: str


ALONE = PageTop("", "")


def html_document(language: str, title: str, body: str, top: PageTop = ALONE) -> str:
    """An HTML page, self-contained without a site's `top`; `body` is HTML."""
    parts = {"body": Markup(body), "head": Markup(top.head), "bar": Markup(top.bar)}
    return render_template("document.html", language=language, title=title, **parts) + "\n"


def status_html(pages: Pages, say: Say) -> str:
    """All languages on one page, as `hexapla status --format html` prints it."""
    lines: list[str] = []
    for language, found in by_language(pages).items():
        lines.append(Markup("<h1>{}</h1>").format(say("status-title", translation=language)))
        lines += language_status(found, say, lambda page, section: "")
    return html_document("en", say("status-title", translation=", ".join(by_language(pages))), "\n".join(lines))


def language_status(pages: Pages, say: Say, link: Link) -> list[str]:
    """One language, line by line: its counts, its rows of fields, what is left to do."""
    return render_template("status.html", pages=pages, counts=count_states(pages), say=say, link=link).splitlines()


def state_text(section: SectionStatus, say: Say) -> str:
    """A section's state, and what changed."""
    state = say(f"state-{section.state}")
    if not section.change:
        return state
    known = section.change is Change.TEXT and section.words is not None
    unknown = "change-text-unknown" if section.change is Change.TEXT else f"change-{section.change}"
    change = say("change-text", words=section.words) if known else say(unknown)
    return say("state-and-change", state=state, change=change)


TEMPLATES = Environment(
    loader=PackageLoader("hexapla.translation"), autoescape=True, trim_blocks=True, lstrip_blocks=True
)
TEMPLATES.globals["state_text"] = state_text
TEMPLATES.filters["visible"] = lambda doubt: visible(str(doubt))
TEMPLATES.tests["waiting"] = waits_for_people
