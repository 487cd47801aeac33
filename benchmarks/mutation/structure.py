"""Defects of structure and code."""

import re

from benchmarks.mutation.spots import Seed, Seeder, Spot, at, atx, choose, closed, outside, runs


def level(spot: Spot) -> Seed | None:
    """A heading one level up or down."""
    chosen = choose(spot, [mine for mine, _ in atx(spot) if 2 <= mine.level <= 5])
    if chosen is None:
        return None
    line = spot.lines[chosen.line - 1]
    down = spot.rng.random() < 0.5
    return at(spot, chosen.line, line.replace("#", "##", 1) if down else line.replace("##", "#", 1), "level changed")


def heading_lost(spot: Spot) -> Seed | None:
    """A heading taken out, or made a paragraph."""
    chosen = choose(spot, [mine for mine, _ in atx(spot) if mine.level >= 2])
    if chosen is None:
        return None
    line = spot.lines[chosen.line - 1]
    if spot.rng.random() < 0.5:
        return at(spot, chosen.line, "\n", "heading lost")
    return at(spot, chosen.line, re.sub(r"\{[^{}]*\}", "", line.lstrip("# \t")), "heading flattened")


def heading_added(spot: Spot) -> Seed | None:
    """A heading that the source has not, above a paragraph."""
    chosen = choose(spot, [run for run in runs(spot.page, items=False) if run.first > 3])
    return None if chosen is None else at(
        spot, chosen.first, f"## {chosen.text[:8].strip() or 'x'}\n\n{spot.lines[chosen.first - 1]}", "heading added")


DASHES = re.compile(r"[ \t]*\|?[ :|-]*-{2,}[ :|-]*\|[ :|-]*$")


def table_rows(spot: Spot) -> list[int]:
    """The lines of body rows."""
    lines = spot.lines
    dashes = [number for number, line in enumerate(lines, 1) if DASHES.match(line)]
    tables = {table.line for table in spot.page.tables}
    return [number for start in dashes if {start - 1, start} & tables or spot.page.tables
            for number in range(start + 1, len(lines) + 1)
            if lines[number - 1].count("|") >= 2 and all("|" in lines[k - 1] for k in range(start + 1, number + 1))]


def row_lost(spot: Spot) -> Seed | None:
    """A row taken out."""
    rows = table_rows(spot) if spot.page.tables else []
    chosen = choose(spot, rows)
    return at(spot, chosen, "", "row lost") if chosen else None


def dashes_lost(spot: Spot) -> Seed | None:
    """A table without its line of dashes."""
    rows = table_rows(spot) if spot.page.tables else []
    starts = [number - 1 for number in rows if number - 1 not in rows]
    chosen = choose(spot, starts)
    return at(spot, chosen, "", "dashes lost") if chosen else None


def item_lost(spot: Spot) -> Seed | None:
    """An item of one line taken out, or joined to the one above."""
    found = [run for run in runs(spot.page) if run.marker and not run.marker[0].isspace()]
    found = [run for run in found if any(one.line == run.first for one in spot.page.blocks if one.kind == "li")]
    chosen = choose(spot, found)
    if chosen is None:
        return None
    above = next((run for run in found if run.first == chosen.first - 1), None)
    if above is not None and spot.rng.random() < 0.5:
        return at(spot, chosen.first, f"  {chosen.text}\n", "items joined")
    return at(spot, chosen.first, "", "item lost")


KIND = re.compile(r"(^[ \t]*(?:!!!|\?\?\?\+?|///|:::)[ ]*|^[ \t]*>[ ]*\[!|<)([A-Za-z]+)")


def callout(spot: Spot) -> Seed | None:
    """A call-out of another kind, or without its opening line."""
    lines = spot.lines
    # The line of a call-out is its own or, where the record has its text's, the one or two above.
    places = {number for one in spot.page.admonitions for number in range(max(one.line - 2, 1), one.line + 1)}
    found = [number for number in places if (match := KIND.match(lines[number - 1])) and match[2].lower() in KINDS]
    chosen = choose(spot, sorted(found))
    if chosen is None:
        return None
    match = KIND.match(lines[chosen - 1])
    assert match is not None
    other = "danger" if match[2].lower() != "danger" else "note"
    if match[1] == "<":
        return None
    if spot.rng.random() < 0.5:
        other = other.upper() if match[2].isupper() else other
        return at(spot, chosen, match[1] + other + lines[chosen - 1][match.end() :], "kind changed")
    return at(spot, chosen, lines[chosen - 1][match.end() :].lstrip("]| \t") or "\n", "call-out lost")


KINDS = {"note", "tip", "warning", "danger", "info", "important", "caution", "check", "example", "abstract", "success",
         "details", "alert", "question", "quote", "failure", "bug", "error", "hint", "attention"}


def fence_lost(spot: Spot) -> Seed | None:
    """A code block taken out."""
    chosen = choose(spot, closed(spot.page))
    if chosen is None:
        return None
    lines = spot.lines
    del lines[chosen.line - 1 : chosen.end_line]
    return Seed("".join(lines), chosen.line, "code lost")


def fence_doubled(spot: Spot) -> Seed | None:
    """A code block twice."""
    chosen = choose(spot, closed(spot.page))
    if chosen is None:
        return None
    lines = spot.lines
    lines[chosen.end_line : chosen.end_line] = ["\n", *lines[chosen.line - 1 : chosen.end_line]]
    return Seed("".join(lines), chosen.end_line + 2, "code doubled")


def fence_open(spot: Spot) -> Seed | None:
    """A code block whose closing line is gone, so that it swallows what follows."""
    chosen = choose(spot, closed(spot.page)[:-1])
    return None if chosen is None else at(spot, chosen.end_line, "", "closing line lost")


def last_fence_open(spot: Spot) -> Seed | None:
    """The last code block without its closing line."""
    fences = [fence for fence in spot.page.fences if fence.end_line]
    return at(spot, fences[-1].end_line, "", "never closed") if fences and fences[-1] is spot.page.fences[-1] else None


def front_matter(spot: Spot) -> Seed | None:
    """Front matter that is no YAML."""
    wrong = spot.rng.choice(("title: [a\n", "a: b: c\n", "\tkey: value\n", "key: 'open\n"))
    if spot.lines and spot.lines[0].rstrip() == "---":
        return at(spot, 2, wrong + spot.lines[1], "front matter broken")
    return Seed(f"---\n{wrong}---\n{spot.page.text}", 2, "front matter broken")


SAME = {"#", "//", "--", "%", "<!--", '"""', "'''", "/*", "*/", "* "}


def code_lines(spot: Spot) -> list[int]:
    """Lines of code that are no comment and hold no quotation, in blocks marked with a language."""
    found = []
    for fence in closed(spot.page):
        if fence.language in {"", "text", "mermaid", "markdown", "md", "output", "console"} or '"""' in fence.content:
            continue
        for number in range(fence.line + 1, fence.end_line):
            line = spot.lines[number - 1]
            if line.strip() and not any(mark in line for mark in SAME) and "8<" not in line:
                found.append(number)
    return found


def code_word(spot: Spot) -> Seed | None:
    """A letter of a name, or a digit, changed in code."""
    chosen = choose(spot, code_lines(spot))
    if chosen is None:
        return None
    line = spot.lines[chosen - 1]
    places = [match.start() for match in re.finditer(r"[A-Za-z0-9]", line)]
    place = choose(spot, places)
    if place is None:
        return None
    other = spot.rng.choice([c for c in ("0123456789" if line[place].isdigit() else "abcdexyz") if c != line[place]])
    return at(spot, chosen, line[:place] + other + line[place + 1 :], "character changed")


def code_line(spot: Spot) -> Seed | None:
    """A line of code taken out."""
    chosen = choose(spot, code_lines(spot))
    return None if chosen is None else at(spot, chosen, "", "line lost")


def code_sign(spot: Spot) -> Seed | None:
    """An operator or a bracket changed in code."""
    chosen = choose(spot, [n for n in code_lines(spot) if re.search(r"[-+*=<>().,\[\]]", spot.lines[n - 1].strip())])
    if chosen is None:
        return None
    line = spot.lines[chosen - 1]
    match = spot.rng.choice(list(re.finditer(r"[-+*=<>().,\[\]]", line)))
    return at(spot, chosen, line[: match.start()] + line[match.end() :], "sign lost")


INLINE = re.compile(r"(?<!`)`([^`\n]{2,40})`(?!`)")


def inline_codes(spot: Spot) -> list[tuple[int, re.Match[str]]]:
    """Inline code in paragraphs and items, that is letters and in one line."""
    return [(run.first, match) for run in runs(spot.page) if run.first == run.last
            for match in INLINE.finditer(spot.lines[run.first - 1]) if re.search("[a-z]", match[1])]


def inline_changed(spot: Spot) -> Seed | None:
    """A character of inline code changed."""
    chosen = choose(spot, inline_codes(spot))
    if chosen is None:
        return None
    number, match = chosen
    letters = [place for place in range(match.start(1), match.end(1)) if match.string[place].isalnum()]
    place = spot.rng.choice(letters)
    other = "z" if match.string[place] != "z" else "q"
    return at(spot, number, match.string[:place] + other + match.string[place + 1 :], "character changed")


def inline_lost(spot: Spot) -> Seed | None:
    """Inline code without its backticks."""
    chosen = choose(spot, [
        (number, match) for number, match in inline_codes(spot)
        if spot.page.text.count(f"`{match[1]}`") == 1 and outside(match.string, 0, 0)
    ])
    return None if chosen is None else at(
        spot, chosen[0], chosen[1].string[: chosen[1].start()] + chosen[1][1] + chosen[1].string[chosen[1].end() :],
        "backticks lost")


SEEDERS: dict[str, tuple[Seeder, ...]] = {
    "heading-level": (level,),
    "heading-count": (heading_lost, heading_added),
    "table-shape": (row_lost, dashes_lost),
    "list-count": (item_lost,),
    "admonition-differs": (callout,),
    "code-unclosed": (last_fence_open,),
    "front-matter": (front_matter,),
    "code-count": (fence_lost, fence_open),
    "code-extra": (fence_doubled,),
    "code-differs": (code_word, code_line, code_sign),
    "code-inline-differs": (inline_changed, inline_lost),
}
