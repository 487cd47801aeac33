"""The run matrix: a table of every technique and every hardware, made from the evidence alone."""

import ast
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import NamedTuple

from hexapla.examples.evidence import Evidence, RunState, Status
from hexapla.examples.page_blocks import area_of, is_block
from hexapla.site.page import snippet_pages
from hexapla.site.page.page_inputs import AreaPage
from hexapla.site.page.part_templates import render_part
from hexapla.site.page.snippet_evidence import RunSummary, describe_run, named_packages, summarize_runs, versions_text
from hexapla.site.sources import SiteSources
from hexapla.site.texts.strings import say_sentence

NOT_A_MODEL = re.compile(r"\(R\)|\(TM\)| Processor\b| \d+ ?GB\b.*")  # in a machine's name, by its maker
SIGNS = ("ran", "partly", "failed", "skipped", "changed", "not-run", "none")  # the states, in the legend's order


@dataclass(frozen=True, slots=True)
class HardwareColumn:
    """A column of the matrix: a hardware with evidence. `summary` is what most of its runs have in common."""

    kind: str
    name: str
    evidence: Evidence
    summary: RunSummary | None


class MatrixRow(NamedTuple):
    """A technique's name, what it is, its source and notebook, which a block in a page has not, and states by column.

    `folder` is that of its file, "" for a block.
    """

    folder: str
    name: str
    title: str
    source: str
    notebook: str
    cells: Sequence[tuple[str, str]]


MatrixArea = tuple[str, str, str, list[MatrixRow]]  # the id of its rows, the address of its page, its title, its rows


def make_table(
    sources: SiteSources, pages: Mapping[str, AreaPage], language: str, link: Callable[[str], str]
) -> str:
    """The table in `language`, its signs in words above it, and below it what most runs have in common.

    Below a machine's name is how many programs ran on it. Each area is named by the page that shows it, and so is
    each page in which programs stand: they follow one another as `pages` do, and the programs of an area as the page
    shows them, those that no page shows at the end. `link` makes an address from the site's root one from the page.
    """
    columns, areas = list(make_columns(sources)), list[MatrixArea]()
    found = {area: [*paths] for area, paths in groupby(sources.snippets.programs(), area_of)}
    for area in sorted(found, key=[*pages, *found].index):
        address, title = (link(pages[area].url), pages[area].title) if area in pages else ("", area.rstrip("#"))
        shown = [*pages[area].programs, *found[area]] if area in pages else found[area]
        rows = [make_row(path, columns, sources, language, link) for path in sorted(found[area], key=shown.index)]
        areas.append((area_id(area), address, title, rows))
    states = [[row.cells[at][0] for *_, rows in areas for row in rows] for at in range(len(columns))]
    totals = [say_sentence(language, "where-total", count=each.count(RunState.RAN), total=len(each)) for each in states]
    summaries = [
        say_sentence(language, "where-summary", hardware=each.name, date=each.summary.date,
            versions=versions_text(each.summary.versions, language))
        for each in columns if each.summary
    ]
    legend, summaries = [*describe_signs(areas, language)], [*summaries, *describe_missing(columns, sources, language)]
    return render_part(
        "matrix.html", language, columns=columns, totals=totals, areas=areas, legend=legend, summaries=summaries)


def describe_signs(areas: Sequence[MatrixArea], language: str) -> Iterator[tuple[str, str]]:
    """The signs that stand in the table, each with its word."""
    found = {state for *_, rows in areas for row in rows for state, _ in row.cells}
    for state in SIGNS:
        if state in found:
            yield f"hx-where__{state}", say_sentence(language, f"where-sign-{state}")


def describe_missing(columns: Sequence[HardwareColumn], sources: SiteSources, language: str) -> Iterator[str]:
    """The kinds of hardware that have no column, since nothing has run on them."""
    shown = {column.kind for column in columns}
    for kind, name in sources.project.hardware.items():
        if kind not in shown:
            yield say_sentence(language, "not-run", hardware=name)


def area_id(area: str) -> str:
    """The id of an area's rows, the same in every language.

    >>> area_id("train_one"), area_id("peft#")
    ('where-train-one', 'where-peft-page')
    """
    return "where-" + area.replace("_", "-").replace("#", "-page")


def make_columns(sources: SiteSources) -> Iterator[HardwareColumn]:
    """A column for each hardware with evidence, in the order of its kinds."""
    for kind in sources.project.hardware:
        for evidence in sources.evidence:
            if evidence.hardware.kind != kind:
                continue
            ran = [
                (run, named_packages(path, sources)) for path, run in evidence.runs.items()
                if run.status is Status.RAN and path in sources.kinds
            ]
            short = NOT_A_MODEL.sub("", evidence.hardware.name)
            yield HardwareColumn(kind, short, evidence, summarize_runs(ran) if ran else None)


def make_row(
    path: str, columns: list[HardwareColumn], sources: SiteSources, language: str, link: Callable[[str], str],
) -> MatrixRow:
    """One technique, with its links."""
    cells = [describe_cell(path, column, sources, language) for column in columns]
    if is_block(path):
        return MatrixRow("", path.partition("#")[2].removesuffix(".py"), "", "", "", cells)
    folder, _, name = path.removesuffix(".py").partition("/")
    addresses = link(snippet_pages.source_url(path)), link(snippet_pages.notebook_url(path))
    return MatrixRow(folder, name, program_title(sources.snippets.read(path)), *addresses, cells)


def program_title(text: str) -> str:
    """What a program is, by the first line of its docstring; what follows a colon says more of it.

    >>> program_title('"LoRA: adapters of a layer, trained alone."'), program_title('"Sums of numbers."')
    ('LoRA', 'Sums of numbers')
    """
    said = (ast.get_docstring(ast.parse(text)) or "").partition("\n")[0]
    return said.partition(": ")[0].removesuffix(".")


def describe_cell(path: str, column: HardwareColumn, sources: SiteSources, language: str) -> tuple[str, str]:
    """The state of a technique on a hardware: it ran, failed, was skipped, has changed since, or has not run.

    Where a sign says all, its words are for who asks: date and versions are mostly those of the column's summary.
    """
    run = column.evidence.runs.get(path)
    if run is None and column.kind not in sources.kinds[path]:
        return "none", say_sentence(language, "where-none")
    known, packages = sources.current.state(path, run), named_packages(path, sources)
    return known, describe_run(known, run, packages, language) if run else say_sentence(language, "where-not-run")
