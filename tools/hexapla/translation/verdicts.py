"""What is doubted and what was decided: one file a page and language, a line a verdict, in the order of the hashes.

    91f0c3d1a2b4 4e1f0a9b8c7d missing doubted by hexapla: 'The cache is empty.' seems to be missing
    91f0c3d1a2b4 4e1f0a9b8c7d unit dismissed by Ada Lovelace: the caption says it
    a2b40c1d2e3f 5be1a6d0c7f8 meaning sound by qwen3:8b, question 1
    c7f891f0c3d1 0c1d2e3f4a5b meaning reversed by qwen3:8b, question 1: "never" became "always"

The hashes are those of the source's text and of the translation's: a verdict holds until either changes, and holds
again where the text comes back. What one side lacks, or has in another text's place, holds until the section changes.
A dismissal takes the place of what rules doubt; what each model decided of the same texts stands beside it.
A merge of two people's verdicts conflicts seldom; both sides of a conflict are read.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from hexapla.errors import ConfigError
from hexapla.files import join_inside, later_schema, lock_folder, replace_if_unchanged
from hexapla.pages.invisible import visible
from hexapla.translation.records import records
from hexapla.translation.sections.section_problems import reason_of
from hexapla.translation.sections.sections import hash_parts
from hexapla.translation.translation_tree import REVIEW, record_files

DOUBTED, DISMISSED, SOUND = "doubted", "dismissed", "sound"
RULES = "hexapla"         # by whom what no model was asked about is doubted
MEANING = "meaning"       # the kind of what rules cannot tell
OF_SECTION = {"swapped"}  # the kinds that are seen by a section's other texts
LINE = re.compile(r"([0-9a-f]{12}|-) ([0-9a-f]{12}|-) ([a-z]+) ([a-z]+) by ([^:]+(?::[^: ][^:]*)*)(?:: (.*))?")
NO_NAME = re.compile(r"^[: ]+|:(?=[: ]|$)")  # what `by` in a line cannot hold; `qwen3:8b` it can
ID = 8      # characters of a doubt's id
Key = tuple[str, str, str]  # hashes of the texts, and the kind of the doubt


class Verdict(NamedTuple):
    """What was decided: doubted, dismissed, sound, or the kind of an error; by whom, and why."""

    decision: str
    by: str
    reason: str = ""

    @property
    def judge(self) -> str:
        """The model and the version of what it was asked, "" for rules and people: the last one's dismissal holds."""
        return "" if self.decision in {DOUBTED, DISMISSED} else name_of(self.by)


class Doubt(NamedTuple):
    """What is doubtful in a translation: its kind, place and reason, both texts, "" for none, and who says so."""

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
    key: Key
    judge: str = ""

    @property
    def id(self) -> str:
        """The short name of a doubt on a command line."""
        return hash_parts(self.language, self.page, *self.key)[:ID]

    def decided(self, verdict: Verdict) -> "Doubt":
        """The doubt with the kind, the reason and the judge of a verdict."""
        kind = self.kind if verdict.decision == DOUBTED else verdict.decision
        return self._replace(kind=kind, message=verdict.reason, judge=verdict.judge)

    def as_data(self) -> dict[str, object]:
        """The fields as JSON has them, with its id; what a file of verdicts says may be of any bytes."""
        fields = self._replace(message=visible(self.message), judge=visible(self.judge))._asdict()
        return {name: value for name, value in fields.items() if name != "key"} | {"id": self.id}

    def __str__(self) -> str:
        return f"{self.kind}: {self.message} (source line {self.source_line or '-'}) [{self.id}]"


Verdicts = dict[tuple[Key, str], Verdict]  # of a page, by what was judged, and the judge
NewVerdicts = Mapping[str, Mapping[Key, Verdict]]  # of a language, by page


def doubt_key(kind: str, texts: Sequence[str], section: Sequence[Sequence[str]] = ((), ())) -> Key:
    """What a doubt is found by: its texts, and where they alone do not show it those of both sides of their section."""
    wide = kind in OF_SECTION or not all(texts)
    source, target = (text_hash(text, *([section_hash(side)] if wide else []))
                      for text, side in zip(texts, section, strict=True))
    return source, target, kind


def text_hash(text: str, *section: str) -> str:
    """What a text is called by: by its words, and by the hash of its section where that counts too."""
    return hash_parts(" ".join(text.split()), *section) or "-"


def section_hash(texts: Sequence[str]) -> str:
    """A hash of all texts of one side of a section."""
    return hash_parts(*(" ".join(text.split()) for text in texts))


def text_hashes(texts: Sequence[str]) -> dict[str, list[int]]:
    """The places of a section's texts by all that verdicts call them, none for that of a text which is not there."""
    whole = section_hash(texts)
    places: dict[str, list[int]] = {}
    for place, text in enumerate(texts):
        places.setdefault(" ".join(text.split()), []).append(place)
    named = {name: found for text, found in places.items() for name in (text_hash(text), text_hash(text, whole))}
    return {**named, text_hash("", whole): []}


def open_doubts(found: Verdicts) -> dict[Key, list[Verdict]]:
    """What is doubted and nobody has dismissed, by what it is about: by rules, or by each model that doubts it."""
    made: dict[Key, list[Verdict]] = {}
    for (key, _), verdict in found.items():
        if verdict.decision not in {SOUND, DISMISSED} and not is_dismissed(found, key):
            made.setdefault(key, []).append(verdict)
    return made


def is_dismissed(found: Verdicts, key: Key) -> bool:
    """Whether somebody has said that a doubt is none."""
    return (key, "") in found and found[key, ""].decision == DISMISSED


def make_dismissal(by: str, reason: str) -> Verdict:
    """The verdict of a person that a doubt is none. Raises ConfigError without a name or a reason."""
    if not reason_of([reason]):
        raise ConfigError("a dismissal has a reason: say why the doubt is none")
    if not by:
        raise ConfigError("a dismissal has a name: set git's user.name, or give --by NAME to `hexapla review`")
    return Verdict(DISMISSED, by, reason)


def verdicts_path(language: str, page: str) -> str:
    """The path of a page's verdicts, relative to the root."""
    return records.path(f"{REVIEW}/{language}", page)


def verdict_files(root: Path, language: str) -> dict[str, bytes]:
    """A language's files of verdicts by page. Raises ConfigError for one of a later version, or that cannot be read."""
    found = record_files(root, f"{REVIEW}/{language}")
    for page, data in found.items():
        if later := later_version(data):
            raise ConfigError(f"{verdicts_path(language, page)}: {later}")
    return found


def later_version(data: bytes) -> str:
    """What is wrong with a file of verdicts that a later version has written, "" for any other."""
    return later_schema(data.split(b"\n", 1)[0].decode("utf-8", "replace").strip(), records.SCHEMA)


def parse_verdicts(data: bytes | None) -> tuple[Verdicts, list[str]]:
    """The verdicts in a file, and the lines that could not be read, which are kept."""
    text = (data or b"").decode("utf-8", "surrogateescape")
    found, strange = Verdicts(), list[str]()
    for line in text.lstrip("\ufeff").replace("\r\n", "\n").split("\n"):
        if match := LINE.fullmatch(line):
            put_verdict(found, (match[1], match[2], match[3]), Verdict(match[4], match[5], match[6] or ""))
        elif line.strip() and not records.CONFLICT.fullmatch(line):
            strange.append(line)
    return found, strange


def put_verdict(found: Verdicts, key: Key, verdict: Verdict) -> None:
    """Put a verdict in the place of an earlier one; what somebody has dismissed is not doubted again."""
    if verdict.decision != DOUBTED or not is_dismissed(found, key):
        found[key, verdict.judge] = verdict


def dump_verdicts(found: Verdicts, strange: Iterable[str] = ()) -> str:
    """The text of a file."""
    lines = [f"{' '.join(key)} {decision} by {by}{f': {reason}' if reason else ''}"
             for (key, _), (decision, by, reason) in sorted(found.items())]
    return "".join(f"{line}\n" for line in (*strange, *lines))


def write_verdicts(root: Path, language: str, new: NewVerdicts, reviewed: bool = False) -> None:
    """Write verdicts of pages beside those of others; what rules doubted before goes if `reviewed`. Raises OSError."""
    if not any(new.values()) and not verdict_files(root, language):
        return  # for nothing no folder is made
    with lock_folder(root / records.FOLDER):
        files = verdict_files(root, language)
        for page, verdicts in new.items():
            known, strange = parse_verdicts(files.get(page))
            found = {at: each for at, each in known.items() if not reviewed or each.decision != DOUBTED}
            for key, each in verdicts.items():
                put_verdict(found, key, Verdict(each.decision, name_of(each.by), reason_of([each.reason])))
            made = dump_verdicts(found, strange).encode("utf-8", "surrogateescape") or None
            if made != files.get(page):
                replace_if_unchanged(join_inside(root, verdicts_path(language, page)), files.get(page), made)


def name_of(name: str) -> str:
    """A name as a line holds it."""
    return " ".join(NO_NAME.sub(" ", reason_of([name])).split()) or "-"
