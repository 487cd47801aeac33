"""What a reader sees of a snippet: its code in the page, and below it where it ran and what it printed."""

import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from html import escape

from hexapla.examples.evidence import Run, RunState, state
from hexapla.pages import Excerpt, Include, Page, excerpt
from hexapla.pages.lines import Block, Line, read
from hexapla.site.sources import Tree
from hexapla.site.strings import say

# A paragraph that Markdown carries through any nesting; private-use characters stand in no page by accident.
PLACE = "\ue0f0hexapla{number}\ue0f1"
ALWAYS_SAID = {"torch", "transformers"}  # and whatever else the snippet imports
RENDERED_PLACE = re.compile("(?:<p>)?\ue0f0hexapla([0-9]+)\ue0f1(?:</p>)?")


@dataclass(frozen=True, slots=True)
class Shown:
    """An include as one page shows it; `last` is whether the page shows no later part of the same snippet."""

    include: Include
    excerpt: Excerpt
    last: bool


@dataclass(frozen=True, slots=True)
class Standing:
    """What a snippet's run on a hardware is worth today; `run` is None where there was none."""

    state: RunState
    hardware: str
    run: Run | None


def expand(page: Page, tree: Tree, language: str) -> tuple[str, list[Shown]]:
    """The page's Markdown with every include replaced by its code, and a place below each block for what it showed.

    The page must have no findings. Comments are in `language` where the table has them.
    """
    by_line = {include.line: include for include in page.includes}
    final = {include.path: include.line for include in page.includes}
    shown: list[Shown] = []
    out: list[str] = []
    waiting: list[int] = []
    for line in read(page.text):
        include = by_line.get(line.number)
        if line.block is Block.FRONT:
            continue  # MkDocs has taken it off already
        if include is None:
            out.append(line.text)
        else:
            code = part(include, tree, language)
            if line.block is Block.FENCED:
                waiting.append(len(shown))
                shown.append(Shown(include, code, final[include.path] == include.line))
            out += [f"{include.indent}{text}".rstrip() + "\n" for text in code.text.split("\n")]
        if waiting and line.block is Block.FENCE_MARK:
            out += places(line, waiting)
            waiting = []
    return "".join(out).lstrip("\n"), shown


def places(line: Line, numbers: list[int]) -> Iterator[str]:
    """A paragraph for each include of a block, as far in as the block."""
    indent = line.text[: len(line.text) - len(line.text.lstrip(" \t"))]
    ending = "" if line.text.endswith("\n") else "\n"
    for number in numbers:
        yield f"{ending}\n{indent}{PLACE.format(number=number)}\n\n"


def part(include: Include, tree: Tree, language: str) -> Excerpt:
    """The code that an include names, its comments in `language`."""
    return excerpt(tree.code(include.path, language), include.section, include.first, include.last)


def fill(html: str, shown: list[Shown], notes: Mapping[int, str]) -> str:
    """Rendered HTML with the places filled."""
    return RENDERED_PLACE.sub(lambda match: notes[int(match[1])], html) if shown else html


def note(shown: Shown, tree: Tree, language: str, source_url: str, notebook_url: str) -> str:
    """The lines below a block: source, one line a hardware, and the recorded output below the last block."""
    path = shown.include.path
    label = say(language, "source", path=path, first=shown.excerpt.first, last=shown.excerpt.last)
    link = f'<a href="{escape(source_url)}#L-{shown.excerpt.first}">{escape(label)}</a>'
    if not path.endswith(".py"):
        return f'<div class="hx-run"><p class="hx-run__source">{link}</p></div>'
    states = list(standing(path, tree))
    used = ALWAYS_SAID | tree.snippets.imports(path)
    items = [f'<li class="hx-run__{each.state}">{escape(sentence(each, used, language))}</li>' for each in states]
    download = f'<a href="{escape(notebook_url)}" download>{escape(say(language, "notebook"))}</a>'
    parts = [
        f'<p class="hx-run__source">{link} · {download}</p>',
        f'<ul class="hx-run__where">{"".join(items)}</ul>',
    ]
    if shown.last and tree.snippets.run_by(path) == path:  # a helper prints nothing of its own
        parts += [output(each.run, language) for each in states if each.run and each.state is RunState.RAN][:1]
    return f'<div class="hx-run">{"".join(parts)}</div>'


def standing(path: str, tree: Tree) -> Iterator[Standing]:
    """Where a snippet stands on each hardware of the project."""
    path = tree.snippets.run_by(path)
    source = tree.snippets.hash(path)
    for kind, name in tree.project.hardware.items():
        of_kind = [evidence for evidence in tree.evidence if evidence.hardware.kind == kind and path in evidence.runs]
        for evidence in of_kind:
            run = evidence.runs[path]
            yield Standing(state(run, source), evidence.hardware.name, run)
        if not of_kind and kind in tree.kinds.get(path, ()):
            yield Standing(RunState.NOT_RUN, name, None)


def sentence(standing: Standing, packages: Collection[str], language: str) -> str:
    """What a reader may believe, in one sentence, with the versions of `packages`."""
    run = standing.run
    if run is None:
        return say(language, standing.state.value, hardware=standing.hardware)
    return say(
        language, standing.state.value,
        hardware=standing.hardware, date=run.date, versions=versions(run, packages), reason=run.reason,
    )


def versions(run: Run, packages: Collection[str]) -> str:
    """Those of `packages` that were there, with their versions; Python's where none was."""
    named = [package for package in run.versions if package in packages] or [*run.versions][:1]
    return ", ".join(f"{package} {run.versions[package]}" for package in named)


def output(run: Run, language: str) -> str:
    """The recorded output, as text."""
    return (
        f'<figure class="hx-run__output"><figcaption>{escape(say(language, "output"))}</figcaption>'
        f'<pre tabindex="0"><samp lang="en">{escape(run.output)}</samp></pre></figure>'
    )
