"""Report repairs: as text with differences, or as JSON."""

import difflib
from collections.abc import Iterator, Sequence
from typing import Any

from hexapla.mojibake.repairer import Repair

DOUBTFUL = 0.95     # the share of likely right characters under which the heading tells it
SHOWN = 12      # uncertain characters that are listed for each file


def as_json(results: Sequence[tuple[str, Repair]]) -> dict[str, Any]:
    """The object that `hexapla repair --format json` prints: path and repair of each file."""
    return {"schema": 1, "files": [_file(path, repair) for path, repair in results]}


def _file(path: str, repair: Repair) -> dict[str, Any]:
    diagnosis = repair.diagnosis
    return {
        "path": path,
        "garbled": repair.garbled,
        "diagnosis": {
            "steps": list(diagnosis.steps), "inserted": diagnosis.inserted, "language": diagnosis.language,
            "confidence": diagnosis.confidence, "cut_short": diagnosis.cut_short, "refused": diagnosis.refused,
        },
        "changed": repair.changed,
        "expected": round(repair.expected, 4),
        "uncertain": [
            {"line": item.line, "column": item.column, "text": item.text, "confidence": item.confidence,
             "alternatives": list(item.alternatives)}
            for item in repair.uncertain
        ],
        "text": repair.text,
    }


def heading(path: str, repair: Repair) -> str:
    """One line: what happened to a file and what came of it."""
    diagnosis = repair.diagnosis
    if diagnosis.refused:
        return f"{path}: {diagnosis.refused}"
    happened = "; ".join((*diagnosis.steps, *((f"inserted {diagnosis.inserted}",) if diagnosis.inserted else ())))
    cut = "; cut short" if diagnosis.cut_short else ""
    sure = repair.changed - len(repair.uncertain)
    trust = f"; of the likeliest about {repair.expected:.0%} are right" if repair.expected < DOUBTFUL else ""
    return f"{path}: garbled ({happened}{cut}): {sure} characters repaired, {len(repair.uncertain)} uncertain{trust}"


def as_text(path: str, garbled: str, repair: Repair) -> Iterator[str]:
    """The lines that a person reads: the heading, the difference, what is uncertain."""
    yield heading(path, repair)
    if repair.text != garbled:
        before, after = (text.splitlines() for text in (garbled, repair.text))
        yield from difflib.unified_diff(before, after, f"{path} (garbled)", f"{path} (repaired)", lineterm="", n=1)
    for item in repair.uncertain[:SHOWN]:
        others = f", or {' '.join(item.alternatives)}" if item.alternatives else ""
        best = f"{item.text or 'nothing fits'} ({item.confidence:.2f})"
        yield f"{path}:{item.line}:{item.column}: uncertain: {best}{others}"
    if len(repair.uncertain) > SHOWN:
        yield f"{path}: and {len(repair.uncertain) - SHOWN} more uncertain; --format json lists them all, --review asks"
