"""Whether a site is as a build would make it: then a build reads the bytes of what it is made of, and writes nothing.

What a site is made of is known by content, so that no clock has to be trusted; the files that it has are known by size,
time and inode. What bytes do not tell, such as what others' plugins read, makes a build anew. With nothing changed,
100 pages in four languages take 0.6 CPU seconds instead of 3.3.
"""

import logging
import os
from collections.abc import Iterable, Sequence
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.utils import get_build_date

from hexapla.cache import Cache, digest, key_of
from hexapla.config.mkdocs_yaml import read_settings
from hexapla.config.project import Project, make_project
from hexapla.errors import ConfigError
from hexapla.examples.file_states import file_state, folder_states
from hexapla.git import Repository
from hexapla.site.build.page_cache import own_files, settings_digest
from hexapla.site.build.versions import VERSION
from hexapla.site.page.page_card import list_fonts
from hexapla.site.page.page_renderer import LoggedMessage
from hexapla.site.sources import SiteSources
from hexapla.site.upstream.contract import name_with_version
from hexapla.site.upstream.i18n_contract import i18n_plugin
from hexapla.site.upstream.mkdocs_build import events_by_plugin
from hexapla.translation.records import records

LOG = logging.getLogger("mkdocs.plugins.hexapla")
TESTS = "tests/snippets"  # which recorded runs are held to


class SiteOrder(NamedTuple):
    """What a build is to make: the project, its site, and a digest of the settings and of the programs."""

    project: Project
    site: Path
    settings: str


def read_order(config: MkDocsConfig) -> SiteOrder | None:
    """What a configuration as it was loaded orders, None where nobody knows all that the build would read."""
    if others := events_by_plugin(config):
        LOG.info("The site is built even if nothing has changed, because of what %s may read", ", ".join(others))
    if others or config.strict or os.environ.get(VERSION):  # a strict build asks rules, those of other packages too
        return None
    file = Path(config.config_file_path).resolve()
    languages, options = i18n_plugin(config).config["languages"], config.plugins["hexapla"].config
    try:
        settings = read_settings(file)
        project = make_project(file.parent, config.docs_dir, languages, options, settings)
    except ConfigError:
        return None
    if "INHERIT" in settings:  # a file that may lie anywhere
        return None
    programs = settings_digest(config, project.root, own_files(project, config.theme))
    fonts = [list_fonts(each.code, bold) for each in project.languages for bold in (True, False)] \
        if options.cards and config.site_url else []
    telling = LOG.getEffectiveLevel()  # a quiet build does not know of what it would warn
    made_with = digest(programs, repr(fonts), name_with_version("pillow"), str(telling))
    return SiteOrder(project, Path(config.site_dir).absolute(), made_with)


def site_key(order: SiteOrder) -> str:
    """The key of a site: all that it is made of as it is now; "" where bytes do not tell."""
    project, root = order.project, order.project.root
    folders = [project.docs, project.snippets, *project.included, root / records.FOLDER, root / TESTS]
    if any(order.site.is_relative_to(folder) for folder in folders):
        return ""
    states = folder_states(folders)
    if states is None:
        return ""
    states |= {each.path: file_state(root, each.path) for each in os.scandir(root) if each.is_file()}
    if "" in states.values():
        return ""
    repository = Repository(root)
    history = [*repository.lines("rev-parse", "HEAD", "--is-shallow-repository"),
               *repository.lines("for-each-ref", "--format=%(refname) %(objectname) %(symref)")]
    return key_of("site", order, states, history, get_build_date())


def warnings_of_unchanged(order: SiteOrder, key: str) -> list[LoggedMessage] | None:
    """What was warned of when a site was built, if it was made of what it would be made of now, and has its files."""
    with closing(Cache(order.project.root if key else None)) as cache:
        kept = cache.get(key)
    if kept is None:
        return None
    names, *_, warnings = kept
    now = [run_files(order.project.root, (name for name, _ in names)), files_state(order.site)]
    return [LoggedMessage(*each) for each in warnings] if kept[:2] == now else None


def keep_site(order: SiteOrder, key: str, sources: SiteSources, made: str, warnings: Sequence[LoggedMessage]) -> None:
    """Keep the state of a site's files, unless what it is made of has changed since `key` was made."""
    if key and key == site_key(order):
        names = {name for each in sources.evidence for run in each.runs.values() for name in run.files}
        with closing(Cache(order.project.root)) as cache:
            cache.put(key, [run_files(order.project.root, names), made, warnings])


def run_files(root: Path, names: Iterable[str]) -> list[list[str]]:
    """The files that recorded runs are held to, each with its state."""
    return [[name, file_state(root, name)] for name in sorted(names)]


def files_state(folder: Path) -> str:
    """A digest of the names, sizes, times and inodes of all files below a folder."""
    found = []
    for directory, _, names in os.walk(folder):
        for name in names:
            path = os.path.join(directory, name)  # noqa: PTH118  # there are thousands
            state = os.lstat(path)
            found.append(f"{path.removeprefix(str(folder))} {state.st_size} {state.st_mtime_ns} {state.st_ino}")
    return digest(*sorted(found))
