"""Whether a page is mojibake, for who reads many pages: cheap on clean ones, a diagnosis for those that look odd."""

from hexapla.mojibake.repair import looks_clean, repair

SAMPLE = 2000  # characters of odd lines that are diagnosed


def garbled(text: str) -> str | None:
    """How a text came to be garbled, None where it is not."""
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
