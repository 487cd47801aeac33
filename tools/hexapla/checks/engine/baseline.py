"""Baselines: a file of accepted findings, by their fingerprints, so that an old tree fails on new findings alone."""

import json
import os
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

from hexapla.checks.finding import Finding
from hexapla.errors import ConfigError
from hexapla.files import later_schema, read_text, write_file

SCHEMA = 2


def save_baseline(file: Path, findings: Iterable[Finding]) -> None:
    """Write the fingerprints, each with how often it occurs, and with the first message for whoever reads the file."""
    counted = Counter((finding.path, finding.rule, finding.fingerprint) for finding in findings)
    messages = {finding.fingerprint: finding.message for finding in reversed(list(findings))}
    entries = [
        {"path": path, "rule": rule, "message": messages[fingerprint], "fingerprint": fingerprint, "count": count}
        for (path, rule, fingerprint), count in sorted(counted.items())
    ]
    text = json.dumps({"schema": SCHEMA, "accepted": entries}, ensure_ascii=False, indent=1)
    write_file(file, f"{text}\n".encode())


def load(file: Path) -> Counter[str]:
    """How often each fingerprint is accepted by the baseline in a file. Raises ConfigError."""
    real = Path(os.path.realpath(file))  # whoever names it may name a link; what a tree names has been looked at
    try:
        data = json.loads(read_text(real.parent, real))
        accepted = Counter({str(each["fingerprint"]): int(each.get("count", 1)) for each in data["accepted"]})
        schema = int(data["schema"])
    except ConfigError:
        raise
    except OSError as error:
        raise ConfigError(f"{file}: {error.strerror or error}; write it with --write-baseline {file}") from error
    except (ValueError, OverflowError, RecursionError, KeyError, TypeError, AttributeError) as error:
        raise ConfigError(f"{file}: is no baseline; write it anew with --write-baseline {file}") from error
    if later := later_schema(schema, SCHEMA):
        raise ConfigError(f"{file}: {later}")
    if schema != SCHEMA:
        raise ConfigError(f"{file}: has schema {schema}, and this version reads {SCHEMA}; write it anew with "
                          f"--write-baseline {file}")
    return accepted
