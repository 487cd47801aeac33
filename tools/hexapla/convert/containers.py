"""Call-outs and tabs that a dialect opens and closes by lines of their own: indented here, and taken back exactly.

Comments in one keep the lines that opened and closed it where these do not follow. Several tags on one line, and one
tag over several lines, are a line each meanwhile.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from hexapla.convert.conversion_records import Take
from hexapla.convert.prose import KEPT, change_prose, keep_match, keep_original
from hexapla.pages.lines import COMMENT, PROSE, Line, indentation, read

STEP = "    "
DEEPEST = 8  # containers inside one another
HEAD = re.compile(r'(?P<indent> *)(?P<head>!!! [a-z]+(?: "[^"\n]*")?|=== "[^"\n]*")$')
KEPT_LINE = re.compile(rf"(?P<indent> *)(?P<comment>{KEPT.pattern})$", re.S)
SPACE, END = "\0", "\1"  # in a line of the meantime: the space before the next tag, and the end of a line inside a tag
ENTITIES = {SPACE: "&#32;", END: "&#10;"}  # how comments write them; a `&` of the page is escaped there
JOINED = re.compile(SPACE + r"\n *")
OPENS, CLOSES, HOLDS = "opens ", "closes ", "holds "  # what a comment keeps: a container's lines, or a group's


class ContainerLine(NamedTuple):
    """A line that opens or closes a container; `kind` pairs it, `head` opens it here, "" for what is a comment here.

    `inside` names the kind of container that has to be right around it, "" for any.
    """

    kind: str
    opens: bool
    head: str = ""
    inside: str = ""


class LinePair(NamedTuple):
    """The line that closes a container, what it is, and the indentation that everything in it has."""

    closed: int
    opening: ContainerLine
    indent: str


ReadLine = Callable[[str], ContainerLine | None]
# From a head, and the line that opened the group around it, to the lines that open and close it in the dialect.
WriteHead = Callable[[str, str], tuple[str, str]]


class ContainerRules(NamedTuple):
    """The containers of a dialect: what a line opens or closes, how a head is written there, what a tag looks like.

    `tag` is an expression without groups, of those that may share a line. `head` is the form of the heads. A container
    closes `by_itself` behind one blank line, if there is one; else what closes it is kept.
    """

    read_line: ReadLine
    write_head: WriteHead
    tag: str = "(?!)"
    head: re.Pattern[str] = HEAD
    by_itself: bool = False


def one_tag_a_line(text: str, tag: str) -> str:
    """The page with each tag on a line of its own where a line, or several, hold nothing but tags."""
    lines = re.compile(rf"^(?P<indent> *)(?P<tags>(?:{tag})(?: (?:{tag}))*)$", re.M)
    tags = re.compile(tag)

    def part_tags(match: re.Match[str]) -> str:
        found = [each.replace("\n", END) for each in tags.findall(match["tags"])]
        return match["indent"] + f"{SPACE}\n{match['indent']}".join(found)

    return change_prose(text, lambda run, first: lines.sub(part_tags, run)) if tags.search(text) else text


def pair_lines(lines: Sequence[Line], read_line: ReadLine, note: Take) -> dict[int, LinePair]:
    """For the line that opens each container, how it goes on."""
    stack: list[tuple[int, ContainerLine]] = []
    pairs: dict[int, LinePair] = {}
    for number, line in enumerate(lines):
        found = read_line(bare_text(line.text)) if line.kind is PROSE else None
        if found is None:
            continue
        if found.opens:
            stack.append((number, found))
            continue
        while stack and stack[-1][1].kind != found.kind and any(each.kind == found.kind for _, each in stack):
            report_unclosed(lines[stack.pop()[0]], note)
        if not stack or stack[-1][1].kind != found.kind:
            note("closes-nothing", line.number, f"{bare_text(line.text)} closes nothing; it stays as it is")
            continue
        opened, opening = stack.pop()
        around = stack[-1][1].kind if stack else ""
        fits = len(stack) < DEEPEST and (not opening.inside or opening.inside == around)
        indent = common_indent(lines, opened, number) if fits else None
        if indent is not None:
            pairs[opened] = LinePair(number, opening, indent)
        else:
            said = bare_text(lines[opened].text)
            note("form", lines[opened].number, f"{said} stands in a form that is not understood; it stays as it is")
    for number, _ in stack:
        report_unclosed(lines[number], note)
    return pairs


def report_unclosed(line: Line, note: Take) -> None:
    note("unclosed", line.number, f"{bare_text(line.text)} is never closed; it stays as it is")


def bare_text(line: str) -> str:
    """What a line of the meantime says, on one line."""
    return " ".join(line.replace(SPACE, " ").replace(END, " ").split())


def common_indent(lines: Sequence[Line], opened: int, closed: int) -> str | None:
    """The indentation of two lines and of all between them; None where they have none in common."""
    indent = indent_of(lines[opened])
    if indent == indent_of(lines[closed]) and all(
        line.text == "\n" or line.text.startswith(indent) for line in lines[opened:closed]
    ):
        return indent
    return "" if max(len(indent), len(indent_of(lines[closed]))) < len(STEP) else None


def indent_of(line: Line) -> str:
    return " " * indentation(line.text)


def indent_containers(text: str, rules: ContainerRules, note: Take) -> str:
    """A page whose containers are written as here; one that could not be taken back stays as it is."""
    lines = list(number_lines(read(one_tag_a_line(text, rules.tag))))
    pairs = pair_lines(lines, rules.read_line, note)
    for by_itself in dict.fromkeys((rules.by_itself, False)):
        made = JOINED.sub(" ", "".join(indent_lines(lines, pairs, rules._replace(by_itself=by_itself))))
        for sign, entity in ENTITIES.items():
            made = made.replace(sign, entity)
        if restore_containers(made, rules) == text:
            return made
    note("containers", 1, "call-outs and tabs of this page could not be taken back exactly; they stay as they are")
    return text


def number_lines(lines: Iterable[Line]) -> Iterator[Line]:
    """Lines of the meantime with the numbers that they have on the page."""
    shift = 0
    for line in lines:
        yield line._replace(number=line.number + shift)
        shift += line.text.count(END) - line.text.endswith(f"{SPACE}\n")


def indent_lines(lines: Sequence[Line], pairs: Mapping[int, LinePair], rules: ContainerRules) -> Iterator[str]:
    """The lines of a page with its containers as they are written here."""
    closers = {pair.closed: pair for pair in pairs.values()}
    groups = [""]  # by depth, the line that opened or closed a group last
    left_out: set[int] = set()
    for number, line in enumerate(lines):
        pair = pairs.get(number) or closers.get(number)
        body, end = line.text.rstrip("\n"), "\n" if line.text.endswith("\n") else ""
        prefix = STEP * (len(groups) - 1)
        if pair is None:
            yield prefix + line.text.replace(END, f"\n{prefix}") if line.text != "\n" else "\n"
            continue
        found, indent = pair.opening, pair.indent
        original = body[len(indent):]
        if not found.head:
            groups[-1] = original
            yield f"{prefix}{indent}{keep_original(HOLDS + original)}{end}"
        elif number in pairs:
            yield f"{prefix}{indent}{found.head}\n"
            if rules.write_head(found.head, groups[-1])[0] != original:
                yield f"{prefix}{indent}{STEP}{keep_original(OPENS + original)}\n\n"
            groups.append("")
        else:
            groups.pop()
            closing = f"{indent}{rules.write_head(found.head, groups[-1])[1]}\n"
            taken = number - 2 in left_out or number - 2 in pairs  # what is before has that blank line, or is all
            if rules.by_itself and not taken and line.text == closing and closes_by_itself(
                    lines, number, indent + STEP):
                left_out.add(number)
            else:
                yield f"\n{prefix}{indent}{keep_original(CLOSES + original)}{end}"


def closes_by_itself(lines: Sequence[Line], closed: int, inside: str) -> bool:
    """Whether one blank line is before a line that closes a container, and what follows is not indented as that is."""
    following = next((lines[at].text for at in range(closed + 1, len(lines)) if lines[at].text != "\n"), "")
    return lines[closed - 1].text == "\n" != lines[closed - 2].text and not following.startswith(inside)


def restore_containers(text: str, rules: ContainerRules) -> str:
    made = "".join(restore_lines(text, rules, 0))
    return JOINED.sub(" ", made).replace(END, "\n") if SPACE in made or END in made else made


def restore_lines(text: str, rules: ContainerRules, depth: int) -> Iterator[str]:
    """The lines of a page, or of the inside of a container, without its indentation."""
    lines = list(read(text))
    number, group = 0, ""
    while number < len(lines):
        line = lines[number]
        body, end = line.text.rstrip("\n"), "\n" if line.text.endswith("\n") else ""
        number += 1
        match = rules.head.match(body) if line.kind is PROSE and depth < DEEPEST else None
        if match:
            made, number = restore_one(match, lines, number, rules, group, depth)
            yield from made
        elif line.kind is COMMENT and (held := note_of(body, indent_of(line), HOLDS)) is not None:
            group = held
            yield indent_of(line) + held + end
        else:
            yield line.text


def restore_one(
    match: re.Match[str], lines: Sequence[Line], first: int, rules: ContainerRules, group: str, depth: int
) -> tuple[list[str], int]:
    """A container as the dialect writes it, and the number of the line to go on with."""
    indent = match["indent"]
    opening, closing = rules.write_head(match["head"], group)
    last = end_of_inside(lines, first, indent + STEP)
    inside = [line.text for line in lines[first:last]]
    beginning = note_of(inside[0], indent + STEP, OPENS) if inside else None
    if beginning is not None:
        opening, inside = beginning, inside[2:]
    end = "\n"
    for number, text in enumerate(inside):
        ending = note_of(text, indent + STEP, CLOSES)
        if ending is not None and number:
            closing, end = ending, text[len(text.rstrip("\n")):]
            last -= len(inside) - number - 1
            inside = inside[: number - 1]
            break
    else:
        if rules.by_itself and last < len(lines) and lines[last].text == "\n":
            inside, last = [*inside, "\n"], last + 1
    body = "".join(text if text == "\n" else text[len(STEP):] for text in inside)
    return [f"{indent}{opening}\n", *restore_lines(body, rules, depth + 1), f"{indent}{closing}{end}"], last


def note_of(line: str, indent: str, what: str) -> str | None:
    """The line that opened or closed a container, out of the comment that keeps it; None for any other line."""
    match = KEPT_LINE.match(line.rstrip("\n"))
    comment = match["comment"] if match and match["indent"] == indent else ""
    for sign, entity in ENTITIES.items():
        comment = comment.replace(entity, sign)
    original = keep_match(comment) if comment else ""
    return original.removeprefix(what) if original.startswith(what) else None


def end_of_inside(lines: Sequence[Line], first: int, indent: str) -> int:
    """The number of the line after the last that is indented as the inside of a container."""
    end = number = first
    while number < len(lines) and (lines[number].text == "\n" or lines[number].text.startswith(indent)):
        number += 1
        if lines[number - 1].text != "\n":
            end = number
    return end
