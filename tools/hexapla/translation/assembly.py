"""Put sections into a page of a translation: in the place of those that it has, and new ones where the source has them.
"""

from collections.abc import Mapping
from itertools import pairwise

from hexapla.pages.lines import Closes, closes_same
from hexapla.translation.sections import cut
from hexapla.translation.status import PageStatus


def assembled(
    page: PageStatus, here: str, sections: Mapping[str, str], closes_fence: Closes = closes_same
) -> str:
    """The page with sections replaced, and with new ones behind the section that they follow in the source."""
    places = {status.here: status.id for status in page.sections if status.line}
    parts = [(places.get(span.id, ""), here[span.start : span.end]) for span in cut(here, closes_fence)]
    before: str | None = None
    for status in page.sections:
        if status.id in sections:
            index = next((n for n, (name, _) in enumerate(parts) if name == status.id and status.line), None)
            if index is not None:
                parts[index] = (status.id, sections[status.id])
            else:
                after = next((n + 1 for n, (name, _) in enumerate(parts) if name == before), 0 if parts else len(parts))
                parts.insert(after, (status.id, sections[status.id]))
        if status.id in sections or status.line:
            before = status.id
    apart = [name in sections or after in sections for (name, _), (after, _) in pairwise(parts)]
    return "".join(
        text.rstrip("\r\n") + "\n\n" if new and not text.endswith(("\n\n", "\n\r\n")) else text
        for (_, text), new in zip(parts, [*apart, False], strict=True)
    )
