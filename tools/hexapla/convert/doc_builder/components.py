"""Components and directives that take whole lines: call-outs, tabs, pictures' frames, the generated reference.

What is inside a call-out or a tab is indented by four spaces here. A closing tag is left out where its place follows
from the blank lines around it; elsewhere a comment keeps it.
"""

import re
from collections.abc import Iterator, Sequence

from hexapla.convert.containers import STEP, ContainerLine, LinePair, pair_lines
from hexapla.convert.conversion_records import LinkIndex, Take
from hexapla.convert.doc_builder.references import reference_address
from hexapla.convert.prose import END, MARK, keep
from hexapla.pages.lines import PROSE, Line, read

GROUPS = {"hfoptions": {"hfoption"}, "frameworkcontent": {"pt", "tf", "jax"}}
FRAMEWORKS = {"pt": "PyTorch", "tf": "TensorFlow", "jax": "JAX"}
COMPONENT = re.compile(
    r"(?P<indent> *)<(?P<close>/?)(?P<tag>Tip|hfoptions|hfoption|frameworkcontent|pt|tf|jax)(?P<attributes>[^<>]*)>$"
)
FORMS = {
    "Tip": re.compile(r"(?: warning=\{true\})?"), "hfoption": re.compile(r' id="(?P<id>[^"\\<>]+)"'),
    "hfoptions": re.compile(r'(?: id="[^"<>]*")?'), "frameworkcontent": re.compile("(?: fw)?"),
}
NO_ATTRIBUTES = re.compile("")
ALERT = re.compile(r"(?P<indent> *)> \[!(?P<kind>TIP|NOTE|WARNING|IMPORTANT|CAUTION)\]$")
DIRECTIVE = re.compile(r"(?P<indent> *)\[\[(?P<name>autodoc|open-in-colab)\]\](?P<rest>.*)$")
DOCUMENTED = re.compile(r" (?P<name>[A-Za-z_][\w.]*)$")
MEMBER = re.compile(r"[ \t]+- (?!.*-->)")
VIDEO = re.compile(r'(?P<indent> *)<Youtube id="(?P<id>[\w-]+)"(?P<space> ?)/>$')
FRAME = re.compile(r"(?P<opening><(?P<tag>div|details|center)(?: [^<>]*)?)>$")
OTHER = re.compile(r"[ \t]*(?:</?(?P<tag>[A-Z]\w*|inference\w*)\b|\{[#:/@](?P<block>if|else|each|html)\b)")
MEMBERS = "<!-- members"
WATCH = "https://www.youtube.com/watch?v="


def prose_line(line: Line) -> str:
    """A line of prose without its end, "" for any other."""
    return line.text.rstrip("\n") if line.kind is PROSE else ""


def read_line(line: str) -> ContainerLine | None:
    """What a line opens or closes; a tab has to stand in its group."""
    match = COMPONENT.fullmatch(line)
    if not match or (match["close"] and match["attributes"]):
        return None
    group = next((group for group, tabs in GROUPS.items() if match["tag"] in tabs), "")
    return ContainerLine(match["tag"], not match["close"], inside=group)


def pair_components(lines: Sequence[Line], note: Take) -> dict[int, int]:
    """For the line of each component that is understood, the line that closes it; of tabs those in such a group."""
    kept: dict[int, int] = {}
    around: list[tuple[int, str]] = []  # the lines that close those which are open, and their tags
    for opened, pair in sorted(pair_lines(lines, read_line, note).items()):
        while around and around[-1][0] < opened:
            around.pop()
        tag, group = pair.opening.kind, pair.opening.inside
        if not is_understood(lines, opened, pair) or (group and (not around or around[-1][1] != group)):
            note("form", lines[opened].number, f"<{tag}> stands in a form that is not understood; it stays as it is")
            continue
        around.append((pair.closed, tag))
        kept[opened] = pair.closed
    return kept


def is_understood(lines: Sequence[Line], opened: int, pair: LinePair) -> bool:
    """Whether a component has the attributes and the indentation that it can have here."""
    opening, closing = (COMPONENT.match(prose_line(lines[number])) for number in (opened, pair.closed))
    if not opening or not closing or opening["indent"] != closing["indent"]:
        return False
    form = FORMS.get(opening["tag"], NO_ATTRIBUTES)
    return bool(form.fullmatch(opening["attributes"])) and (
        opening["tag"] in GROUPS or pair.indent == opening["indent"])


def convert_components(text: str, index: LinkIndex, note: Take) -> str:
    """The page with call-outs and tabs as they are written here."""
    lines = list(read(text))
    pairs = pair_components(lines, note)
    closers = {closed: opened for opened, closed in pairs.items()}
    tags = {number: tag_of(lines[number]) for number in (*pairs, *closers)}
    changed = alert_lines(lines, note) | member_lines(lines)
    balanced = {name for name in ("div", "details", "center") if text.count(f"<{name}") == text.count(f"</{name}>")}
    done: list[str] = []
    depth = 0
    for number, line in enumerate(lines):
        body = changed.get(number, line.text)
        if number in closers and tags[number] not in GROUPS:
            depth -= 1
            if not is_plain(lines, number, depth, pairs, closers):
                # Below a call-out, and inside a tab, where it does not part it from the next.
                inside = "" if tags[number] == "Tip" else STEP
                kept = line.text.replace("<", inside + MARK + "<", 1).replace(">", ">" + END, 1)
                done.append(("\n" if inside else "") + STEP * depth + kept)
            continue
        if number in tags and tags[number] in GROUPS:
            body = line.text.replace("<", MARK + "<", 1).replace(">", ">" + END, 1)
        elif number in pairs:
            body = opening_line(prose_line(line))
        elif number not in changed and line.kind is PROSE:
            follows = lines[number + 1].text if number + 1 < len(lines) else ""
            body = one_line(line, follows, balanced, index, note)
        done.append("".join(STEP * depth + part if part != "\n" else part for part in body.splitlines(keepends=True)))
        depth += number in pairs and tags[number] not in GROUPS
    return "".join(done)


def tag_of(line: Line) -> str:
    match = COMPONENT.match(prose_line(line))
    return match["tag"] if match else ""


def alert_lines(lines: Sequence[Line], note: Take) -> dict[int, str]:
    """The lines of alerts, by number, as they are written here."""
    changed = {}
    for first, end in find_alerts(lines, note):
        opening = prose_line(lines[first])
        changed[first] = ALERT.sub(lambda match: f"{match['indent']}!!! {match['kind'].lower()}\n", opening)
        for number in range(first + 1, end):
            before, _, rest = lines[number].text.partition(">")
            changed[number] = "\n" if rest == "\n" else before + STEP + rest[1:]
    return changed


def member_lines(lines: Sequence[Line]) -> dict[int, str]:
    """The lines below `[[autodoc]]` that name members, by number, as a comment."""
    changed = {}
    for first, line in enumerate(lines, 1):
        match = DIRECTIVE.match(prose_line(line)) if "[[autodoc]]" in line.text else None
        end = first
        while match and end < len(lines) and lines[end].kind is PROSE and MEMBER.match(lines[end].text):
            changed[end] = lines[end].text
            end += 1
        if end > first:
            changed[first] = f"{MEMBERS}\n{changed[first]}"
            last = changed[end - 1]
            changed[end - 1] = f"{last}-->\n" if last.endswith("\n") else f"{last}\n-->"
    return changed


def end_of(line: Line) -> str:
    """The end of a line, "" for the last where it has none."""
    return "\n" if line.text.endswith("\n") else ""


def opening_line(line: str) -> str:
    """The line that begins a call-out or a tab."""
    match = COMPONENT.match(line)
    if not match:
        return line + "\n"
    tag, indent = match["tag"], match["indent"]
    if tag == "Tip":
        return f"{indent}!!! {'warning' if match['attributes'] else 'tip'} component\n"
    named = FORMS["hfoption"].fullmatch(match["attributes"])
    return f'{indent}=== "{named["id"] if named else FRAMEWORKS[tag]}"\n'


def is_plain(
    lines: Sequence[Line], closed: int, depth: int, pairs: dict[int, int], closers: dict[int, int]
) -> bool:
    """Whether a closing tag may go: one blank line before it, and after it what can only stand outside."""
    indent = STEP * (depth + 1) + lines[closed].text[: -len(lines[closed].text.lstrip())]
    if not lines[closed].text.endswith("\n") or lines[closed - 1].text != "\n" or lines[closed - 2].text == "\n":
        return False
    if closed - 2 in pairs:
        return False
    if tag_of(lines[closed]) != "Tip":
        return closed + 1 in pairs or closed + 1 in closers
    if closed + 1 < len(lines) and lines[closed + 1].text != "\n":
        return False
    following = closed + 1
    while following < len(lines) and lines[following].text == "\n":
        following += 1
    if following < len(lines) and following in closers:
        return False
    return following >= len(lines) or not (STEP * depth + lines[following].text).startswith(indent)


def find_alerts(lines: Sequence[Line], note: Take) -> Iterator[tuple[int, int]]:
    """For each alert the numbers of its first line and of the line after it."""
    end = 0
    for number, line in enumerate(lines):
        if number < end:
            continue
        match = ALERT.match(prose_line(line)) if "[!" in line.text else None
        if not match:
            if "> [!" in prose_line(line):
                note("alert-form", line.number, "text beside the kind of a call-out; the quotation stays as it is")
            continue
        end = number + 1
        while end < len(lines) and lines[end].text.startswith(match["indent"] + ">"):
            end += 1
        width = len(match["indent"])
        body = [each.text[width:] for each in lines[number + 1 : end]]
        after = end
        while after < len(lines) and lines[after].text == "\n":
            after += 1
        inside = after < len(lines) and lines[after].text.startswith(match["indent"] + STEP)
        if not body or body[-1] == ">\n" or inside or not all(each == ">\n" or each.startswith("> ") for each in body):
            note("alert-form", line.number, "a call-out in a form that is not understood; the quotation stays as it is")
            continue
        yield number, end


def one_line(line: Line, follows: str, balanced: set[str], index: LinkIndex, note: Take) -> str:
    """A line of prose that stands for itself: a directive, a video, the frame of a picture."""
    text, end = prose_line(line), end_of(line)
    if "[[" in text and (match := DIRECTIVE.match(text)):
        return convert_directive(match, line.number, index, note) + end
    if match := VIDEO.match(text):
        return f"{match['indent']}[YouTube]({WATCH}{match['id']}){{.youtube{' .spaced' * bool(match['space'])}}}{end}"
    if (match := FRAME.match(text)) and match["tag"] in balanced and follows == "\n":
        return f"{match['opening']} markdown>{end}"
    if (match := OTHER.match(text)) and not COMPONENT.match(text):
        shown = f"<{match['tag']}>" if match["tag"] else f"{{{match['block']}}}"
        note(shown, line.number, f"{shown} is no component that is known; it stays as it is")
    return line.text


def convert_directive(match: re.Match[str], line: int, index: LinkIndex, note: Take) -> str:
    """A directive as a link to the published reference, or as a comment."""
    documented = DOCUMENTED.match(match["rest"]) if match["name"] == "autodoc" else None
    if not documented:
        note(f"[[{match['name']}]]", line, f"[[{match['name']}]] has no counterpart; it is kept as a comment")
        return match["indent"] + keep(match.group()[len(match["indent"]) :])
    name = documented["name"]
    where = reference_address(name, index)
    if not where:
        note("[[autodoc]]", line, f"the reference of {name} is not made here; only its name is shown")
    return match["indent"] + (f"[`{name}`]({where}){{.autodoc}}" if where else f"`{name}`{{.autodoc}}")

