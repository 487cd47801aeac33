"""Baselines: a file of accepted findings, so that an old tree fails on new findings alone.

Schema 2 knows a finding by its fingerprint. Schema 1, written before fingerprints were made of a finding's subject,
knew it by its message; it is read once and rewritten.
"""

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from hexapla.checks.finding import Finding, hash_of
from hexapla.errors import ConfigError
from hexapla.files import write

SCHEMA = 2


class Baseline(NamedTuple):
    """How often each fingerprint is accepted."""

    schema: int
    accepted: Counter[str]

    def mark(self, finding: Finding) -> str:
        """The fingerprint of a finding as this schema makes it."""
        return finding.fingerprint if self.schema == SCHEMA else hash_of(finding.rule, finding.path, finding.message)


def save(file: Path, findings: Iterable[Finding]) -> None:
    """Write the fingerprints, each with how often it occurs, and with the first message for whoever reads the file."""
    counted = Counter((finding.path, finding.rule, finding.fingerprint) for finding in findings)
    messages = {finding.fingerprint: finding.message for finding in reversed(list(findings))}
    entries = [
        {"path": path, "rule": rule, "message": messages[fingerprint], "fingerprint": fingerprint, "count": count}
        for (path, rule, fingerprint), count in sorted(counted.items())
    ]
    write(file, (json.dumps({"schema": SCHEMA, "accepted": entries}, ensure_ascii=False, indent=1) + "\n").encode())


def load(file: Path) -> Baseline:
    """The baseline in a file. Raises ConfigError."""
    try:
        data = json.loads(file.read_text(encoding="utf-8"))
        entries = data["accepted"]
        accepted = Counter({str(entry["fingerprint"]): int(entry.get("count", 1)) for entry in entries})
        schema = int(data.get("schema", 1))
    except OSError as error:
        raise ConfigError(f"{file}: {error.strerror or error}; write it with --write-baseline {file}") from error
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise ConfigError(f"{file}: is no baseline; write it anew with --write-baseline {file}") from error
    if schema not in (1, SCHEMA):
        raise ConfigError(f"{file}: has schema {schema}, and this version reads 1 and 2; upgrade hexapla")
    return Baseline(schema, accepted)


def split(findings: Iterable[Finding], baseline: Baseline) -> tuple[list[Finding], list[Finding]]:
    """The findings that are new, and those that the baseline accepts."""
    left = baseline.accepted.copy()
    new, accepted = list[Finding](), list[Finding]()
    for finding in findings:
        mark = baseline.mark(finding)
        left[mark] -= 1
        (new if left[mark] < 0 else accepted).append(finding)
    return new, accepted


def without_accepted(file: Path, findings: Sequence[Finding], whole: bool) -> tuple[tuple[Finding, ...], str]:
    """The findings that the baseline in a file does not accept, and a note for the user, "" for none.

    A file of schema 1 is rewritten, if the findings are those of the `whole` tree: entries that were not looked for
    have no other fingerprint yet. Raises ConfigError.
    """
    baseline = load(file)
    new, accepted = split(findings, baseline)
    note = ""
    if baseline.schema != SCHEMA and not whole:
        note = f"{file} has schema 1; check the whole tree with it once, and it is rewritten as schema {SCHEMA}"
    elif baseline.schema != SCHEMA:
        try:
            save(file, accepted)
            note = f"{file} was rewritten as schema {SCHEMA}, which knows findings by what they found; commit it"
        except OSError as error:
            note = f"{file} has schema 1 and cannot be rewritten: {error.strerror or error}"
    return tuple(new), note
