"""Python-Markdown pages of other layouts: text stays, and includes that need an extension become those of snippets.

`{* ../../docs_src/a.py ln[1:9] hl[3] *}`, alone on its line, becomes a block of code; `{! ../../docs_src/a.py !}`, in a
block of code, becomes a line of it. A comment above the block keeps what stood there.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from hexapla.convert.conversion_records import LinkIndex, Take
from hexapla.convert.headings import SourceHeading
from hexapla.convert.inert_markup import make_inert, restore_markup
from hexapla.convert.prose import KEPT, keep, keep_match
from hexapla.files import is_own_file, read_file
from hexapla.pages import parse
from hexapla.pages.lines import COMMENT, FENCE_MARK, FENCED, PROSE, read

UPWARDS = "../../"  # from the folder that pages are built in to the project's
BLOCK = re.compile(
    rf"\{{\* *{re.escape(UPWARDS)}(?P<path>[\w./-]+)"
    r"(?P<options>(?: +(?:(?:ln|hl)\[[\d:, ]+\]|title\[\"[^\"\]]+\"\]))*) *\*\}"
)
LINE = re.compile(rf"\{{!>? *{re.escape(UPWARDS)}(?P<path>[\w./-]+?) *!\}}")
OPTION = re.compile(r"(?P<name>ln|hl)\[(?P<ranges>[\d:, ]+)\]")
TITLE = re.compile(r" title\[(?P<quoted>[^\]]+)\]")
OTHER = re.compile(r"[ \t]*(?P<shown>\{[*!][^{}]*[*!]\}|\{%.*%\}|\{\{.*\}\}|::: \w+(?:\.\w+)*)")
KINDS = {"{*": "include", "{!": "include", "{%": "template", "{{": "template", "::": "mkdocstrings"}
LANGUAGES = {"py": "python", "js": "javascript", "ts": "typescript", "html": "html", "css": "css", "sh": "bash"}
FENCE = "```"


def to_site(
    text: str, page: str, index: LinkIndex, headings: Sequence[SourceHeading], ids: list[str], note: Take
) -> str:
    """A page with its includes as those of pymdownx.snippets."""
    lines = list(read(make_inert(text, note)))
    done: list[str] = []
    for number, line in enumerate(lines):
        body, end = line.text.rstrip("\n"), "\n" if line.text.endswith("\n") else ""
        if line.kind is PROSE and (match := BLOCK.fullmatch(body)):
            done.append(f"{keep(body)}\n\n{include_block(match)}{end}")
            continue
        if line.kind is PROSE and (other := OTHER.match(body)):
            note(KINDS[other["shown"][:2]], line.number,
                 f"{other['shown'][:60]} needs an extension of its own; it stays as it is")
        if line.kind is FENCE_MARK and number + 1 < len(lines) and lines[number + 1].kind is FENCED:
            inside = (each.text.rstrip("\n") for each in lines[number + 1 :] if each.fence == line.fence)
            done += (f"{keep(each)}\n\n" for each in inside if LINE.fullmatch(each))
        include = LINE.fullmatch(body) if line.kind is FENCED else None
        done.append(f'--8<-- "{include["path"]}"{end}' if include else line.text)
    return "".join(done)


def include_block(match: re.Match[str]) -> str:
    """The block of code that an include on a line of its own stands for."""
    path = match["path"]
    options = {option["name"]: read_ranges(option["ranges"]) for option in OPTION.finditer(match["options"])}
    parts = options.get("ln", [])
    includes = [f'--8<-- "{path}:{first}:{last}"' for first, last in parts] or [f'--8<-- "{path}"']
    marked = " ".join(str(first) if first == last else f"{first}-{last}"
                      for first, last in shown_lines(options.get("hl", []), parts))
    language = LANGUAGES.get(path.rpartition(".")[2], "text")
    title = f" title={named['quoted']}" if (named := TITLE.search(match["options"])) else ""
    return "\n".join([FENCE + language + title + (f' hl_lines="{marked}"' if marked else ""), *includes, FENCE])


def read_ranges(text: str) -> list[tuple[int, int]]:
    """The first and last lines of `1:9,12`."""
    pairs = [part.partition(":") for part in text.replace(" ", "").split(",") if part]
    return [(int(first or 1), int(last or first or 1)) for first, _, last in pairs]


def shown_lines(marked: Sequence[tuple[int, int]], parts: Sequence[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """Marked lines of a file by their numbers among those that are shown, `parts` of it or all."""
    if not parts:
        yield from marked
    before = 0
    for first, last in parts:
        for start, end in marked:
            low, high = max(first, start), min(last, end)
            if low <= high:
                yield low - first + 1 + before, high - first + 1 + before
        before += last - first + 1


def from_site(text: str, page: str, index: LinkIndex) -> str:
    """A page with its includes as its project writes them."""
    lines, done = list(read(text)), list[str]()
    number = 0
    waiting: list[re.Match[str]] = []
    while number < len(lines):
        line = lines[number]
        body, end = line.text.rstrip("\n"), "\n" if line.text.endswith("\n") else ""
        number += 1
        original = keep_match(body) if line.kind is COMMENT and KEPT.fullmatch(body) else ""
        if match := BLOCK.fullmatch(original):
            made = include_block(match).split("\n")
            after = [each.text.rstrip("\n") for each in lines[number : number + 1 + len(made)]]
            if after == ["", *made]:
                number += len(after)
                done.append(original + ("\n" if lines[number - 1].text.endswith("\n") else ""))
                continue
        elif match := LINE.fullmatch(original):
            waiting.append(match)
            number += 1
            continue
        if line.kind is FENCED and waiting and body == f'--8<-- "{waiting[0]["path"]}"':
            done.append(waiting.pop(0).group() + end)
        else:
            done.append(line.text)
    return restore_markup("".join(done))


def included_files(root: Path, pages: Mapping[str, bytes]) -> dict[str, bytes]:
    """The files below the project's root that its converted pages include, by their paths."""
    paths = {include.path for text in pages.values() for include in parse(text.decode()).includes}
    return {path: read_file(root, path) for path in sorted(paths) if is_own_file(root, path)}
