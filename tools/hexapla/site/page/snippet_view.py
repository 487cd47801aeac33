"""A snippet as a page shows it: its code, and below it where it ran and what it printed."""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape

from mkdocs.exceptions import PluginError

from hexapla.examples.evidence import Run, RunState
from hexapla.pages import Excerpt, Include, excerpt
from hexapla.pages.evidence_references import insert_figures
from hexapla.pages.lines import FENCE_MARK, FENCED, FRONT, Line
from hexapla.pages.parser import directives
from hexapla.site.page.page_inputs import PageInputs, SiteInputs
from hexapla.site.page.run_summary import RunSummary, is_usual, named_versions, summarize, versions_text
from hexapla.site.page.snippet_evidence import EvidenceState, SnippetEvidence
from hexapla.site.page.snippet_pages import SnippetLinks
from hexapla.site.texts.strings import say

# A paragraph that Markdown carries through any nesting; private-use characters are in no page by accident.
PLACEHOLDER = "\ue0f0hexapla{number}\ue0f1"
RENDERED_PLACEHOLDER = re.compile("(?:<p>)?\ue0f0hexapla([0-9]+)\ue0f1(?:</p>)?")


@dataclass(frozen=True, slots=True)
class IncludedSnippet:
    """An include of a page with its code; `last` is whether no later include of the page is of the same file."""

    include: Include
    excerpt: Excerpt
    last: bool


def expand_includes(lines: Sequence[Line], inputs: PageInputs, language: str) -> tuple[str, list[IncludedSnippet]]:
    """A page's Markdown with its figures and with every include replaced by its code, a placeholder below each block.

    A placeholder stands for the block's note; its number is an index of the list. The page must have no findings.
    Comments are in `language` where the table has them.
    """
    lines = insert_figures(lines, lambda reference: inputs.read(SiteInputs.figure, reference, language))
    name = inputs.site.sources.snippets.name
    found = [each for each in directives(lines) if isinstance(each, Include)]
    by_line = {include.line: include._replace(path=name(include.path)) for include in found}
    final = {include.path: line for line, include in by_line.items()}
    included: list[IncludedSnippet] = []
    out: list[str] = []
    pending: list[int] = []
    for line in lines:
        include = by_line.get(line.number)
        if line.kind is FRONT:
            continue  # MkDocs has taken it off already
        if include is None:
            out.append(line.text)
        else:
            text = inputs.read(SiteInputs.code, include.path, language)
            code = excerpt(text, include.section, include.first, include.last)
            if line.kind is FENCED:
                last = final[include.path] == include.line
                before = included[pending[-1]] if pending else None
                if before and before.include.path == include.path:  # one note for the parts of a file in a block
                    whole = code._replace(first=min(before.excerpt.first, code.first))
                    included[pending[-1]] = IncludedSnippet(include, whole, last)
                else:
                    pending.append(len(included))
                    included.append(IncludedSnippet(include, code, last))
            out += [f"{include.indent}{text}".rstrip() + "\n" for text in code.text.split("\n")]
        if pending and line.kind is FENCE_MARK:
            out += make_placeholders(line, pending)
            pending = []
    return "".join(out).lstrip("\n"), included


def make_placeholders(line: Line, numbers: list[int]) -> Iterator[str]:
    """A paragraph for each include of a block that ends with `line`, indented as the block is."""
    indent = line.text[: len(line.text) - len(line.text.lstrip(" \t"))]
    ending = "" if line.text.endswith("\n") else "\n"
    for number in numbers:
        yield f"{ending}\n{indent}{PLACEHOLDER.format(number=number)}\n\n"


def insert_notes(html: str, notes: Mapping[int, str]) -> str:
    """Rendered HTML with the notes in the places of their placeholders. Raises PluginError where one has been lost."""
    lost = notes.keys() - {int(number) for number in RENDERED_PLACEHOLDER.findall(html)} if notes else ()
    if lost:
        raise PluginError(
            f"{len(lost)} of {len(notes)} blocks of code have lost their notes on the way through Markdown; take what "
            "renders them otherwise out of markdown_extensions, or report this to Hexapla"
        )
    return RENDERED_PLACEHOLDER.sub(lambda match: notes[int(match[1])], html) if notes else html


def make_note(
    snippet: IncludedSnippet, evidence: SnippetEvidence, summaries: Mapping[str, RunSummary], language: str,
    links: SnippetLinks,
) -> str:
    """The note below a block: where it ran in one line that opens, below the last block the recorded output.

    What opens has links to the source and the notebook and a sentence per hardware. What `summaries` say of a hardware
    is not repeated.
    """
    path = snippet.include.path
    label = say(language, "source", path=path, first=snippet.excerpt.first, last=snippet.excerpt.last)
    lines = f"?last={snippet.excerpt.last}#L-{snippet.excerpt.first}"
    shown = [f'<a href="{escape(links.source + lines)}">{escape(label)}</a>']
    if not path.endswith(".py") or not (evidence.states or links.notebook):
        return f'<div class="hx-run"><p class="hx-run__source">{shown[0]}</p></div>'
    program = ""
    if links.notebook and links.program:
        shown.append(f'<a href="{escape(links.notebook)}" download>{escape(say(language, "notebook"))}</a>')
        said, done = escape(say(language, "copy-program")), escape(say(language, "copied"))
        program = (
            f'<a class="hx-run__copy" href="{escape(links.program)}" data-hx-copied="{done}" download'
            f" data-search-exclude>{said}</a>"
        )
    if links.colab:
        shown.append(f'<a href="{escape(links.colab)}">{escape(say(language, "colab"))}</a>')
    items = [
        f'<li class="hx-run__{each.state}">'
        f"{escape(state_sentence(each, evidence.packages, summaries.get(each.hardware), language))}</li>"
        for each in evidence.states
    ]
    brief = " · ".join(say(language, f"{each.state}-briefly", hardware=each.hardware) for each in evidence.states)
    parts = [
        f'{program}<details class="hx-run__more" data-search-exclude><summary>{escape(brief)}</summary>'
        f'<p class="hx-run__source">{" · ".join(shown)}</p><ul class="hx-run__where">{"".join(items)}</ul></details>'
    ]
    if snippet.last and evidence.prints:
        ran = (each.run for each in evidence.states if each.run and each.state is RunState.RAN)
        parts += [recorded_output(run, language) for run in ran][:1]
    return f'<div class="hx-run">{"".join(parts)}</div>'


def state_sentence(
    evidence: EvidenceState, packages: Collection[str], summary: RunSummary | None, language: str
) -> str:
    """The state in one sentence, with the versions of `packages` where the hardware's summary does not say them."""
    run = evidence.run
    if run is None:
        return say(language, evidence.state.value, hardware=evidence.hardware)
    if evidence.state is RunState.RAN and summary and is_usual(run, packages, summary):
        return say(language, "ran-briefly", hardware=evidence.hardware)
    return say(
        language, evidence.state.value, hardware=evidence.hardware, date=run.date, reason=run.reason,
        versions=versions_text(named_versions(run, packages)),
    )


def summaries_of(snippets: Iterable[SnippetEvidence]) -> dict[str, RunSummary]:
    """What most runs of a page's snippets on each hardware have in common."""
    runs: dict[str, list[tuple[Run, Collection[str]]]] = {}
    for snippet in snippets:
        for each in snippet.states:
            if each.run and each.state is RunState.RAN:
                runs.setdefault(each.hardware, []).append((each.run, snippet.packages))
    return {hardware: summarize(found) for hardware, found in runs.items()}


def runs_note(summaries: Mapping[str, RunSummary], language: str) -> str:
    """The sentence at a page's foot for each hardware: when its code ran there, with which versions."""
    said = [
        say(language, "page-ran", hardware=hardware, date=each.date, versions=versions_text(each.versions))
        for hardware, each in summaries.items()
    ]
    return f'<p class="hx-runs" data-search-exclude>{"<br>".join(map(escape, said))}</p>' if said else ""


def hardware_note(kind: str, snippets: Iterable[SnippetEvidence], language: str) -> str:
    """The sentence at the top of a page on a kind of hardware that none of its code has run on, "" for another page."""
    states = [each for snippet in snippets for each in snippet.states]
    ran = [each for each in states if each.state is RunState.RAN]
    name = next((each.kind_name for each in states if each.kind == kind), "")
    if not name or any(each.kind == kind for each in ran):
        return ""
    where = ", ".join(dict.fromkeys(f"{each.hardware} ({each.kind_name})" for each in ran))
    said = say(language, "page-not-run", hardware=name, where=where) if ran else say(language, "not-run", hardware=name)
    return f'<p class="hx-hardware" role="note" data-search-exclude>{escape(said)}</p>'


def recorded_output(run: Run, language: str) -> str:
    """The recorded output as a figure, escaped."""
    return (
        f'<figure class="hx-run__output"><figcaption>{escape(say(language, "output"))}</figcaption>'
        f'<pre tabindex="0"><samp lang="en">{escape(run.output)}</samp></pre></figure>'
    )
