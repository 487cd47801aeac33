"""Choose snippets, and put what their runs showed into the evidence of a hardware."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from hexapla.config import ConfigError
from hexapla.examples.evidence import Evidence, EvidenceError, Hardware, Run, dump, file_name, merge, parse
from hexapla.files import write


def select(names: Iterable[str], wanted: Sequence[str]) -> list[str]:
    """The snippets whose path contains one of `wanted`, all for none. Raises ConfigError where one matches nothing."""
    known = list(names)
    for word in wanted:
        if not any(matches(name, word) for name in known):
            raise ConfigError(f"no snippet matches {word!r}; there are {', '.join(known) or 'none'}")
    return [name for name in known if not wanted or any(matches(name, word) for word in wanted)]


def matches(name: str, word: str) -> bool:
    """Whether a snippet is meant by a word; a path with its folder `snippets/` in front is too."""
    return word.removeprefix("./").removeprefix("snippets/") in name


def write_evidence(folder: Path, hardware: Hardware, runs: Mapping[str, Run]) -> Path:
    """Merge `runs` into the hardware's file and return it. Raises ConfigError where the file there is no evidence."""
    file = folder / file_name(hardware)
    try:
        old = parse(file.read_text(encoding="utf-8")) if file.is_file() else None
    except EvidenceError as error:
        raise ConfigError(f"{file}: {error}; move the file away and record again") from error
    write(file, dump(merge(old, Evidence(hardware, runs))).encode())
    return file
