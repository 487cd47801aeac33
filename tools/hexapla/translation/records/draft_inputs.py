"""What a machine's draft was made with, as a line of its record: who drafted it, when, and hashes of what it was shown.

    drafted by qwen3:8b on 2026-11-27 with instructions 5be1a6d0c7f8 memory - around 0c1d2e3f4a5b terms 83baae61804e

A draft that came in whole ends in `text` and a hash of all that it said, ids and targets of links too. Of the digits of
a term the first half is of its English, the other half of what the glossary prescribes for it.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from hashlib import blake2b
from pathlib import Path
from typing import NamedTuple

from hexapla.cache import digest
from hexapla.config.layout import RECORDS
from hexapla.config.project import find_terms
from hexapla.errors import ConfigError
from hexapla.files import OutsideError, read_text

NOTHING = "-"
HASH = r"([0-9a-f]{12}|-)"
DRAFTED = re.compile(
    rf"drafted by (.+) on (\d{{4}}-\d\d-\d\d) with instructions {HASH} memory {HASH} around {HASH} "
    r"terms ((?:[0-9a-f]{12} )*[0-9a-f]{12}|-)(?: text ([0-9a-f]{12}))?"
)
HALF = 6  # digits


class DraftInputs(NamedTuple):
    """What a draft was made with; hashes are "" for nothing, `terms` are those of the glossary that its source holds.

    >>> line = "drafted by m on 2026-11-27 with instructions - memory - around 0c1d2e3f4a5b terms 83baae61804e"
    >>> str(read_inputs(line)) == line
    True
    """

    model: str
    day: str
    instructions: str = ""
    memory: str = ""
    around: str = ""
    terms: tuple[str, ...] = ()
    text: str = ""

    def __str__(self) -> str:
        instructions, memory, around = (each or NOTHING for each in self[2:5])
        text = self.text and f" text {self.text}"
        return (f"drafted by {' '.join(self.model.split()) or NOTHING} on {self.day} with instructions {instructions} "
                f"memory {memory} around {around} terms {' '.join(self.terms) or NOTHING}{text}")


@lru_cache(maxsize=4096)
def read_inputs(line: str) -> DraftInputs | None:
    """What a line of a record says that a draft was made with, None for any other line."""
    found = DRAFTED.fullmatch(line)
    if found is None:
        return None
    model, day, instructions, memory, around, terms, text = (
        "" if each == NOTHING else each for each in found.groups(""))
    return DraftInputs(model, day, instructions, memory, around, tuple(terms.split()), text)


def hash_inputs(*texts: str) -> str:
    """The hash of something that a draft was made with, "" where it is nothing."""
    return digest(*texts)[:12] if any(texts) else ""


@lru_cache(maxsize=4096)
def term_hash(term: str, rendering: str) -> str:
    """The hash of a term and of what the glossary prescribes for it."""
    return "".join(blake2b(each.encode(), digest_size=HALF // 2).hexdigest() for each in (term, rendering))


class DraftChanges(NamedTuple):
    """What a draft would be made with today and was not: `terms` with another rendering, lost ones, instructions."""

    terms: tuple[str, ...]
    lost: bool
    instructions: bool

    def touches_text(self, text: str) -> bool:
        """Whether a message of the source has to be drafted again."""
        return self.lost or self.instructions or bool(terms_in(text, dict.fromkeys(self.terms, "")))

    @property
    def reasons(self) -> tuple[str, ...]:
        """The changes in words."""
        found = [f"the glossary says something else of {term!r} now" for term in self.terms]
        found += ["the glossary has lost a term"] if self.lost else []
        return (*found, *(["the instructions changed"] if self.instructions else []))


@dataclass(frozen=True)
class DraftMaterial:
    """What drafts of a language are made with besides pages: what the glossary prescribes by term, and instructions."""

    terms: Mapping[str, str]
    instructions: str = ""

    @cached_property
    def instructions_hash(self) -> str:
        return hash_inputs(self.instructions)

    @cached_property
    def known(self) -> frozenset[str]:
        """The first halves of the terms' hashes."""
        return frozenset(term_hash(term, "")[:HALF] for term in self.terms)

    def hash_terms(self, text: str) -> tuple[str, ...]:
        """The hashes of the terms that a text holds."""
        return tuple(sorted(term_hash(*row) for row in terms_in(text, self.terms).items()))

    def changes(self, inputs: DraftInputs, held: Mapping[str, str]) -> DraftChanges | None:
        """What is another since a draft was made, None for nothing; `held` are the terms that its source holds."""
        terms = tuple(term for term, rendering in held.items() if term_hash(term, rendering) not in inputs.terms)
        lost = any(each[:HALF] not in self.known for each in inputs.terms)
        made = DraftChanges(terms, lost, inputs.instructions != self.instructions_hash)
        return made if any(made) else None


def terms_in(text: str, terms: Mapping[str, str]) -> dict[str, str]:
    """The terms of a glossary that occur in a text, with what it prescribes for them."""
    said = text.lower()
    return {term: rendering for term, rendering in terms.items() if term.lower() in said}


def read_material(root: Path, language: str) -> DraftMaterial:
    """What the drafts of a language are made with today. Raises ConfigError for a file that cannot be read."""
    terms = {each.term: each.term if each.keep else each.renderings[language]
             for each in find_terms(root) if each.keep or language in each.renderings}
    path = f"{RECORDS}/instructions/{language}.md"
    try:
        return DraftMaterial(terms, read_text(root, path))
    except FileNotFoundError:
        return DraftMaterial(terms)
    except (OSError, UnicodeDecodeError, OutsideError) as error:
        raise ConfigError(f"{path}: cannot be read ({error}); it has to be a UTF-8 text inside the project") from error
