"""The course's `{#if fw === 'pt'}`, `{:else}` and `{/if}`, written as `<frameworkcontent>` has them, and taken back."""

import re
from collections.abc import Sequence
from typing import NamedTuple

from hexapla.convert.conversion_records import Take
from hexapla.convert.prose import renumber_notes
from hexapla.pages.lines import PROSE, Line, read

IF = re.compile(r"(?P<indent> *)\{#if fw === '(?P<tag>pt|tf)'\}\n")
ELSE = re.compile(r"(?P<indent> *)\{:else\}\n")
END = re.compile(r"(?P<indent> *)\{/if\}\n?")
GROUP = "<frameworkcontent fw>"
OPENS = re.compile(r" *<frameworkcontent(?P<ours> fw)?>\n")
CLOSES = re.compile(r" *</frameworkcontent>\n?")
TAG = re.compile(r" *<(?P<close>/?)(?P<tag>pt|tf)>\n")
OTHER = {"pt": "tf", "tf": "pt"}


class FrameworkBlock(NamedTuple):
    """The lines of a block, by number: where it opens, where the other framework begins, -1 for nowhere."""

    opened: int
    indent: str
    tag: str
    otherwise: int = -1


def find_blocks(lines: Sequence[Line]) -> dict[int, str]:
    """What stands for each line of the blocks that are whole; the other lines of their kind stay."""
    stack: list[FrameworkBlock] = []
    made: dict[int, str] = {}
    for number, line in enumerate(lines):
        if line.kind is not PROSE or "{" not in line.text:
            continue
        top = stack[-1] if stack else None
        if match := IF.fullmatch(line.text):
            stack.append(FrameworkBlock(number, match["indent"], match["tag"]))
        elif top and (match := ELSE.fullmatch(line.text)) and match["indent"] == top.indent and top.otherwise < 0:
            stack[-1] = top._replace(otherwise=number)
        elif top and (match := END.fullmatch(line.text)) and match["indent"] == top.indent:
            stack.pop()
            indent, first = top.indent, top.tag
            last = first if top.otherwise < 0 else OTHER[first]
            made[top.opened] = f"{indent}{GROUP}\n{indent}<{first}>\n"
            if top.otherwise >= 0:
                made[top.otherwise] = f"{indent}</{first}>\n{indent}<{last}>\n"
            made[number] = f"{indent}</{last}>\n{indent}</frameworkcontent>" + "\n" * line.text.endswith("\n")
    return made


def write_frameworks(text: str, note: Take) -> tuple[str, Take]:
    """The page with its blocks as tags, and what takes its notes by the lines that they had before."""
    if "{#if fw" not in text or GROUP in text:
        return text, note
    lines = list(read(text))
    made = find_blocks(lines)
    pieces = [made.get(number, line.text) for number, line in enumerate(lines)]
    return "".join(pieces), renumber_notes(note, pieces)


def restore_frameworks(text: str) -> str:
    """The page as it was before `write_frameworks`."""
    if GROUP not in text:
        return text
    lines = list(read(text))
    done: list[str] = []
    groups: list[bool] = []
    number = 0
    while number < len(lines):
        line = lines[number]
        number += 1
        if line.kind is not PROSE:
            done.append(line.text)
            continue
        follows = lines[number].text if number < len(lines) and lines[number].kind is PROSE else ""
        indent = line.text[: len(line.text) - len(line.text.lstrip(" "))]
        tag, following = TAG.fullmatch(line.text), TAG.fullmatch(follows)
        made = ""
        if match := OPENS.fullmatch(line.text):
            groups.append(bool(match["ours"]))
            made = f"{indent}{{#if fw === '{following['tag']}'}}\n" if groups[-1] and following else ""
        elif groups and groups[-1] and tag and tag["close"]:
            if following and not following["close"]:
                made = f"{indent}{{:else}}\n"
            elif CLOSES.fullmatch(follows):
                groups.pop()
                made = f"{indent}{{/if}}" + "\n" * follows.endswith("\n")
        elif groups and CLOSES.fullmatch(line.text):
            groups.pop()
        number += bool(made)
        done.append(made or line.text)
    return "".join(done)
