"""Put sections into a page of a translation: in the place of those that it has, and new ones where the source has them.
"""

from collections.abc import Mapping
from typing import NamedTuple

from hexapla.pages.lines import Closes, closes_same
from hexapla.translation.sections.sections import LEAD, cut_sections
from hexapla.translation.status.section_states import PageStatus


class Part(NamedTuple):
    """A section of the page that is made: `old` is its text on the page, None for one that is new there."""

    id: str
    text: str
    old: str | None


def assemble_page(
    page: PageStatus, here: str, sections: Mapping[str, str], closes_fence: Closes = closes_same
) -> str:
    """The page with sections replaced, and with new ones behind the section that they follow in the source."""
    places = {status.here: status.id for status in page.sections if status.line}
    cuts = cut_sections(here, closes_fence)
    parts = [Part(places.get(span.id, ""), text := here[span.start : span.end], text) for span in cuts]
    lead = sum(span.id == LEAD for span in cuts[:1])  # what stands above all headings stays there
    before: str | None = None
    for status in page.sections:
        if status.id in sections:
            index = next((n for n, part in enumerate(parts) if part.id == status.id and status.line), None)
            if index is not None:
                parts[index] = parts[index]._replace(text=sections[status.id])
            else:
                place = next((n + 1 for n, part in enumerate(parts) if part.id == before), lead)
                parts.insert(place, Part(status.id, sections[status.id], None))
        if status.id in sections or status.line:
            before = status.id
    blank = "\r\n\r\n" if "\r\n" in here else "\n\n"
    pieces = []
    for part, after in zip(parts, [*parts[1:], None], strict=True):
        both_stood = after is not None and part.old is not None and after.old is not None
        as_before = both_stood and white_end(part.text) == white_end(part.old or "")
        stays = after is None or as_before or part.text.endswith(("\n\n", "\n\r\n"))
        pieces.append(part.text if stays else part.text.rstrip("\r\n") + blank)
    return "".join(pieces)


def white_end(text: str) -> str:
    return text[len(text.rstrip()) :]
