"""Put a section into the text of a page."""

from collections.abc import Sequence

from hexapla.translation.sections.sections import LEAD, SectionSpan


def tidy_text(typed: str) -> str:
    """The text of a text box with newlines as line ends and without white space behind its last line."""
    return typed.replace("\r\n", "\n").replace("\r", "\n").rstrip()


def replace(text: str, span: SectionSpan, new: str) -> str:
    """The page with a section replaced; the blank lines behind the section and the page's line ends stay."""
    old = text[span.start : span.end]
    behind = old[len(old.rstrip()) :] or "\n"
    ending = "\r\n" if "\r\n" in text else "\n"
    return text[: span.start] + tidy_text(new).replace("\n", ending) + behind + text[span.end :]


def insert(text: str, spans: Sequence[SectionSpan], before: Sequence[str], new: str) -> str:
    """The page with a section it did not have, behind the last one of those in `before` that it has.

    `before` are the ids that stand above it in the source, in the source's order.
    """
    ending = "\r\n" if "\r\n" in text else "\n"
    here = {span.id: span for span in spans}
    offset = next((here[name].end for name in reversed(before) if name in here), None)
    if offset is None:
        offset = next((span.start for span in spans if span.id != LEAD), len(text))
    above, below = text[:offset].rstrip(), text[offset:]
    made = tidy_text(new).replace("\n", ending)
    parts = [part for part in (above, made) if part]
    return (ending * 2).join(parts) + (ending * 2 + below if below.strip() else ending)
