"""A site is built beside the one before and takes its place when it is complete."""

import contextlib
import logging
import os
import shutil
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.utils import CountHandler

from hexapla.cache import digest

LOG = logging.getLogger("mkdocs")


class StagedSite:
    """A site that is being built: `folder` is empty, beside `site` and on the same disk."""

    def __init__(self, site: Path) -> None:
        self.site = site
        self.folder = site.with_name(f".{site.name}-new")
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir(parents=True)
        self.warnings = CountHandler()
        self.warnings.setLevel(logging.WARNING)
        LOG.addHandler(self.warnings)

    def link(self, file: Path, content: str) -> bool:
        """Take a file over from the site before, without writing it again, where it has the content of this digest."""
        before = self.site / file.relative_to(self.folder)
        with contextlib.suppress(OSError):  # there is none, or the disk knows no hard links
            if digest(before.read_bytes()) == content:
                file.parent.mkdir(parents=True, exist_ok=True)
                os.link(before, file)
                return True
        return False

    def publish(self, config: MkDocsConfig) -> bool:
        """Put the site in its place; not a strict one with warnings, which MkDocs is about to abort.

        The configuration names that place again: `mkdocs gh-deploy` looks there.
        """
        LOG.removeHandler(self.warnings)
        if config.strict and self.warnings.get_counts():
            return False
        publish(self.folder, self.site)
        config.site_dir = str(self.site)
        return True

    def discard(self) -> None:
        """Remove a site that was not finished."""
        LOG.removeHandler(self.warnings)
        shutil.rmtree(self.folder, ignore_errors=True)


def publish(new: Path, site: Path) -> None:
    """Rename `new` to `site`; the old site stays until the new one is in its place."""
    old = site.with_name(f".{site.name}-old")
    shutil.rmtree(old, ignore_errors=True)
    if site.exists():
        site.rename(old)
    try:
        new.rename(site)
    except OSError:
        if old.exists():
            old.rename(site)
        raise
    shutil.rmtree(old, ignore_errors=True)
