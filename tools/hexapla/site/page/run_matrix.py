"""The run matrix: a table of every technique and every hardware, made from the evidence alone."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from html import escape
from itertools import groupby

from hexapla.examples.evidence import Evidence, Status
from hexapla.examples.page_blocks import area_of, is_block
from hexapla.site.page import snippet_pages
from hexapla.site.page.run_summary import RunSummary, describe_run, summarize_runs, versions_text
from hexapla.site.page.snippet_evidence import named_packages
from hexapla.site.page.stale_pages import AreaPage
from hexapla.site.sources import SiteSources
from hexapla.site.texts.strings import say_sentence


@dataclass(frozen=True, slots=True)
class HardwareColumn:
    """A column of the matrix: a hardware with evidence, or a kind of hardware without any yet.

    `summary` is what most of its runs have in common, None without any.
    """

    kind: str
    name: str
    evidence: Evidence | None
    summary: RunSummary | None


def make_table(
    sources: SiteSources, pages: Mapping[str, AreaPage], language: str, link: Callable[[str], str]
) -> str:
    """The table in `language`, and above it what most runs have in common.

    Each area is named by the page that shows it, and so is each page in which programs stand. `link` makes an address
    from the site's root one from the page.
    """
    columns = list(make_columns(sources))
    heads = "".join(f'<th scope="col">{escape(column.name)}</th>' for column in columns)
    rows = []
    for area, paths in groupby(sources.snippets.programs(), area_of):
        shown = pages.get(area)
        name = f'<a href="{escape(link(shown.url))}">{escape(shown.title)}</a>' if shown else escape(area.rstrip("#"))
        rows.append(f'<tbody><tr><th scope="rowgroup" colspan="{len(columns) + 1}">{name}</th></tr>')
        rows += [make_row(path, columns, sources, language, link) for path in paths]
        rows.append("</tbody>")
    summaries = [
        say_sentence(language, "where-summary", hardware=each.name, date=each.summary.date,
            versions=versions_text(each.summary.versions, language))
        for each in columns if each.summary
    ]
    return (
        f'<p class="hx-where__summary">{"<br>".join(map(escape, summaries))}</p>\n' * bool(summaries)
        + f'<div class="hx-where"><table><thead><tr>'
        f'<th scope="col">{escape(say_sentence(language, "technique"))}</th>{heads}</tr></thead>'
        f"{''.join(rows)}</table></div>"
    )


def make_columns(sources: SiteSources) -> Iterator[HardwareColumn]:
    """A column for each hardware, in the order of its kinds; one for a kind without any evidence."""
    for kind, name in sources.project.hardware.items():
        of_kind = [evidence for evidence in sources.evidence if evidence.hardware.kind == kind]
        for evidence in of_kind:
            ran = [
                (run, named_packages(path, sources)) for path, run in evidence.runs.items()
                if run.status is Status.RAN and path in sources.kinds
            ]
            yield HardwareColumn(kind, evidence.hardware.name, evidence, summarize_runs(ran) if ran else None)
        if not of_kind:
            yield HardwareColumn(kind, name, None, None)


def make_row(
    path: str, columns: list[HardwareColumn], sources: SiteSources, language: str, link: Callable[[str], str],
) -> str:
    """One technique, a snippet with links to its source and its notebook, which a block in a page does not have."""
    name = escape(path.partition("#" if is_block(path) else "/")[2].removesuffix(".py")).replace("_", "_<wbr>")
    head, notebook = f"<code>{name}</code>", escape(say_sentence(language, "notebook"))
    if not is_block(path):
        head = (
            f'<a href="{escape(link(snippet_pages.source_url(path)))}">{head}</a> '
            f'<a href="{escape(link(snippet_pages.notebook_url(path)))}" download>{notebook}</a>'
        )
    cells = "".join(make_cell(path, column, sources, language) for column in columns)
    return f'<tr><th scope="row">{head}</th>{cells}</tr>'


def make_cell(path: str, column: HardwareColumn, sources: SiteSources, language: str) -> str:
    """The state of a technique on a hardware: it ran, failed, was skipped, has changed since, or has not run.

    Where a sign says all, its words are for who asks: date and versions are mostly those of the column's summary.
    """
    run = column.evidence.runs.get(path) if column.evidence else None
    if run is None and column.kind not in sources.kinds[path]:
        return f'<td class="hx-where__none"><span title="{escape(say_sentence(language, "where-none"))}">–</span></td>'
    known = sources.current.state(path, run)
    packages = named_packages(path, sources)
    said = describe_run(known, run, packages, language) if run else say_sentence(language, "where-not-run")
    return f'<td class="hx-where__{known}" title="{escape(said)}"><span>{escape(said)}</span></td>'
