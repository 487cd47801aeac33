"""Diagnose a page for readers of many pages: cheap on clean ones, a diagnosis of a sample of suspect ones."""

from hexapla.mojibake.diagnose.detect import is_suspect

SAMPLE = 2000  # characters of suspect lines that are diagnosed


def garbled(text: str) -> str | None:
    """How a text came to be garbled, as a sentence; None for a clean text."""
    if not is_suspect(text):
        return None
    from hexapla.mojibake.repairer import diagnosis_of, looks_clean  # clean pages, nearly all, never need it

    if looks_clean(text):
        return None
    lines, size = [], 0
    for line in text.split("\n"):
        if size < SAMPLE and not looks_clean(line):
            lines.append(line)
            size += len(line)
    diagnosis = diagnosis_of("\n".join(lines)[: 2 * SAMPLE] or text[:SAMPLE])  # one line may be all of a page
    if not diagnosis.garbled:
        return diagnosis.refused or None
    return "; ".join(diagnosis.steps)
