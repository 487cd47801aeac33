"""A snippet as a page shows it: its code, and below it a badge that opens to its runs and to what it printed."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from hexapla.errors import ConfigError
from hexapla.examples.evidence import RunState
from hexapla.examples.page_blocks import block_path, is_block, list_attributes
from hexapla.pages import Excerpt, Include, excerpt, visible_lines
from hexapla.pages.evidence_references import insert_figures
from hexapla.pages.lines import FENCE_MARK, FENCED, FRONT, Line
from hexapla.pages.parser import find_directives
from hexapla.site.page.page_inputs import PageInputs, SiteInputs
from hexapla.site.page.part_templates import render_part
from hexapla.site.page.recorded_output import show_output
from hexapla.site.page.snippet_evidence import (
    ALWAYS_NAMED,
    EvidenceState,
    SnippetEvidence,
    describe_run,
    list_needs,
    named_versions,
)
from hexapla.site.page.snippet_pages import SnippetLinks
from hexapla.site.texts.strings import say_list, say_sentence

# A paragraph that Markdown carries through any nesting; private-use characters are in no page by accident.
PLACEHOLDER = "\ue0f0hexapla{number}\ue0f1"
RENDERED_PLACEHOLDER = re.compile(PLACEHOLDER.format(number="([0-9]+)"))


@dataclass(frozen=True, slots=True)
class IncludedSnippet:
    """An include of a page with its code; `last` is whether no later include of the page is of the same file.

    `alt` is what its block says that a picture of its output shows, "" for nothing.
    """

    include: Include
    excerpt: Excerpt
    last: bool
    alt: str = ""


def expand_includes(
    lines: Sequence[Line], inputs: PageInputs, language: str, page: str
) -> tuple[str, list[IncludedSnippet]]:
    """A page's Markdown with its figures and with every include replaced by its code, a placeholder below each block.

    A placeholder stands for the block's note; its number is an index of the list. Programs that stand in the page, a
    path below its language's folder, have notes too. The page must have no findings. Comments are in `language` where
    the table has them.
    """
    lines = insert_figures(lines, lambda reference: inputs.read(SiteInputs.figure, reference, language))
    name = inputs.site.sources.snippets.name
    found = [each for each in find_directives(lines) if isinstance(each, Include)]
    by_line = {include.line: include._replace(path=name(include.path)) for include in found}
    blocks = {}  # programs that stand in the page, each as if the line that opens its block included it
    for line in lines:
        path = block_path(page, line.text) if line.kind is FENCE_MARK else ""
        if path and inputs.read(SiteInputs.runs_block, path):
            blocks[line.number] = Include(path, "", None, None, line.number, 1, "", "python")
    final = {include.path: line for line, include in (by_line | blocks).items()}
    included: list[IncludedSnippet] = []
    out: list[str] = []
    pending: list[int] = []
    alt = ""
    for line in lines:
        alt = list_attributes(line.text).get("alt", "") if line.kind is FENCE_MARK else alt
        include = by_line.get(line.number)
        if line.kind is FRONT:
            continue  # MkDocs has taken it off already
        if include is None:
            out.append(line.text)
        else:
            text = inputs.read(SiteInputs.code, include.path, language)
            code = excerpt(text, include.section, include.first, include.last)
            code = Excerpt(code.text, *visible_lines(text, code))
            if line.kind is FENCED:
                last = final[include.path] == include.line
                before = included[pending[-1]] if pending else None
                if before and before.include.path == include.path:  # one note for the parts of a file in a block
                    whole = code._replace(first=min(before.excerpt.first, code.first))
                    included[pending[-1]] = IncludedSnippet(include, whole, last, alt)
                else:
                    pending.append(len(included))
                    included.append(IncludedSnippet(include, code, last, alt))
            out += [f"{include.indent}{text}".rstrip() + "\n" for text in code.text.split("\n")]
        if pending and line.kind is FENCE_MARK:
            out += make_placeholders(line, pending)
            pending = []
        if block := blocks.get(line.number):
            pending.append(len(included))
            included.append(IncludedSnippet(block, Excerpt("", 0, 0), final[block.path] == block.line, alt))
    return "".join(out).lstrip("\n"), included


def make_placeholders(line: Line, numbers: list[int]) -> Iterator[str]:
    """A paragraph for each include of a block that ends with `line`, indented as the block is."""
    indent = line.text[: len(line.text) - len(line.text.lstrip(" \t"))]
    ending = "" if line.text.endswith("\n") else "\n"
    for number in numbers:
        yield f"{ending}\n{indent}{PLACEHOLDER.format(number=number)}\n\n"


def insert_notes(html: str, notes: Mapping[int, str]) -> str:
    """Rendered HTML with the notes in the places of their placeholders. Raises ConfigError where one has been lost."""
    if not notes:
        return html
    html = html.replace(f"<p>{PLACEHOLDER[0]}", PLACEHOLDER[0]).replace(f"{PLACEHOLDER[-1]}</p>", PLACEHOLDER[-1])
    lost = notes.keys() - {int(number) for number in RENDERED_PLACEHOLDER.findall(html)}
    if lost:
        raise ConfigError(
            f"{len(lost)} of {len(notes)} blocks of code have lost their notes on the way through Markdown; take what "
            "renders them otherwise out of markdown_extensions, or report this to Hexapla"
        )
    return RENDERED_PLACEHOLDER.sub(lambda match: notes[int(match[1])], html)


def make_note(snippet: IncludedSnippet, evidence: SnippetEvidence, language: str, links: SnippetLinks) -> str:
    """The badge below a block: where and when its program ran, in one line.

    It opens to the versions, the source and the notebook, below the last block to the recorded output as well.
    """
    path, shown, runs = snippet.include.path, snippet.excerpt, []
    for each in evidence.states:
        if each.run:
            parts = [each.hardware, describe_run(each.state, each.run, evidence.packages, language)]
            parts += [say_sentence(language, "signed", signer=each.signer)] if each.signer else []
            runs.append((each.state, " · ".join(parts)))
    ran = evidence.shown_run()
    caption = output = ""
    if ran and ran.run and snippet.last:
        caption = f"{say_sentence(language, 'output')} · {ran.hardware}"
        output = show_output(ran.run.output, snippet.alt or caption)
    return render_part(
        "note.html", language, path="" if is_block(path) else path, first=shown.first, last=shown.last, links=links,
        has_runs=path.endswith(".py") and bool(evidence.states or links.notebook), runs=runs, caption=caption,
        badge=[*make_badge(evidence.states, language)], output=output,
    )


def make_badge(states: Sequence[EvidenceState], language: str) -> Iterator[tuple[str, str]]:
    """What became of a program's last run on each kind of hardware, and when: a state and its sentence.

    Kinds of which the same holds are one.
    """
    by_kind: dict[str, list[EvidenceState]] = {}
    alike: dict[tuple[RunState, str, str], list[str]] = {}
    for each in states:
        if each.run:
            by_kind.setdefault(each.kind_name, []).append(each)
    for name, found in by_kind.items():
        best = min(found, key=lambda each: [*RunState].index(each.state)).state
        last = max((each.run for each in found if each.run and each.state is best), key=lambda run: run.date)
        alike.setdefault((best, last.date, list_needs(last, language)), []).append(name)
    for (state, date, needs), names in alike.items():
        yield state, say_sentence(
            language, f"{state}-briefly", hardware=say_list(language, names), date=date, needs=needs)
    if not by_kind:
        yield "not-run", say_sentence(language, "where-not-run")


def hardware_note(
    kind: str, programs: Mapping[str, Sequence[EvidenceState]], language: str, link: Callable[[str], str]
) -> str:
    """The line at the top of a page on a kind of hardware: how many of its programs ran on each kind, or which one.

    It opens to their names, and the versions that they ran with.

    `programs` are the states of each by its path, `link` gives the address of its source, "" for none. "" for a page on
    no kind, or one whose programs are for no hardware of the kind.
    """
    meant = {path: states for path, states in programs.items() if any(each.kind == kind for each in states)}
    names = {each.kind: each.kind_name for states in meant.values() for each in states}
    said = []
    for each in sorted(names, key=lambda each: each == kind):  # that of the page is the last
        ran = {path: runs for path, states in meant.items()
               if (runs := [one.run for one in states if one.kind == each and one.state is RunState.RAN and one.run])}
        versions = {f"{package} {version.partition('+')[0]}"  # without the build, as in 2.13.0+cpu
                    for runs in ran.values() for run in runs
                    for package, version in named_versions(run, ALWAYS_NAMED).items()}
        state = "not-run" if not ran else "ran" if len(ran) == len(meant) else "partly"
        shown = [(path.removesuffix(".py").rpartition("#")[2], "" if is_block(path) else link(path)) for path in ran]
        values = {"ran": len(ran), "programs": len(meant), "hardware": names[each],
                  "versions": say_list(language, sorted(versions)), "program": shown[0][0] if shown else ""}
        briefly = "page-ran-one" if state == "partly" and len(ran) == 1 else "page-ran-briefly"
        brief, full = (say_sentence(language, key, **values) for key in (
            (briefly, "page-ran") if ran else (state, state)))
        said.append((state, brief, full, shown))
    return render_part("hardware.html", language, said=said) if said else ""
