"""The evidence of a hardware on disk: found, read before anything is run, and put back with the new runs in it."""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from hexapla.errors import ConfigError
from hexapla.examples.evidence import Evidence, EvidenceError, Hardware, Run, dump, file_name, merge, parse
from hexapla.files import write


@dataclass(slots=True)
class Archive:
    """The files of evidence in a folder; the runs of the `accepted` snippets are not read: new ones replace them."""

    folder: Path
    accepted: Collection[str] = ()
    _known: dict[Hardware, Mapping[str, Run]] = field(default_factory=dict)
    _new: dict[Hardware, dict[str, Run]] = field(default_factory=dict)

    def known(self, hardware: Hardware) -> Mapping[str, Run]:
        """The runs recorded on a hardware. Raises ConfigError where they cannot be trusted."""
        if hardware not in self._known:
            self._known[hardware] = read(self.folder / file_name(hardware), self.accepted)
        return self._known[hardware]

    def add(self, hardware: Hardware, snippet: str, run: Run) -> None:
        """Remember a new run."""
        self._new.setdefault(hardware, {})[snippet] = run

    def write(self, names: Collection[str]) -> Iterator[Path]:
        """Put the new runs beside those that the file has by now, of snippets in `names`, and give each file."""
        for hardware, runs in self._new.items():
            file = self.folder / file_name(hardware)
            kept = {name: run for name, run in read(file, runs.keys()).items() if name in names}
            write(file, dump(merge(Evidence(hardware, kept), Evidence(hardware, runs))).encode())
            yield file


def read(file: Path, without: Collection[str]) -> Mapping[str, Run]:
    """The runs in a file, none where there is no file. Raises ConfigError where they cannot be trusted."""
    if not file.is_file():
        return {}
    try:
        return parse(file.read_text(encoding="utf-8"), without).runs
    except (EvidenceError, UnicodeDecodeError) as error:
        todo = "take the change back, record that snippet again, or move the file away and record again"
        raise ConfigError(f"{file}: {error}; {todo}") from error


def everything(folder: Path) -> Iterator[Evidence]:
    """The evidence of every hardware that can be read; what cannot be is told where it matters."""
    for file in sorted(folder.glob("*.json")):
        try:
            yield parse(file.read_text(encoding="utf-8"))
        except (EvidenceError, UnicodeDecodeError):
            continue
