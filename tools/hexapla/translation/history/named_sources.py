"""What a page's front matter says of the source that it was made from, in others' formats: read, and written anew.

OpenTelemetry's pages name a commit, and whether the source has changed since. Who names a new commit takes that out,
with what is said of the old one behind it (`# patched`):

    default_lang_commit: c1e141558ab36cc1ab9f864728e4665e272ac131
    drifted_from_default: true

The MCP SDK's have hashes of the source's sections of the second level, the first of what stands above them:

    translation:
      sections: [20541a40dbdd5980, 01262a123ad9501d]
      tool: 1
"""

import re
from collections.abc import Sequence
from hashlib import sha256

from hexapla.pages.lines import Closes, closes_same, front_matter_end
from hexapla.translation.sections.sections import DRIFT, cut_sections

COMMIT = re.compile(r"(default_lang_commit:[ \t]*)([0-9a-f]{7,40})\b[^\r]*")
HASHES = re.compile(r"^(translation:\n  sections: )\[([^\[\]\n]*)\](?=\n  tool: 1$)", re.MULTILINE)
DIGITS = 16  # of a hash


def split_front_matter(text: str) -> tuple[list[str], list[str]]:
    """The lines of a page's front matter, those with its marks included, and the others."""
    lines = text.split("\n")
    end = front_matter_end(lines)
    return lines[:end], lines[end:]


def named_commit(text: str) -> str:
    """The commit that a page names, as it is written there, "" for none."""
    found = map(COMMIT.match, split_front_matter(text)[0])
    return next((match[2] for match in found if match), "")


def name_commit(text: str, commit: str) -> str:
    r"""The text of a page that names a commit, with another one in its place.

    >>> name_commit("---\ndefault_lang_commit: 0c1d2e3 # patched\ndrifted_from_default: true\n---\n# A\n", "83baae6")
    '---\ndefault_lang_commit: 83baae6\n---\n# A\n'
    """
    front, rest = split_front_matter(text)
    front = [COMMIT.sub(rf"\g<1>{commit}", line, count=1) for line in front]
    return "\n".join((DRIFT.sub("", "\n".join(front)), *rest))


def named_hashes(text: str) -> list[str]:
    """The hashes of the source's sections that a page names, [] for none."""
    found = HASHES.search("\n".join(split_front_matter(text)[0]))
    return [each.strip(" '\"") for each in found[2].split(",")] if found else []


def name_hashes(text: str, hashes: Sequence[str]) -> str:
    """The text of a page that names hashes, with others in their place; YAML would take digits alone for a number."""
    front, rest = split_front_matter(text)
    listed = ", ".join(f"'{each}'" if each.isdecimal() else each for each in hashes)
    return "\n".join((HASHES.sub(rf"\g<1>[{listed}]", "\n".join(front)), *rest))


def hash_sections(text: str, closes_fence: Closes = closes_same) -> list[str]:
    """The hashes of a page's sections; the empty lines above a heading belong to its section."""
    front, lines = split_front_matter(text)
    starts = [0]
    for span in cut_sections(text, closes_fence):
        if span.level == 2:
            first = span.line - 1 - len(front)
            while first > 0 and not lines[first - 1].strip():
                first -= 1
            starts.append(first)
    parts = ("\n".join((*lines[start:end], *([""] if end < len(lines) else [])))
             for start, end in zip(starts, (*starts[1:], len(lines)), strict=True))
    return [sha256(part.encode()).hexdigest()[:DIGITS] for part in parts]
