"""What a save makes stale: the pages that are rendered again when they are looked at next.

What was read of a changed page is forgotten, not what was rendered: a page that read the same as before is not stale
(`page_inputs.SiteInputs.is_unchanged`).
"""

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from hexapla.site.build.site_config import read_state
from hexapla.site.language_site import Item
from hexapla.site.page import translation_status
from hexapla.site.search.search_terms import FILE as SEARCH_TERMS
from hexapla.site.serve.http_process import Changes
from hexapla.site.serve.site_in_memory import SiteInMemory
from hexapla.translation.new_language import strings_path


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


class ChangedFiles(NamedTuple):
    """Changes sorted by what they mean; `pages` and `others` are paths in docs.

    `everything` says that settings, templates or the list of files changed, `sources` that snippets, evidence,
    comments, the glossary, the search's terms or records of translations did.
    """

    everything: bool
    sources: bool
    pages: frozenset[str]
    others: frozenset[str]


def read_by_site(site: SiteInMemory, changes: Changes) -> Changes:
    """Changes without files that lie where pages may include files from, beside the docs, and that no page does."""
    project = site.state.sources.project
    folders = [folder.resolve() for folder in project.included if project.docs.is_relative_to(folder)]
    if not folders or site.failures:  # a page may wait for a file that it includes
        return changes
    read = {str(folder / name) for folder in folders for name in site.included()}
    read |= {str(Path(site.config.config_file_path).resolve()), str(project.root.resolve() / "pyproject.toml")}
    return frozenset(path for path in changes if path in read or Path(path).parent not in folders)


def sort_changes(site: SiteInMemory, changes: Changes) -> ChangedFiles:
    """What changes mean to a site."""
    docs = Path(site.config.docs_dir)
    inside = {
        path: Path(path).relative_to(docs).as_posix() for path in changes if Path(path).is_relative_to(docs)
    }
    project = site.state.sources.project
    shared = {str(project.glossary), str(docs / SEARCH_TERMS)}
    of_site = {path for file, path in inside.items() if file not in shared}
    pages = frozenset(path for path in of_site if path.endswith(".md"))
    programs = project.run_blocks and any(path.startswith(f"{project.source.code}/") for path in pages)
    known = {path for _, path in site.pages.values()} | {*site.state.sources.derived}
    return ChangedFiles(
        settings_changed(site, changes) or list_changed(site, of_site),
        programs or len(of_site) < len(changes),
        pages & known,
        frozenset(of_site) - pages,
    )


def settings_changed(site: SiteInMemory, paths: frozenset[str]) -> bool:
    """Whether one of the files is mkdocs.yml, a template, or has the site's sentences."""
    file, templates = Path(site.config.config_file_path).resolve(), site.config.theme.custom_dir
    sentences = {str(file.parent / strings_path(each.language)) for each in site.sites}
    return bool(paths & {str(file), *sentences}) or any(
        templates and Path(path).is_relative_to(templates) for path in paths
    )


def list_changed(site: SiteInMemory, paths: Iterable[str]) -> bool:
    """Whether one of these paths in docs is new or gone; a page that is written takes the place of a derived one."""
    sources = site.state.sources
    for path in paths:
        known = path not in sources.derived and (
            path in sources.page_paths or any(path in each.files.src_uris for each in site.sites)
        )
        hidden = any(part.startswith(".") for part in path.split("/"))
        left_out = hidden or (site.config.exclude_docs is not None and site.config.exclude_docs.match_file(path))
        there = Path(site.config.docs_dir, path).is_file() and not left_out
        if known != there:
            return True
    return False
