"""Read one page: front matter, headings, fences, includes, and what is wrong with them."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

import yaml

from hexapla.pages.blocks import HEADING, SourceBlock, read_blocks
from hexapla.pages.lines import COMMENT, FENCE_MARK, FENCED, FRONT, Closes, Line, closes_same
from hexapla.pages.model import Fence, Heading, Include, Inclusion, Page, Problem
from hexapla.yaml_text import load_with_nodes, locate_mistake

ITEM_MARKS = re.compile(r"[ \t>]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)+")
EXPLICIT_ID = re.compile(r"(?:^|\s|^/\*\s*)(?:#|(?<=/\*))(?P<id>[^\s}*]+)")
DIRECTIVE = re.compile(r"(?P<indent>[ \t>]*)(?P<escape>;*)(?P<marker>-+8<-+)(?P<rest>.*)$")
QUOTED = re.compile(r"""[ \t]+(?P<quote>["'])(?P<target>[^"'\n]+)(?P=quote)(?P<tail>.*)$""")
TARGET = re.compile(r"(?P<path>[^:]*)(?::(?:(?P<section>[A-Za-z][-\w]*)|(?P<first>\d*)(?::(?P<last>\d*))?))?$")

# What is no code, in a fence that nothing closes: CommonMark ends it with the page, and a block that is last is whole.
TAKEN_IN = re.compile(r"^(?:#{2,6} \S|:::|[ \t]*(?:`{3}|~{3}))|\]\((?:https?:|[./#])", re.M)
# Below an empty line, a sentence, or an item: no line of a program, but one of a text, of YAML, of a string in code.
SENTENCE = re.compile(
    r"\n[ \t]*\r?\n(?:(?:[A-Z][a-z']*(?: [^\s=;{}]+){2,}\.|[^\W\d_a-zA-Z][^\n]*。)[ \t]*\r?|[-*] \w[^\n:]*)(?:\n|\Z)")
TEXTS = frozenset({"", "console", "diff", "log", "markdown", "md", "mdx", "output", "patch", "plain", "plaintext", "po",
                   "rst", "text", "txt", "yaml", "yml"})
STRING = re.compile(r"\"{3}|'{3}|/\*|<!--")

# The directives of mdx_include and of FastAPI's documentation, which is built on it: `{* ../docs_src/a.py ln[1:9] *}`
# stands alone on its line, `{! ../docs_src/a.py !}` in a fence too.
INCLUSION = re.compile(
    r"(?P<lead>[ \t]*)\{(?P<mark>[*!])>?[ \t]*(?P<path>[^\s{}*!]+)(?P<options>[^{}*!\n]*)(?P=mark)\}[ \t]*$"
)
INCLUDING = ("{*", "{!", "<<<", "@include:")
# VitePress shows a file as code, or takes in a page: `<<< @/snippets/a.ts#region{2 ts} [title]`.
VITEPRESS = re.compile(
    r"(?P<lead>[ \t]*)(?:(?P<mark><<<)[ \t]+|<!--[ \t]*(?P<part>@include:)[ \t]*)"
    r"(?P<path>[^\s{}<>#\[\]]+?)(?=[\s{#\[]|--+>|$)(?P<options>#[\w-]+)?"
)


def parse(text: str, closes_fence: Closes = closes_same) -> Page:
    """The Page that `text` makes; raises nothing, whatever the text: what is wrong becomes a Problem."""
    return parse_blocks(text, read_blocks(text, closes_fence), closes_fence)


def parse_blocks(text: str, blocks: Sequence[SourceBlock], closes_fence: Closes = closes_same) -> Page:
    """The Page of a text whose blocks are already read."""
    lines = [block.line for block in blocks]
    meta, problems = front_matter(lines)
    includes: list[Include] = []
    for item in find_directives(lines) if "-8<-" in text else ():
        if isinstance(item, Include):
            includes.append(item)
        else:
            problems.append(item)
    fences = tuple(collect_fences(lines))
    problems += [
        Problem("code-unclosed", "this fence is never closed", "close it with the same marks", fence.line, 1)
        for fence in fences if not fence.end_line and (closes_fence is closes_same or takes_in_text(fence))
    ]
    headings = tuple(find_headings(blocks))
    problems += duplicate_ids(headings)
    ordered = tuple(sorted(problems, key=lambda problem: (problem.line, problem.column)))
    shown = tuple(list_inclusions(lines)) if any(mark in text for mark in INCLUDING) else ()
    whole = tuple([line.text for line in lines])
    return Page(text, meta, headings, fences, tuple(includes), ordered, shown, whole)


def takes_in_text(fence: Fence) -> bool:
    """Whether a fence that ends with its page has more than code in it."""
    program = fence.language not in TEXTS and not STRING.search(fence.content)
    return bool(TAKEN_IN.search(fence.content) or (program and SENTENCE.search(fence.content)))


def front_matter(lines: list[Line]) -> tuple[Mapping[str, object], list[Problem]]:
    """The mapping between the first two `---`, empty where there is none or where it is not YAML."""
    front = [line.text for line in lines if line.kind is FRONT]
    if not front:
        return {}, []
    hint = "write it as `key: value` lines between two lines of `---`"
    try:
        node, meta = load_with_nodes("".join(front[1:-1]))
    except (yaml.YAMLError, ValueError) as error:
        line, column, problem = locate_mistake(error)
        return {}, [Problem("front-matter", f"the front matter is not YAML: {problem}", hint, line + 1, column)]
    if meta is None:
        return {}, []
    if not (isinstance(meta, dict) and isinstance(node, yaml.MappingNode)):
        return {}, [Problem("front-matter", "the front matter is not a mapping", hint, 1, 1)]
    return meta, list(repeated_keys(node))


def repeated_keys(node: yaml.MappingNode) -> Iterator[Problem]:
    """Keys of the front matter that stand twice: YAML keeps the last in silence."""
    seen: set[str] = set()
    for key, _ in node.value:
        if key.value in seen:
            yield Problem("front-matter", f"the key {key.value!r} stands twice, and the first is lost", "take one out",
                          key.start_mark.line + 2, key.start_mark.column + 1)
        if isinstance(key, yaml.ScalarNode):
            seen.add(key.value)


def collect_fences(lines: Iterable[Line]) -> Iterator[Fence]:
    """Every fenced block, the one that is never closed with `end_line` 0."""
    current: Fence | None = None
    content: list[str] = []
    for line in lines:
        if line.kind is FENCED:
            content.append(line.text)
        elif line.kind is FENCE_MARK and current is None:
            current, content = Fence(fence_language(line.text), line.number, 0, ""), []
        elif line.kind is FENCE_MARK and current is not None:
            yield current._replace(end_line=line.number, content="".join(content))
            current = None
    if current is not None:
        yield current._replace(content="".join(content))


def fence_language(opening: str) -> str:
    """`python` of "``` python title=...", of "```python{1,3}", of "```{.python}" and of "``` { .python #id }"."""
    info = ITEM_MARKS.sub("", opening).strip(" \t\r\n>").lstrip("`~").strip()
    word = info.lstrip("{ ").split(" ")[0].split("{")[0].rstrip("}")
    return word.removeprefix(".").lower()


def find_headings(blocks: Iterable[SourceBlock]) -> Iterator[Heading]:
    """ATX and Setext headings, as Python-Markdown takes them (`###text` is one)."""
    for block in blocks:
        if block.kind is HEADING:
            [(start, end)] = block.words
            text = block.line.text[start - block.start : end - block.start]
            attributes = block.suffix.lstrip()
            identifier = EXPLICIT_ID.search(attributes.strip("{:}")) if attributes.startswith("{") else None
            if not attributes.startswith("{"):
                text += block.suffix
            column = len(block.prefix) - len(block.prefix.lstrip()) + 1 if "#" in block.prefix else 1
            yield Heading(block.level, text, identifier["id"] if identifier else None, block.line.number, column)


def duplicate_ids(headings: Iterable[Heading]) -> Iterator[Problem]:
    """The second and later headings with an id that one above them has."""
    first: dict[str, int] = {}
    for item in headings:
        if item.id is None:
            continue
        if item.id in first:
            message = f"the id {item.id!r} stands on line {first[item.id]} already"
            yield Problem("anchor-duplicate", message, "give this heading an id of its own", item.line, item.column)
        else:
            first[item.id] = item.line


def find_directives(lines: Iterable[Line]) -> Iterator[Include | Problem]:
    """Every include directive, or what keeps it from being one."""
    language = ""
    fence = -1
    for line in lines:
        if line.kind is FENCE_MARK and line.fence != fence:
            fence, language = line.fence, fence_language(line.text)
        if line.kind is COMMENT:
            continue
        match = DIRECTIVE.match(line.text.rstrip("\r\n")) if "-8<-" in line.text else None
        if match and not match["escape"]:
            inside = language if line.kind is FENCED else ""
            yield read_directive(match, line.number, inside)


def read_directive(match: re.Match[str], line: int, language: str) -> Include | Problem:
    """One directive line, already known to hold the scissors."""
    column = len(match["indent"]) + 1
    example = 'write it as --8<-- "area/technique.py:section"'
    quoted = QUOTED.match(match["rest"])
    if quoted is None:
        message = "this include is not one quoted path on one line, so it would be printed or skipped"
        return Problem("include-missing", message, example, line, column)
    if quoted["tail"]:
        message = "characters after the closing quote make the directive itself appear on the page"
        after = column + len(match["marker"]) + quoted.start("tail")
        return Problem("include-missing", message, "remove them, spaces too", line, after)
    target = TARGET.match(quoted["target"])
    if target is None or not target["path"] or "//" in target["path"]:
        message = f"{quoted['target']!r} names no file with an optional section or line range"
        return Problem("include-missing", message, example, line, column)
    first, last = target["first"], target["last"]
    ranged = target["section"] is None and first is not None
    return Include(
        path=target["path"],
        section=target["section"] or "",
        first=int(first or 1) if ranged else None,
        last=int(last) if ranged and last else None,
        line=line,
        column=column,
        indent=match["indent"],
        language=language,
    )


def list_inclusions(lines: Iterable[Line]) -> Iterator[Inclusion]:
    """The files that a page shows by those directives, in order; one that fetches an address shows no file."""
    for line in lines:
        mark = next((mark for mark in INCLUDING if mark in line.text), "")
        if not mark or (line.kind is COMMENT and mark != "@include:") or (mark != "{!" and line.kind is FENCED):
            continue
        found = (INCLUSION if mark[0] == "{" else VITEPRESS).match(line.text.rstrip("\r\n"))
        if found and "://" not in found["path"]:
            options = " ".join((found["options"] or "").split())
            yield Inclusion(found["path"], options, line.number, len(found["lead"]) + 1, mark[0])
