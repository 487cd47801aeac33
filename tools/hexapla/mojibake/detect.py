"""Whether a page is mojibake, for who reads many pages: cheap on clean ones, a diagnosis for those that look odd."""

from hexapla.mojibake.codec_evidence import survey
from hexapla.mojibake.impossible_text import beyond
from hexapla.mojibake.plausibility import CLEAN, share_common

SAMPLE = 2000  # characters of odd lines that are diagnosed


def suspect(text: str) -> bool:
    """Whether a text may be garbled. Cheap: made to wave clean pages through."""
    return not text.isascii() and (
        "\ufffd" in text or bool(survey(text)) or share_common(text) < CLEAN or bool(beyond(text)))


def garbled(text: str) -> str | None:
    """How a text came to be garbled, None where it is not."""
    if not suspect(text):
        return None
    from hexapla.mojibake.repairer import looks_clean, repair  # for the few pages that look odd

    if looks_clean(text):
        return None
    odd, taken = [], 0
    for line in text.split("\n"):
        if taken < SAMPLE and not looks_clean(line):
            odd.append(line)
            taken += len(line)
    diagnosis = repair("\n".join(odd) or text[:SAMPLE]).diagnosis
    if not diagnosis.garbled:
        return diagnosis.refused or None
    return "; ".join(diagnosis.steps)
