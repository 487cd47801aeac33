"""Call-outs, tabs and directives go back to doc-builder's components."""

import re
from collections.abc import Iterator

from hexapla.convert.containers import DEEPEST, STEP, end_of_inside
from hexapla.convert.doc_builder.components import FRAMEWORKS, GROUPS, MEMBERS, WATCH
from hexapla.convert.prose import KEPT, keep, keep_match
from hexapla.pages.lines import COMMENT, PROSE, Line, read

CALLOUT = re.compile(r"(?P<indent> *)!!! (?P<kind>tip|note|warning|important|caution)(?P<component> component)?$")
TAB = re.compile(r'(?P<indent> *)=== "(?P<title>[^"\n]*)"$')
GROUP = re.compile(r"(?P<indent> *)(?P<comment><!-- kept: </?(?:hfoptions|frameworkcontent)\b.*)$")
WRAPPED = re.compile(r"(?P<indent> *)(?P<comment><!-- kept: \[\[.*)$")
DOCUMENTED = re.compile(r"(?P<indent> *)\[?`(?P<name>[^`\n]+)`(?:\]\([^()\s]*\))?\{\.autodoc\}$")
VIDEO = re.compile(
    rf"(?P<indent> *)\[YouTube\]\({re.escape(WATCH)}(?P<id>[\w-]+)\)\{{\.youtube(?P<space> \.spaced)?\}}$"
)
FRAME = re.compile(r"(?P<opening><(?:div|details|center)(?: [^<>]*)?) markdown>$")
TAGS = {title: tag for tag, title in FRAMEWORKS.items()}


def restore_lines(text: str, group: str = "hfoptions", depth: int = 0) -> Iterator[str]:
    """The lines of a page as doc-builder writes it, or of the inside of a call-out or tab, without its indentation."""
    lines = list(read(text))
    number = 0
    while number < len(lines):
        line = lines[number]
        body, end = line.text.rstrip("\n"), "\n" if line.text.endswith("\n") else ""
        number += 1
        if line.kind is COMMENT and (match := GROUP.match(body) or WRAPPED.match(body)):
            yield match["indent"] + KEPT.sub(lambda comment: keep_match(comment.group()), match["comment"]) + end
            group = next((name for name in GROUPS if f"<{name}" in body), group)
        elif line.kind is COMMENT and body == MEMBERS:
            made, number = read_members(lines, number)
            yield from made
        elif line.kind is not PROSE:
            yield line.text
        elif depth < DEEPEST and (match := CALLOUT.match(body) or TAB.match(body)):
            last = end_of_inside(lines, number, match["indent"] + STEP)
            made, number = restore_container(match, lines, number, last, group, depth)
            yield from made
        else:
            yield one_line(body) + end


def read_members(lines: list[Line], number: int) -> tuple[list[str], int]:
    """The members of an object out of their comment, and the number of the line after it."""
    first = number
    while number < len(lines) and lines[number].text.rstrip("\n") != "-->":
        number += 1
    texts = [line.text for line in lines[first:number]]
    if number < len(lines) and texts and not lines[number].text.endswith("\n"):
        texts[-1] = texts[-1].removesuffix("\n")
    return texts, number + 1


def restore_container(
    match: re.Match[str], lines: list[Line], first: int, last: int, group: str, depth: int
) -> tuple[list[str], int]:
    """A call-out or a tab with what is in it, and the number of the line to go on with."""
    indent = match["indent"]
    inside = [line.text for line in lines[first:last]]
    if match.re is CALLOUT and not match["component"]:
        quoted = [f"{indent}>\n" if text == "\n" else f"{indent}> {text[len(indent + STEP) :]}" for text in inside]
        return [f"{indent}> [!{match['kind'].upper()}]\n", *quoted], last
    if match.re is CALLOUT:
        tag, attributes = "Tip", " warning={true}" if match["kind"] == "warning" else ""
    else:
        framework = group == "frameworkcontent" and match["title"] in TAGS
        tag = TAGS[match["title"]] if framework else "hfoption"
        attributes = "" if framework else f' id="{match["title"]}"'
    inside, last, end = body_and_end(inside, first, lines, f"{indent}{'' if tag == 'Tip' else STEP}{keep(f'</{tag}>')}")
    body = "".join(text if text == "\n" else text[len(STEP) :] for text in inside)
    return [
        f"{indent}<{tag}{attributes}>\n", *restore_lines(body, depth=depth + 1), f"{indent}</{tag}>{end}",
    ], last


def body_and_end(inside: list[str], first: int, lines: list[Line], closer: str) -> tuple[list[str], int, str]:
    """The inside of a component, the number of the line after it, and the end of its last line.

    A comment `closer` says where it ends; without one, one blank line more belongs to it.
    """
    last = first + len(inside)
    for number, text in enumerate(inside):
        if text.rstrip("\n") == closer:  # of a tab; the blank line before it was put there
            return inside[: max(number - 1, 0)], first + number + 1, text[len(closer) :]
    after = last
    while after < len(lines) and lines[after].text == "\n":
        after += 1
    if after < len(lines) and lines[after].text.rstrip("\n") == closer:
        return [*inside, *["\n"] * (after - last)], after + 1, lines[after].text[len(closer) :]
    if after > last:
        return [*inside, "\n"], last + 1, "\n"
    return inside, last, "\n"


def one_line(body: str) -> str:
    """A line that stands for itself, as doc-builder writes it."""
    if match := DOCUMENTED.match(body):
        return f"{match['indent']}[[autodoc]] {match['name']}"
    if match := VIDEO.match(body):
        return f'{match["indent"]}<Youtube id="{match["id"]}"{" " * bool(match["space"])}/>'
    return FRAME.sub(lambda frame: frame["opening"] + ">", body)
