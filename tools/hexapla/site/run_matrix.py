"""What ran where: a table of every technique and every hardware, from the evidence and from nothing else."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from html import escape
from itertools import groupby

from hexapla.examples.evidence import Evidence, RunState, state
from hexapla.site import snippet_pages
from hexapla.site.snippet_view import ALWAYS_SAID, versions
from hexapla.site.sources import Tree
from hexapla.site.strings import say

PLACE = '<div data-hexapla="what-ran-where"></div>'  # what a page writes where the table shall stand


@dataclass(frozen=True, slots=True)
class Column:
    """A hardware that there is evidence of, or a kind of which there is none yet."""

    kind: str
    name: str
    evidence: Evidence | None


def fill(html: str, tree: Tree, language: str, link: Callable[[str], str]) -> str:
    """A page with the table in its place, where it has one."""
    return html.replace(PLACE, table(tree, language, link)) if PLACE in html else html


def table(tree: Tree, language: str, link: Callable[[str], str]) -> str:
    """The table in `language`; `link` makes an address from the site's root one from the page."""
    columns = list(columns_of(tree))
    heads = "".join(f'<th scope="col">{escape(column.name)}</th>' for column in columns)
    rows = []
    for area, paths in groupby(tree.snippets.names(), lambda path: path.partition("/")[0]):
        span = len(columns) + 1
        rows.append(f'<tbody><tr><th scope="rowgroup" colspan="{span}"><code>{escape(area)}</code></th></tr>')
        rows += [row(path, columns, tree, language, link) for path in paths]
        rows.append("</tbody>")
    return (
        f'<div class="md-typeset__scrollwrap hx-where" tabindex="0"><table><thead><tr>'
        f'<th scope="col">{escape(say(language, "technique"))}</th>{heads}</tr></thead>'
        f"{''.join(rows)}</table></div>"
    )


def columns_of(tree: Tree) -> Iterator[Column]:
    """A column for each hardware, in the order of its kinds; one for a kind without any evidence."""
    for kind, name in tree.project.hardware.items():
        of_kind = [evidence for evidence in tree.evidence if evidence.hardware.kind == kind]
        yield from (Column(kind, evidence.hardware.name, evidence) for evidence in of_kind)
        if not of_kind:
            yield Column(kind, name, None)


def row(path: str, columns: list[Column], tree: Tree, language: str, link: Callable[[str], str]) -> str:
    """One technique, with the way to its source and its notebook."""
    name = path.partition("/")[2].removesuffix(".py")
    head = (
        f'<a href="{escape(link(snippet_pages.url(path)))}"><code>{escape(name)}</code></a> '
        f'<a href="{escape(link(snippet_pages.notebook_url(path)))}" download>{escape(say(language, "notebook"))}</a>'
    )
    cells = "".join(cell(path, column, tree, language) for column in columns)
    return f'<tr><th scope="row">{head}</th>{cells}</tr>'


def cell(path: str, column: Column, tree: Tree, language: str) -> str:
    """What is known of a technique on a hardware: it ran, failed, was skipped, has changed since, or has not run."""
    run = column.evidence.runs.get(path) if column.evidence else None
    if run is None and column.kind not in tree.kinds[path]:
        return f'<td class="hx-where__none"><span title="{escape(say(language, "where-none"))}">–</span></td>'
    found = state(run, tree.snippets.hash(path))
    if run is None:
        said = say(language, f"where-{RunState.NOT_RUN}")
    else:
        used = versions(run, ALWAYS_SAID | tree.snippets.imports(path))
        said = say(language, f"where-{found}", date=run.date, versions=used, reason=run.reason)
    return f'<td class="hx-where__{found}">{escape(said)}</td>'
