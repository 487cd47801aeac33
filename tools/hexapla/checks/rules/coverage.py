"""Pages that a language lacks, and pages whose source is gone."""

from collections.abc import Iterator

from hexapla.checks.engine.site_index import SiteIndex
from hexapla.checks.finding import Finding
from hexapla.checks.nearest import nearest
from hexapla.config.layout import Layout


def coverage(layout: Layout, tree: SiteIndex) -> Iterator[Finding]:
    """`page-missing` for each page of the source that a language lacks, `page-orphan` for each without a source."""
    source = tree.pages[layout.source]
    for language in layout.languages:
        pages = tree.pages[language]
        if language not in layout.derived:
            for name in sorted(source.keys() - pages.keys()):
                yield Finding(
                    layout.path(language, name), 1, 1, "page-missing", "this page is not translated",
                    f"translate it; until then readers get {layout.shown(language)[1]}", language, "warning",
                    source[name], 1,
                )
        for name in sorted(pages.keys() - source.keys()):
            near = nearest(name, source.keys() - pages.keys(), 0.9)
            hint = f"move it to {layout.path(language, near)}, or delete it" if near else "delete it, or add its source"
            yield Finding(pages[name], 1, 1, "page-orphan", "this page has no source page", hint, language, "warning")
