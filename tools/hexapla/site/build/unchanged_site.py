"""Tells whether a site stands as its build left it, and nothing that it is made of has changed since.

A build leaves one record in the cache: the states of the project's files as they were before it read them, and of the
site's files as it wrote them, under a key of everything else that a site is made of. A file that is written again with
the same content has another state: then the site is built, and each page is found unchanged by its content. A build of
100 pages in four languages with nothing changed takes 1.1 CPU seconds; where each page is looked at, 3.4.
"""

import logging
import os
from collections.abc import Container, Iterable, Iterator, Sequence
from contextlib import closing
from pathlib import Path
from time import time_ns
from typing import NamedTuple

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.utils import get_build_date

from hexapla.cache import Cache, digest, key_of
from hexapla.file_digests import TICK, state_of
from hexapla.git import Repository
from hexapla.installation import FOLDER
from hexapla.site.build.page_cache import OBJECTS, PACKAGES, describe_settings, reads_unknown_files
from hexapla.site.build.swap_output import folder_beside
from hexapla.site.last_change import main_branch, read_changes
from hexapla.site.page.card_contents import list_fonts
from hexapla.site.page.page_renderer import LoggedMessage
from hexapla.site.upstream.contract import name_with_version
from hexapla.site.upstream.i18n_contract import i18n_plugin
from hexapla.site.upstream.mkdocs_build import events_by_plugin
from hexapla.site.upstream.theme_contract import OWN

LOG = logging.getLogger("mkdocs.plugins.hexapla")
PASSED_OVER = {".git", FOLDER, "__pycache__", "node_modules"}


class BuildInputs(NamedTuple):
    """What a site is made of: the key of its record, a digest of its files' states, and whether none was just written.

    `root` is the project's folder, `site` the one of the site.
    """

    root: Path
    site: Path
    key: str
    files: str
    are_settled: bool


def read_inputs(config: MkDocsConfig) -> BuildInputs | None:
    """What a site is made of, before a build; None where something of others may make it of more, which is said."""
    if others := sorted(events_by_plugin(config)) or ["a Markdown extension"] * reads_unknown_files(config):
        LOG.info("Whether anything has changed cannot be known because of %s: the site is built", ", ".join(others))
        return None
    root, site, began = Path(config.config_file_path).resolve().parent, Path(config.site_dir), time_ns()
    options, docs = config.plugins["hexapla"].config, Path(config.docs_dir)
    read = [OWN, docs, root / options.snippets, *([Path(config.theme.custom_dir)] if config.theme.custom_dir else [])]
    without = {*PASSED_OVER, str(site), str(folder_beside(site))}
    states = sorted({*file_states([root], without), *file_states(read, set())})
    settings = describe_settings(config, OBJECTS | {"watch", "dev_addr"})
    fonts = [list_fonts(language, is_bold) for language in i18n_plugin(config).build_languages
             if config.site_url and options.cards for is_bold in (True, False)]
    history = main_branch(root), Repository(root).head, read_changes(root, docs)
    key = key_of("site", root, settings, get_build_date(), fonts, history, [*map(name_with_version, PACKAGES)])
    changed = max((changed for _, changed, *_ in states), default=0)
    return BuildInputs(root, site, key, digest(repr(states)), changed + TICK < began)


def find_standing_site(inputs: BuildInputs) -> Sequence[LoggedMessage] | None:
    """What the build warned of that has made the site of these inputs, None where it does not stand as it was made."""
    with closing(Cache(inputs.root)) as cache:
        files, made, messages = cache.get(inputs.key) or ("", "", ())
    stands = files == inputs.files and made == site_state(inputs.site)  # most builds need not look at the site
    return [LoggedMessage(*each) for each in messages] if stands else None


def record_site(inputs: BuildInputs, messages: Sequence[LoggedMessage]) -> None:
    """Record the site that a build has made of inputs and warned of, unless one could have changed again unseen."""
    if inputs.are_settled:
        with closing(Cache(inputs.root)) as cache:
            cache.put(inputs.key, [inputs.files, site_state(inputs.site), messages])


def site_state(site: Path) -> str:
    """A digest of the states of a site's files."""
    return digest(repr(sorted(file_states([site], set()))))


def file_states(folders: Iterable[Path], without: Container[str]) -> Iterator[tuple[str, int, int, int, int]]:
    """The path, the times of the last changes, the size and the inode of each file below folders.

    `without` are names and paths of folders that are passed over; where there are any, so are virtual environments.
    """
    for folder in folders:
        for directory, names, files in os.walk(folder):
            names[:] = [name for name in names if name not in without and f"{directory}/{name}" not in without
                        and not (without and Path(directory, name, "pyvenv.cfg").exists())]
            for name in files:
                path = f"{directory}/{name}"
                yield path, *state_of(path)
