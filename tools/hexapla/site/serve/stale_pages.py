"""What a save makes stale: the pages that are rendered again when they are looked at next.

What was read of a changed page is forgotten, not what was rendered: a page that read the same as before is not stale
(`page_inputs.SiteInputs.is_unchanged`).
"""

from collections.abc import Iterable
from dataclasses import replace

from hexapla.site.build.site_config import read_state
from hexapla.site.language_site import Item
from hexapla.site.page import translation_status
from hexapla.site.serve.site_in_memory import SiteInMemory


def forget_pages(site: SiteInMemory, changed: Iterable[str]) -> list[str]:
    """Forget what was read of changed pages, their paths in docs; returns them, and those that are made of them."""
    sources = site.state.sources
    derived = {f"{origin}/{name}": path for path, (origin, name) in sources.derived.items()}
    paths = {each for path in changed for each in (path, derived.get(path)) if each}
    for path in paths:
        language, _, name = path.partition("/")
        sources.pages.forget((language, name))
    status = translation_status.read_status(sources, site.state.settings)
    site.current.state = replace(site.state, status=status)
    stale = {"translation", "moved", "redirects", "numbers", "parallel", "marks"}
    for inputs in site.state.inputs.values():
        inputs.status = status
        inputs.forget(lambda reading: reading[0] in stale or (reading[1:] and reading[1] in paths))
    note_changed_pages(site, [item for item in site.pages.values() if item[1] in paths])
    return sorted(paths)


def note_changed_pages(site: SiteInMemory, items: list[Item]) -> None:
    """Note that these pages, and perhaps what others read, have changed."""
    site.checked.clear()
    site.failures.clear()
    for item in items:
        site.build.contents.pop(item, None)
    changed = {path for _, path in items}
    start = f"{site.state.source}/"  # a translation may have its title from its original
    names = {path.removeprefix(start) for path in changed if path.startswith(start)}
    site.guess_titles(
        item for item in site.pages.values()
        if item in site.unguessed or item[1] in changed or item[1].partition("/")[2] in names
    )


def reread_sources(site: SiteInMemory) -> None:
    """Read snippets, evidence, comments and glossary again. Raises BuildError for what is wrong in them."""
    before, read = site.state, read_state(site.config)
    inputs = {code: each.with_sources(read.sources, read.status) for code, each in before.inputs.items()}
    site.current.state = replace(read, site=before.site, folder=before.folder, inputs=inputs)
    made, earlier = read.sources.derived, before.sources.derived
    note_changed_pages(site, [
        item for item in site.pages.values()
        if item[1] in made and made.conversion(item[1]) != earlier.conversion(item[1])
    ])
