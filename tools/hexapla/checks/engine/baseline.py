"""Today's findings accepted: a file of fingerprints, so that an old tree fails on what is new alone."""

import json
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

from hexapla.checks.finding import Finding
from hexapla.errors import ConfigError
from hexapla.files import write


def save(file: Path, findings: Iterable[Finding]) -> None:
    """Write the fingerprints, each with how often it occurs and with what a reader of the file needs to know."""
    counted = Counter((finding.path, finding.rule, finding.message, finding.fingerprint) for finding in findings)
    entries = [
        {"path": path, "rule": rule, "message": message, "fingerprint": fingerprint, "count": count}
        for (path, rule, message, fingerprint), count in sorted(counted.items())
    ]
    write(file, (json.dumps({"schema": 1, "accepted": entries}, ensure_ascii=False, indent=1) + "\n").encode())


def load(file: Path) -> Counter[str]:
    """How often each fingerprint is accepted. Raises ConfigError."""
    try:
        entries = json.loads(file.read_text(encoding="utf-8"))["accepted"]
        return Counter({str(entry["fingerprint"]): int(entry.get("count", 1)) for entry in entries})
    except OSError as error:
        raise ConfigError(f"{file}: {error.strerror or error}; write it with --write-baseline {file}") from error
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise ConfigError(f"{file}: is no baseline; write it anew with --write-baseline {file}") from error


def new(findings: Iterable[Finding], accepted: Counter[str]) -> list[Finding]:
    """The findings that the baseline does not accept."""
    left = accepted.copy()
    kept = []
    for finding in findings:
        if left[finding.fingerprint] > 0:
            left[finding.fingerprint] -= 1
        else:
            kept.append(finding)
    return kept
