"""Edits of a source tree, each with what it makes of the translations' state."""

import json
import random
import re
import textwrap
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from hexapla.pages.lines import LineKind, read
from hexapla.pages.parser import parse

Expected = dict[tuple[str, str], str]  # page and section -> what changed; all other sections stay current
WORD = re.compile(r"(?<![\w`/.#(-])[a-z]{4,}(?![\w`/.)-])")
NUMBER = re.compile(r"(?<![\w.`#/])\d+(?![\w.`)/])")
HEADING = re.compile(r"^(#{1,6} )(.*?)( \{#([^}]+)\})$", re.M)
CODE_WORDS = re.compile(r"[\[\]()`|<>{]|https?:")


@dataclass(frozen=True)
class Project:
    """The copy that edits are applied to; `outputs` are recorded outputs by snippet, where they are new."""

    root: Path
    random: random.Random
    outputs: dict[str, str] = field(default_factory=dict)

    def pages(self, language: str = "en") -> list[Path]:
        """The pages of a language."""
        return sorted((self.root / "docs" / language).rglob("*.md"))

    def name(self, page: Path) -> str:
        """A page's name."""
        return page.relative_to(self.root / "docs" / "en").with_suffix("").as_posix()


def section_at(text: str, line: int) -> str:
    """The id of the heading that a line stands below, "" above the first."""
    above = [heading for heading in parse(text).headings if heading.line <= line]
    return (above[-1].id or "") if above else ""


def prose(text: str) -> Iterator[tuple[int, str]]:
    """The lines of prose that hold no heading, table or directive, with their numbers."""
    for line in read(text):
        plain = line.kind is LineKind.PROSE and line.text.strip() and "8<-" not in line.text
        if plain and not line.text.lstrip().startswith(("#", "|", "!!!", "===", "<", "[", "///")):
            yield line.number, line.text


def on_a_line(project: Project, pattern: re.Pattern[str], change: Callable[[str], str]) -> Expected | None:
    """Change one match on one line of prose."""
    page = project.random.choice(project.pages())
    text = page.read_text(encoding="utf-8")
    spots = [
        (number, match.start(), match.end())
        for number, line in prose(text) if not CODE_WORDS.search(line) for match in pattern.finditer(line)
    ]
    if not spots:
        return None
    number, start, end = project.random.choice(spots)
    lines = text.splitlines(keepends=True)
    line = lines[number - 1]
    lines[number - 1] = line[:start] + change(line[start:end]) + line[end:]
    page.write_text("".join(lines), encoding="utf-8")
    return {(project.name(page), section_at(text, number)): "text"}


def wording(project: Project) -> Expected | None:
    """Another word."""
    return on_a_line(project, WORD, lambda word: word[::-1] if word[::-1] != word else "other")


def number(project: Project) -> Expected | None:
    """Another number."""
    return on_a_line(project, NUMBER, lambda digits: str(int(digits) + 1))


def negation(project: Project) -> Expected | None:
    """A word put in."""
    return on_a_line(project, WORD, lambda word: f"not {word}")


def code(project: Project) -> Expected | None:
    """A line of a fence on the page."""
    page = project.random.choice(project.pages())
    text = page.read_text(encoding="utf-8")
    lines = text.splitlines(keepends=True)
    spots = [line.number for line in read(text) if line.kind is LineKind.FENCED and "8<-" not in line.text]
    if not spots:
        return None
    spot = project.random.choice(spots)
    lines[spot - 1] = lines[spot - 1].rstrip("\n") + " --verbose\n"
    page.write_text("".join(lines), encoding="utf-8")
    return {(project.name(page), section_at(text, spot)): "code"}


def snippet(project: Project) -> Expected | None:
    """A line of a shown part of a snippet: every section that shows this part."""
    shown = [
        (project.name(page), section_at(text, include.line), include)
        for page in project.pages() if (text := page.read_text(encoding="utf-8")) for include in parse(text).includes
    ]
    path, part = project.random.choice(sorted({(each.path, each.section) for _, _, each in shown if each.section}))
    file = project.root / "snippets" / path
    mark = f"[start:{part}]"
    lines = file.read_text(encoding="utf-8").splitlines(keepends=True)
    start = next(number for number, line in enumerate(lines) if mark in line)
    lines.insert(start + 1, f"{re.match(r' *', lines[start]).group()}edited = True\n")
    file.write_text("".join(lines), encoding="utf-8")
    return {(name, section): "code" for name, section, each in shown if (each.path, each.section) == (path, part)}


def output(project: Project) -> Expected | None:
    """The recorded output of a snippet: the section on each page that shows the snippet's last part."""
    file = next((project.root / "snippets/evidence").glob("cpu-*.json"))
    recorded = json.loads(file.read_text(encoding="utf-8"))
    expected: dict[str, Expected] = {}
    for page in project.pages():
        text = page.read_text(encoding="utf-8")
        last = {include.path: include for include in parse(text).includes if include.language}
        for path, include in last.items():
            if recorded["runs"].get(path, {}).get("status") == "ran":
                place = (project.name(page), section_at(text, include.line))
                expected.setdefault(path, {})[place] = "output"
    path = project.random.choice(sorted(expected))
    project.outputs[path] = f"{recorded['runs'][path]['output']}\nedited"
    return expected[path]


def white_space(project: Project) -> Expected | None:
    """Empty lines, spaces at the end of lines, another kind of line end."""
    page = project.random.choice(project.pages())
    text = page.read_text(encoding="utf-8")
    spots = [number for number, _ in prose(text)]
    lines = text.splitlines(keepends=True)
    for spot in project.random.sample(spots, min(3, len(spots))):
        lines[spot - 1] = lines[spot - 1].rstrip("\n") + project.random.choice([" \n", "\t\n", "\r\n"])
    page.write_bytes(("".join(lines) + "\n\n").encode())
    return {}


def wrapping(project: Project) -> Expected | None:
    """Every paragraph wrapped at another width."""
    page = project.random.choice(project.pages())
    text = page.read_text(encoding="utf-8")
    width = project.random.choice([50, 60, 72, 88, 140])
    parts = []
    for part in re.split(r"(\n{2,})", text):
        plain = part and not re.match(r"[\s#|>*\-!`=<\d\[/:+]", part) and "```" not in part and "\n  " not in part
        wrapped = textwrap.fill(part, width, break_long_words=False, break_on_hyphens=False) if plain else part
        starts = any(re.match(r"\s*(?:[-*+#>|=]|\d+[.)])", line) for line in wrapped.splitlines())
        parts.append(part if starts or not plain else wrapped)
    page.write_text("".join(parts), encoding="utf-8")
    return {}


def link_target(project: Project) -> Expected | None:
    """A link that leads elsewhere."""
    page = project.random.choice(project.pages())
    text = page.read_text(encoding="utf-8")
    plain = {number for number, line in prose(text) if "`" not in line}  # what stands in code is no link
    spots = [match for match in re.finditer(r"(?<=\w\]\()[^)\s]+", text)
             if text.count("\n", 0, match.start()) + 1 in plain]
    if not spots:
        return None
    spot = project.random.choice(spots)
    page.write_text(text[: spot.start()] + "elsewhere.md#there" + text[spot.end() :], encoding="utf-8")
    return {}


def moved_section(project: Project) -> Expected | None:
    """Two neighbouring sections change places."""
    page = project.random.choice(project.pages())
    text = page.read_text(encoding="utf-8")
    heads = parse(text).headings
    lines = text.splitlines(keepends=True)
    pairs = [index for index in range(1, len(heads) - 2) if heads[index].level == heads[index + 1].level]
    if not pairs:
        return None
    index = project.random.choice(pairs)
    first, second, third = (heads[index + step].line - 1 for step in range(3))
    moved = lines[:first] + lines[second:third] + lines[first:second] + lines[third:]
    page.write_text("".join(moved), encoding="utf-8")
    last = {include.path: include.line for include in parse(text).includes}
    now = "".join(moved)
    later = {include.path: include.line for include in parse(now).includes}
    for path in last:  # the output stands below the last part shown, which may be in the other section now
        if section_at(text, last[path]) != section_at(now, later[path]):
            return None
    return {}


def heading(project: Project) -> Expected | None:
    """A heading in other words, its id kept."""
    page = project.random.choice(project.pages())
    text = page.read_text(encoding="utf-8")
    match = project.random.choice(list(HEADING.finditer(text)))
    page.write_text(text[: match.start(2)] + "More on " + text[match.start(2) :], encoding="utf-8")
    return {(project.name(page), match[4]): "text"}


def heading_id(project: Project) -> Expected | None:
    """A section's id is another one, in the translations too."""
    page = project.random.choice(project.pages())
    old = project.random.choice(list(HEADING.finditer(page.read_text(encoding="utf-8"))))[4]
    for language in ("en", "zh", "ja"):
        file = project.root / "docs" / language / page.relative_to(project.root / "docs/en")
        file.write_text(file.read_text(encoding="utf-8").replace(f"{{#{old}}}", f"{{#{old}-now}}"), encoding="utf-8")
    return {}


def moved_page(project: Project) -> Expected | None:
    """A page lies elsewhere, in every language; one of its sections may have been edited on the way."""
    page = project.random.choice(project.pages())
    edited = project.random.random() < 0.5
    text = page.read_text(encoding="utf-8")
    spots = [(number, line) for number, line in prose(text) if WORD.search(line) and not CODE_WORDS.search(line)]
    spot = project.random.choice(spots)[0]
    inside = page.relative_to(project.root / "docs/en")
    for language in ("en", "zh", "ja"):
        new = project.root / "docs" / language / "moved" / inside
        new.parent.mkdir(parents=True, exist_ok=True)
        (project.root / "docs" / language / inside).rename(new)
    if not edited:
        return {}
    lines = text.splitlines(keepends=True)
    lines[spot - 1] = WORD.sub("edited", lines[spot - 1], count=1)
    (project.root / "docs/en/moved" / inside).write_text("".join(lines), encoding="utf-8")
    return {(f"moved/{project.name(page)}", section_at(text, spot)): "text"}


EDITS: tuple[Callable[[Project], Expected | None], ...] = (
    wording, number, negation, code, snippet, output, white_space, wrapping, link_target, moved_section, heading,
    heading_id, moved_page,
)
