"""Pages that are mojibake, by the gate that the mojibake room provides."""

from collections.abc import Iterator

from hexapla.checks.context import Case, Found


def mojibake(case: Case) -> Iterator[Found]:
    """The first line of a garbled page that is garbled by itself, else its first one."""
    gate = case.settings.garbled
    reason = gate(case.page.text) if gate is not None else None
    if gate is None or reason is None:
        return
    line = next((number for number, line in enumerate(case.page.lines, 1) if not line.isascii() and gate(line)), 1)
    yield Found("mojibake", f"the text is garbled: {reason}", "run `hexapla repair` on this page", line)
