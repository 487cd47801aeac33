"""What each translated section was made from, one line a section, in one sorted file a language.

    # hexapla sections 1: page#section, hashes of its title, text, code and output, the page's blob in git
    perf_train_gpu_one#batch-size 91f0c3d1a2b4 5be1a6d0c7f8 0c1d2e3f4a5b - 83baae61804e

`-` stands for a part that a section does not have. A last word `draft` marks what a machine wrote and nobody has read,
`review:` what a person kept in spite of a doubt; the reason follows.
Two lines for one section, as a merge may leave them, are both kept until the section is synced; so are both sides of
a conflict.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

from hexapla.config.layout import RECORDS
from hexapla.translation.sections import Section

FOLDER = RECORDS
HEADER = "# hexapla sections 1: page#section, hashes of its title, text, code and output, the page's blob in git\n"
DRAFT = "draft"
REVIEW = "review:"
LINE = re.compile(rf"(\S+)#(\S*){' ([0-9a-f]{12}|-)' * 5}( draft)?(?: review: (.+))?")
CONFLICT = re.compile(r"<{7}(?: |$)|={7}$|>{7}(?: |$)|\|{7}(?: |$)")
CONFLICTING = (
    "a merge conflict stands here: both sides were read, and `hexapla sync PAGE --write` on a page of it writes the "
    "file without the marks"
)

Key = tuple[str, str]  # a page's name and a section's id


class Record(NamedTuple):
    """The hashes of the source's section that a translation was made from; `blob` is that of the source's page in git.

    `draft` says that a machine wrote the translation and nobody has read it yet, `review` why somebody has to look at
    it again, "" for no reason.
    """

    title: str
    text: str
    code: str
    output: str
    blob: str
    draft: bool = False
    review: str = ""

    def matches(self, section: Section) -> bool:
        """Whether the source's section is still the one that was translated: both have the hashes in this order."""
        return self[:4] == section[2:]


class Note(NamedTuple):
    """A problem on a line of a file of records."""

    line: int
    message: str


class Records(NamedTuple):
    """A language's records by page and section; several where a merge left several. `notes` says what was odd.

    `lines` are those on each page as they stand in the file: what was found with them holds until they change.
    """

    of: Mapping[Key, tuple[Record, ...]] = {}
    notes: tuple[Note, ...] = ()
    strange: tuple[str, ...] = ()  # lines that could not be read; they are kept as they are
    lines: Mapping[str, Sequence[str]] = {}


def path(language: str) -> str:
    """The path of a language's records, relative to the root."""
    return f"{FOLDER}/{language}.txt"


@lru_cache(maxsize=32)
def parse(text: str) -> Records:
    """The records in a file's text; raises nothing: what cannot be read becomes a note and is kept."""
    found: dict[Key, tuple[Record, ...]] = {}
    notes: list[Note] = []
    strange: list[str] = []
    lines: dict[str, list[str]] = {}
    for number, line in enumerate(text.lstrip("\ufeff").splitlines(), 1):
        match = LINE.fullmatch(line)
        if match is None:
            if CONFLICT.match(line):
                if line.startswith("<"):
                    notes.append(Note(number, CONFLICTING))
            elif line.strip() and not line.startswith("#"):
                notes.append(Note(number, "this line is no record; it is kept and has no effect"))
                strange.append(line)
            continue
        page, section, *hashes, draft, review = match.groups()
        title, body, code, output, blob = ("" if value == "-" else value for value in hashes)
        record = Record(title, body, code, output, blob, bool(draft), review or "")
        key = unescaped(page), unescaped(section)
        lines.setdefault(key[0], []).append(line)
        earlier = found.get(key, ())
        if record not in earlier:
            found[key] = (*earlier, record)
    return Records(found, tuple(notes), tuple(strange), lines)


def dump(records: Records) -> str:
    """The file's text, sorted by page and section."""
    lines = [line(key, record) for key in sorted(records.of) for record in records.of[key]]
    return HEADER + "".join(f"{line}\n" for line in [*lines, *records.strange])


def line(key: Key, record: Record) -> str:
    """One line of the file."""
    hashes = (record.title, record.text, record.code, record.output, record.blob)
    name = f"{key[0]}#{key[1]}".replace("%", "%25").replace(" ", "%20")
    marks = [*([DRAFT] if record.draft else []), *([REVIEW, record.review] if record.review else [])]
    return " ".join([name, *(value or "-" for value in hashes), *marks])


def unescaped(name: str) -> str:
    """A page's name or a section's id as it is, from what stands in the file."""
    return name.replace("%20", " ").replace("%25", "%") if "%" in name else name


def record_of(section: Section, blob: str, review: str = "") -> Record:
    """The record of a translation that stands for today's source; `review` is why somebody has to look at it again."""
    return Record(section.title, section.text, section.code, section.output, blob, review=review)


def replaced(records: Records, new: Mapping[Key, Record | None]) -> Records:
    """The records with some replaced by new ones, or taken out where the new one is None."""
    of: dict[Key, tuple[Record, ...]] = {**records.of}
    for key, record in new.items():
        if record is None:
            of.pop(key, None)
        else:
            of[key] = (record,)
    return Records(of, (), records.strange)


def orphans(records: Records, known: Iterable[Key]) -> dict[Key, tuple[Record, ...]]:
    """The records whose section the source does not have any more, under that name at least."""
    return {key: found for key in records.of.keys() - set(known) if (found := records.of[key])}
