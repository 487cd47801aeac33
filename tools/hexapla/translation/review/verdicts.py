"""What was decided about doubts: one file a page and language, a line a verdict, in the order of the hashes.

    91f0c3d1a2b4 4e1f0a9b8c7d missing dismissed by Ada Lovelace: the caption says it
    a2b40c1d2e3f 5be1a6d0c7f8 meaning sound by qwen3:8b, question 1
    c7f891f0c3d1 0c1d2e3f4a5b meaning reversed by qwen3:8b, question 1: "never" became "always"

The hashes are those of the source's text and of the translation's: a verdict holds until either changes, and holds
again where the text comes back. A dismissal and what each model decided of the same texts stand beside each other.
A merge of two people's verdicts conflicts seldom; both sides of a conflict are read.
"""

import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import NamedTuple

from hexapla.config.layout import RECORDS
from hexapla.errors import ConfigError
from hexapla.files import inside, later_schema, locked, read_file, replace_if_unchanged
from hexapla.translation.sections.section_problems import reason_of
from hexapla.translation.sections.sections import digest

FOLDER = f"{RECORDS}/review"
DISMISSED, SOUND = "dismissed", "sound"
MEANING = "meaning"  # the kind of what rules cannot tell
LINE = re.compile(r"([0-9a-f]{12}|-) ([0-9a-f]{12}|-) ([a-z]+) ([a-z]+) by ([^:]+(?::[^: ][^:]*)*)(?:: (.*))?")
NO_NAME = re.compile(r"^[: ]+|:(?=[: ]|$)")  # what `by` in a line cannot hold; `qwen3:8b` it can
CONFLICT = re.compile(r"(<{7}|={7}|>{7}|\|{7})(?: .*)?")
SCHEMA = 1  # of a file, which names a later one in its first line: `# schema: 2`
ID = 8      # characters of a doubt's id


class Doubt(NamedTuple):
    """What is doubtful in a translation: the kind, where it stands, what it is about and why.

    `source` and `target` are the texts of the source and of the translation, "" where one side has none; `judge` is the
    model that decided it, "" where rules doubt.
    """

    language: str
    page: str
    section: str
    path: str
    line: int
    source_line: int
    kind: str
    message: str
    source: str
    target: str
    judge: str = ""

    @property
    def key(self) -> "Key":
        """What a verdict about it is found by."""
        return text_hash(self.source), text_hash(self.target), MEANING if self.judge else self.kind

    @property
    def id(self) -> str:
        """What it is called by on a command line."""
        return digest(self.language, self.page, *self.key)[:ID]


class Verdict(NamedTuple):
    """What was decided: dismissed, sound, or the kind of an error; by whom, and why."""

    decision: str
    by: str
    reason: str = ""

    @property
    def judge(self) -> str:
        """The model and the version of what it was asked, "" for people: of them the last one's dismissal holds."""
        return "" if self.decision == DISMISSED else name_of(self.by)


Key = tuple[str, str, str]  # hashes of the texts, and the kind of the doubt
Verdicts = Mapping[tuple[Key, str], Verdict]  # by what was judged, and the judge


def text_hash(text: str) -> str:
    return digest(" ".join(text.split())) or "-"


def verdicts_path(language: str, page: str) -> str:
    """The path of a page's verdicts, relative to the root."""
    return f"{FOLDER}/{language}/{page}.txt"


def parse_verdicts(data: bytes | None) -> tuple[dict[tuple[Key, str], Verdict], list[str]]:
    """The verdicts in a file, and the lines that could not be read, which are kept."""
    text = (data or b"").decode("utf-8", "surrogateescape")
    found, strange = dict[tuple[Key, str], Verdict](), list[str]()
    for line in text.lstrip("\ufeff").replace("\r\n", "\n").split("\n"):
        if match := LINE.fullmatch(line):
            verdict = Verdict(match[4], match[5], match[6] or "")
            found[(match[1], match[2], match[3]), verdict.judge] = verdict
        elif line.strip() and not CONFLICT.fullmatch(line):
            strange.append(line)
    return found, strange


def dump_verdicts(found: Verdicts, strange: Iterable[str] = ()) -> str:
    """The text of a file."""
    lines = [f"{' '.join(key)} {decision} by {by}{f': {reason}' if reason else ''}"
             for (key, _), (decision, by, reason) in sorted(found.items())]
    return "".join(f"{line}\n" for line in (*strange, *lines))


def read_verdicts(root: Path, language: str, page: str) -> Verdicts:
    """The verdicts of a page, none where nobody has decided anything. Raises ConfigError."""
    return parse_verdicts(verdicts_data(root, verdicts_path(language, page)))[0]


def verdicts_data(root: Path, path: str) -> bytes | None:
    """The bytes of a file of verdicts, None where there is none.

    Raises ConfigError for one that cannot be read or that a later version wrote.
    """
    try:
        data = read_file(root, path)
    except FileNotFoundError:
        return None
    except OSError as error:
        why = error.strerror or error
        raise ConfigError(f"{path}: {why}; it has to be a file that can be read, or not to be there") from error
    if later := later_schema(data.split(b"\n", 1)[0].decode("utf-8", "replace").strip(), SCHEMA):
        raise ConfigError(f"{path}: {later}")
    return data


def write_verdicts(root: Path, language: str, page: str, new: Mapping[Key, Verdict]) -> None:
    """Write verdicts of a page beside those that others have written meanwhile. Raises ConfigError, OSError."""
    path = verdicts_path(language, page)
    with locked(root / RECORDS):
        data = verdicts_data(root, path)
        known, strange = parse_verdicts(data)
        written = {(key, each.judge): Verdict(each.decision, name_of(each.by), reason_of([each.reason]))
                   for key, each in new.items()}
        text = dump_verdicts({**known, **written}, strange)
        replace_if_unchanged(inside(root, path), data, text.encode("utf-8", "surrogateescape"))


def name_of(name: str) -> str:
    """A name as a line holds it."""
    return " ".join(NO_NAME.sub(" ", reason_of([name])).split()) or "-"
