"""Components and directives that take whole lines: call-outs, tabs, pictures' frames, the generated reference.

Call-outs and tabs are containers that lines of their own open and close. All else is a line, or a few, and goes back
by itself.
"""

import re
from collections.abc import Sequence

from hexapla.convert.containers import STEP, ContainerLine, ContainerRules, end_of_inside
from hexapla.convert.conversion_records import LinkIndex, Take
from hexapla.convert.doc_builder.references import reference_address
from hexapla.convert.prose import keep_match, keep_original, renumber_notes
from hexapla.pages.lines import COMMENT, PROSE, Line, read

GROUPS = {"hfoption": "hfoptions", "pt": "frameworkcontent", "tf": "frameworkcontent", "jax": "frameworkcontent"}
FRAMEWORKS = {"pt": "PyTorch", "tf": "TensorFlow", "jax": "JAX"}
TAGS = {title: tag for tag, title in FRAMEWORKS.items()}
COMPONENT = re.compile(
    r"<(?P<close>/?)(?P<tag>Tip|hfoptions|hfoption|frameworkcontent|pt|tf|jax)(?P<attributes>[^<>]*)>"
)
FORMS = {
    "Tip": re.compile(r"(?: warning=\{true\})?"), "hfoption": re.compile(r' id="(?P<id>[^"\\<>]+)"'),
    "hfoptions": re.compile(r'(?: id="[^"<>]*")?'), "frameworkcontent": re.compile("(?: fw)?"),
}
NO_ATTRIBUTES = re.compile("")
HEAD = re.compile(r'(?P<indent> *)(?P<head>!!! (?:tip|warning) component|=== "[^"\n]*")$')
ALERT = re.compile(r"(?P<indent> *)> \[!(?P<kind>TIP|NOTE|WARNING|IMPORTANT|CAUTION)\]$")
CALLOUT = re.compile(r"(?P<indent> *)!!! (?P<kind>tip|note|warning|important|caution)$")
DIRECTIVE = re.compile(r"(?P<indent> *)\[\[(?P<name>autodoc|open-in-colab)\]\](?P<rest>.*)$")
OBJECT = re.compile(r" (?P<name>[A-Za-z_][\w.]*)$")
DOCUMENTED = re.compile(r"(?P<indent> *)\[?`(?P<name>[^`\n]+)`(?:\]\([^()\s]*\))?\{\.autodoc\}$")
WRAPPED = re.compile(r"(?P<indent> *)(?P<comment><!-- kept: \[\[.*)$")
MEMBER = re.compile(r"[ \t]+- (?!.*-->)")
MEMBERS = "<!-- members"
WATCH = "https://www.youtube.com/watch?v="
VIDEO = re.compile(r'(?P<indent> *)<Youtube id="(?P<id>[\w-]+)"(?P<space> ?)/>$')
WATCHED = re.compile(
    rf"(?P<indent> *)\[YouTube\]\({re.escape(WATCH)}(?P<id>[\w-]+)\)\{{\.youtube(?P<space> \.spaced)?\}}$"
)
FRAME = re.compile(r"(?P<opening><(?P<tag>div|details|center)(?: [^<>]*)?)>$")
FRAMED = re.compile(r"(?P<opening><(?:div|details|center)(?: [^<>]*)?) markdown>$")
OTHER = re.compile(r"[ \t]*(?:</?(?P<tag>[A-Z]\w*|inference\w*)\b|\{[#:/@](?P<block>if|else|each|html)\b)")


def read_line(line: str) -> ContainerLine | None:
    """What a line opens or closes; a tab has to stand in its group, a component with other attributes nowhere."""
    match = COMPONENT.fullmatch(line)
    if not match or (match["close"] and match["attributes"]):
        return None
    tag = match["tag"]
    form = FORMS.get(tag, NO_ATTRIBUTES).fullmatch(match["attributes"])
    if match["close"] or not form:
        return ContainerLine(tag, not match["close"], inside="no component")
    if tag == "Tip":
        return ContainerLine(tag, True, f"!!! {'warning' if match['attributes'] else 'tip'} component")
    title = FRAMEWORKS.get(tag) or (form["id"] if tag == "hfoption" else "")
    return ContainerLine(tag, True, f'=== "{title}"' if title else "", GROUPS.get(tag, ""))


def write_head(head: str, group: str) -> tuple[str, str]:
    """The lines that open and close what a head begins, in a group that a line opens."""
    if not head.startswith("==="):
        return f"<Tip{' warning={true}' * ('warning' in head)}>", "</Tip>"
    title = head[5:-1]
    tag = TAGS.get(title, "") if group.startswith("<frameworkcontent") else ""
    return (f"<{tag}>", f"</{tag}>") if tag else (f'<hfoption id="{title}">', "</hfoption>")


CONTAINERS = ContainerRules(read_line, write_head, head=HEAD, by_itself=True)


def write_lines(text: str, index: LinkIndex, note: Take) -> tuple[str, Take]:
    """The page with its quoted call-outs, directives, videos and frames as here, and what takes notes of its lines."""
    lines = list(read(text))
    changed = alert_lines(lines, note) | member_lines(lines)
    balanced = {name for name in ("div", "details", "center") if text.count(f"<{name}") == text.count(f"</{name}>")}
    pieces = []
    for number, line in enumerate(lines):
        follows = lines[number + 1].text if number + 1 < len(lines) else ""
        pieces.append(changed[number] if number in changed else one_line(line, follows, balanced, index, note))
    made = "".join(pieces)
    if made == text or restore_written(made) == text:
        return made, renumber_notes(note, pieces)
    note("containers", 1, "call-outs of this page could not be taken back exactly; they stay as they are")
    return text, note


def prose_line(line: Line) -> str:
    """A line of prose without its end, "" for any other."""
    return line.text.rstrip("\n") if line.kind is PROSE else ""


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


def alert_lines(lines: Sequence[Line], note: Take) -> dict[int, str]:
    """The lines of alerts, by number, as they are written here."""
    changed: dict[int, str] = {}
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
        changed[number] = f"{match['indent']}!!! {match['kind'].lower()}\n"
        for each in range(number + 1, end):
            before, _, rest = lines[each].text.partition(">")
            changed[each] = "\n" if rest == "\n" else before + STEP + rest[1:]
    return changed


def one_line(line: Line, follows: str, balanced: set[str], index: LinkIndex, note: Take) -> str:
    """A line that stands for itself: a directive, a video, the frame of a picture; any other as it is."""
    text = prose_line(line)
    end = line.text[len(text) :]
    if "[[" in text and (match := DIRECTIVE.match(text)):
        return convert_directive(match, line.number, index, note) + end
    if match := VIDEO.match(text):
        return f"{match['indent']}[YouTube]({WATCH}{match['id']}){{.youtube{' .spaced' * bool(match['space'])}}}{end}"
    if (match := FRAME.match(text)) and match["tag"] in balanced and follows == "\n":
        return f"{match['opening']} markdown>{end}"
    if (match := OTHER.match(text)) and not COMPONENT.fullmatch(text.strip()):
        shown = f"<{match['tag']}>" if match["tag"] else f"{{{match['block']}}}"
        note(shown, line.number, f"{shown} is no component that is known; it stays as it is")
    return line.text


def convert_directive(match: re.Match[str], line: int, index: LinkIndex, note: Take) -> str:
    """A directive as a link to the published reference, or as a comment."""
    documented = OBJECT.match(match["rest"]) if match["name"] == "autodoc" else None
    if not documented:
        note(f"[[{match['name']}]]", line, f"[[{match['name']}]] has no counterpart; it is kept as a comment")
        return match["indent"] + keep_original(match.group()[len(match["indent"]) :])
    name = documented["name"]
    where = reference_address(name, index)
    if not where:
        note("[[autodoc]]", line, f"the reference of {name} is not made here; only its name is shown")
    return match["indent"] + (f"[`{name}`]({where}){{.autodoc}}" if where else f"`{name}`{{.autodoc}}")


def restore_written(text: str) -> str:
    """The page as it was before `write_lines`."""
    lines, done = list(read(text)), list[str]()
    number = 0
    while number < len(lines):
        line, body = lines[number], lines[number].text.rstrip("\n")
        number += 1
        if line.kind is COMMENT and body == MEMBERS:
            last = next((at for at in range(number, len(lines)) if lines[at].text.rstrip("\n") == "-->"), len(lines))
            members = "".join(each.text for each in lines[number:last])
            ended = last < len(lines) and not lines[last].text.endswith("\n")
            done.append(members.removesuffix("\n") if ended else members)
            number = last + 1
        elif line.kind is COMMENT and (match := WRAPPED.match(body)):
            done.append(match["indent"] + keep_match(match["comment"]) + line.text[len(body) :])
        elif line.kind is PROSE and (match := CALLOUT.match(body)):
            indent, last = match["indent"], end_of_inside(lines, number, match["indent"] + STEP)
            done.append(f"{indent}> [!{match['kind'].upper()}]\n")
            done += (f"{indent}>\n" if each.text == "\n" else f"{indent}> {each.text[len(indent + STEP):]}"
                     for each in lines[number:last])
            number = last
        elif line.kind is PROSE:
            done.append(restore_line(body) + line.text[len(body) :])
        else:
            done.append(line.text)
    return "".join(done)


def restore_line(body: str) -> str:
    """A line that stands for itself, as doc-builder writes it."""
    if match := DOCUMENTED.match(body):
        return f"{match['indent']}[[autodoc]] {match['name']}"
    if match := WATCHED.match(body):
        return f'{match["indent"]}<Youtube id="{match["id"]}"{" " * bool(match["space"])}/>'
    return FRAMED.sub(lambda frame: frame["opening"] + ">", body)
