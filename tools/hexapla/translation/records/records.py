"""What each translated section was made from and who reviewed it: one file a page and language, a paragraph a section.

    [batch-size]
    source 91f0c3d1a2b4 5be1a6d0c7f8 0c1d2e3f4a5b - 83baae61804e
    translation 4e1f0a9b8c7d reviewed by Ada Lovelace

`source` has the hashes of the section's title, text, code and output and the page's blob in git, `translation` that of
the translation's words; `-` stands for what is not there or not known. A machine's draft that nobody has read ends in
`draft`, and a line below says what it was made with (`draft_inputs`); a line `review:` says why somebody has to look
again. A file lists the sections of its page in the order that the source had when it was begun, those without a record
as `-`: the lines in brackets and the empty ones do not change, so two people's records of different sections merge.
Paragraphs with several records, as a merge may leave them, are kept until the section is synced; so are both sides of a
conflict.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import NamedTuple

from hexapla.config.layout import RECORDS, record_path
from hexapla.files import later_schema
from hexapla.translation.records.draft_inputs import read_inputs
from hexapla.translation.sections.section_problems import Note
from hexapla.translation.sections.sections import Section

FOLDER = RECORDS
BEGUN = "# hexapla: this language is begun; what is translated is recorded in the folder beside\n"
DRAFT = "draft"
REVIEW = "review: "
REVIEWED = "reviewed by "
NOTHING = "-"  # stands for a section without a record
HASH = r"([0-9a-f]{12}|-)"
SOURCE = re.compile(rf"source{f' {HASH}' * 5}")
TRANSLATION = re.compile(rf"translation {HASH}(?: (?:(?P<draft>draft)|{REVIEWED}(?P<reviewer>.+)))?")
CONFLICT = re.compile(r"(<{7}|={7}|>{7}|\|{7})(?: .*)?")
SCHEMA = 1  # of a file, which names a later one in its first line: `# schema: 2`
NO_RECORD = "this line is no record; it is kept and has no effect"

Key = tuple[str, str]  # a page's name and a section's id


class Record(NamedTuple):
    """The hashes of the source's section that a translation was made from; `blob` is that of the source's page in git.

    `draft` says that a machine wrote the translation and nobody has read it yet, `review` why somebody has to look at
    it again, "" for no reason. `translation` is the hash of what was recorded and `reviewer` who reviewed it, "" where
    that is not known. `drafted` is the line on what a draft was made with, "" where that is not known.
    """

    title: str
    text: str
    code: str
    output: str
    blob: str
    draft: bool = False
    review: str = ""
    translation: str = ""
    reviewer: str = ""
    drafted: str = ""

    def matches(self, section: Section) -> bool:
        """Whether the source's section is still the one that was translated: both have the hashes in this order."""
        return self[:4] == section[2:]

    def is_of(self, translation: str) -> bool:
        """Whether a translation with this hash is the one that was recorded, as far as that is known."""
        return self.translation in {"", translation}

    @property
    def maker(self) -> tuple[str, str, str]:
        """Whether a model "drafted" or a person "reviewed" it, who that was, and a draft's day; "" for unknown.

        >>> line = "drafted by m on 2026-11-27 with instructions - memory - around - terms -"
        >>> Record(*"-----", draft=True, drafted=line).maker, Record(*"-----", reviewer="Ada", drafted=line).maker
        (('drafted', 'm', '2026-11-27'), ('reviewed', 'Ada', ''))
        """
        if self.draft and (inputs := read_inputs(self.drafted)):
            return "drafted", inputs.model, inputs.day
        return "reviewed" if self.reviewer else "", self.reviewer, ""


class PageRecords(NamedTuple):
    """A page's records by section, in the order of its file, with its unreadable lines.

    `conflict` is the first line with a merge's marks, 0 for none; `later` says that a later version wrote the file.
    """

    of: Mapping[str, tuple[Record, ...]] = {}
    notes: tuple[Note, ...] = ()
    strange: tuple[str, ...] = ()
    conflict: int = 0
    later: str = ""


def path(language: str, page: str = "") -> str:
    """The path of a page's records, relative to the root; without a page that of the file which begins a language."""
    return record_path(language, page) if page else f"{FOLDER}/{language}.txt"


def split_conflict(lines: Sequence[str]) -> tuple[list[str], list[str], int]:
    """The lines of a file with a merge's marks as either side had them, and the number of the first mark, 0 for none.

    >>> split_conflict(["[a]", "<<<<<<< HEAD", "x", "=======", "y", ">>>>>>> branch"])
    (['[a]', 'x'], ['[a]', 'y'], 2)
    """
    ours: list[str] = []
    theirs: list[str] = []
    into: tuple[list[str], ...] = (ours, theirs)
    after = {"<": (ours,), "|": (), "=": (theirs,), ">": (ours, theirs)}
    first = 0
    for number, line in enumerate(lines, 1):
        if CONFLICT.fullmatch(line):
            into, first = after[line[0]], first or number
        else:
            for side in into:
                side.append(line)
    return ours, theirs, first


@lru_cache(maxsize=4096)
def parse_page(text: str) -> PageRecords:
    """The records in a page's file; raises nothing: what cannot be read becomes a note and is kept."""
    lines = text.lstrip("\ufeff").replace("\r\n", "\n").split("\n")
    if later := later_schema(lines[0], SCHEMA):
        return PageRecords(later=later)
    ours, theirs, conflict = split_conflict(lines)
    made = parse_side(ours)
    if not conflict:
        return made
    other = parse_side(theirs)
    names = dict.fromkeys((*made.of, *other.of))
    of = {name: tuple(dict.fromkeys((*made.of.get(name, ()), *other.of.get(name, ())))) for name in names}
    strange = tuple(dict.fromkeys((*made.strange, *other.strange)))
    return PageRecords(of, (), strange, conflict)


def parse_side(lines: Sequence[str]) -> PageRecords:
    """The records in lines without marks."""
    of: dict[str, tuple[Record, ...]] = {}
    notes: list[Note] = []
    strange: list[str] = []
    name: str | None = None
    for number, line in enumerate(lines, 1):
        known = of.get(name, ()) if name is not None else ()
        if line.startswith("[") and line.endswith("]"):
            name = line[1:-1]
            of.setdefault(name, ())
        elif name is not None and (found := SOURCE.fullmatch(line)):
            title, text, code, output, blob = (word.replace(NOTHING, "") for word in found.groups())
            of[name] = (*known, Record(title, text, code, output, blob))
        elif name is not None and known and (found := TRANSLATION.fullmatch(line)):
            last = known[-1]._replace(
                translation=found[1].replace(NOTHING, ""), draft=bool(found["draft"]), reviewer=found["reviewer"] or "")
            of[name] = (*known[:-1], last)
        elif name is not None and known and line.startswith(REVIEW):
            of[name] = (*known[:-1], known[-1]._replace(review=line.removeprefix(REVIEW)))
        elif name is not None and known and read_inputs(line):
            of[name] = (*known[:-1], known[-1]._replace(drafted=line))
        elif line.strip() not in {"", NOTHING}:
            notes.append(Note(number, NO_RECORD))
            strange.append(line)
    return PageRecords({name: tuple(dict.fromkeys(found)) for name, found in of.items()}, tuple(notes), tuple(strange))


def dump_page(page: PageRecords) -> str:
    """The text of a page's file."""
    empty = f"{NOTHING}\n"
    made = [f"[{name}]\n{''.join(map(record_paragraph, found)) or empty}\n" for name, found in page.of.items()]
    return "".join((*made, *(f"{line}\n" for line in page.strange)))


def record_paragraph(record: Record) -> str:
    """The lines of a record."""
    source = " ".join(value or NOTHING for value in record[:5])
    reviewer, review = (" ".join(text.split()) for text in (record.reviewer, record.review))
    who = f" {DRAFT}" if record.draft else f" {REVIEWED}{reviewer}" if reviewer else ""
    lines = f"source {source}", f"translation {record.translation or NOTHING}{who}", record.drafted, review and (
        f"{REVIEW}{review}")
    return "".join(f"{line}\n" for line in lines if line)


def with_records(page: PageRecords, new: Mapping[str, Record | None], order: Sequence[str]) -> PageRecords:
    """A page's records with some replaced; None takes one out. `order` are the ids of the source's sections today.

    Later sections are put in behind the nearest one above, and none is moved: what nobody changed stays as it is.
    """
    of: dict[str, tuple[Record, ...]] = {**page.of} if page.of else dict.fromkeys(order, ())
    places = {name: place for place, name in enumerate(of, 1)}
    added = dict.fromkeys(name for name, record in new.items() if name not in of and record)
    behind: defaultdict[int, list[str]] = defaultdict(list)
    last = 0
    for name in order:
        last = max(last, places.get(name, 0))
        if name in added:
            behind[last].append(name)
    behind[len(of)] += [name for name in added if name not in order]
    names = behind[0]
    for place, name in enumerate(of, 1):
        names += [name, *behind[place]]
    made = {name: of.get(name, ()) for name in names}
    made |= {name: (record,) if record else () for name, record in new.items() if name in made}
    return PageRecords(made, (), page.strange)


@dataclass(frozen=True)
class Records:
    """A language's records, from the texts of its pages' files by name; each is parsed when it is asked for."""

    language: str
    texts: Mapping[str, str]

    @cached_property
    def pages(self) -> Mapping[str, PageRecords]:
        """What is recorded of each page."""
        return {name: parse_page(text) for name, text in self.texts.items()}

    @cached_property
    def of(self) -> Mapping[Key, tuple[Record, ...]]:
        """The records by page and section; several where a merge left several."""
        pages = self.pages.items()
        return {(name, section): found for name, page in pages for section, found in page.of.items() if found}

    def section(self, page: str, section: str) -> tuple[Record, ...]:
        """The records of one section: no other page is parsed for it."""
        return parse_page(self.texts[page]).of.get(section, ()) if page in self.texts else ()

    @property
    def conflicts(self) -> dict[str, int]:
        """The pages whose files have a merge's marks, with the line of the first."""
        return {name: page.conflict for name, page in self.pages.items() if page.conflict}

    @property
    def notes(self) -> list[tuple[str, Note]]:
        """What was odd, with the path of the file."""
        odd = [(name, note) for name, page in self.pages.items() for note in page.notes]
        odd += [(name, Note(1, page.later)) for name, page in self.pages.items() if page.later][:1]  # one wrote all
        odd += [(name, Note(line, "a merge conflict stands here: both sides are read, and `hexapla sync "
                                  f"{name} --language {self.language} --write` puts them together"))
                for name, line in self.conflicts.items()]
        return [(path(self.language, name), note) for name, note in odd]


def record_of(section: Section, blob: str, review: str = "", translation: str = "", reviewer: str = "") -> Record:
    """The record of a translation that stands for today's source; `review` is why somebody has to look at it again."""
    return Record(*section[2:], blob, False, review, translation, "" if review else reviewer)


def choose_record(found: Sequence[Record], section: Section, translation: str) -> Record | None:
    """Of several records of a section, that of today's source and today's translation; None where there is none."""
    right = (each for each in found if each.matches(section) and each.is_of(translation))
    return max(right, key=lambda each: (each.translation == translation, not each.draft, not each.review), default=None)


def orphaned_records(records: Records, known: Iterable[Key]) -> dict[Key, tuple[Record, ...]]:
    """The records whose section the source does not have any more, under that name at least."""
    return {key: found for key in records.of.keys() - set(known) if (found := records.of[key])}
