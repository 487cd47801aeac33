"""A site is built beside the one before and takes its place when it is complete."""

import contextlib
import logging
import os
import shutil
from pathlib import Path

from mkdocs.utils import CountHandler

from hexapla.cache import digest

LOG = logging.getLogger("mkdocs")


def make_folder_beside(site: Path) -> Path:
    """An empty folder beside a site and on the same disk, for the new one."""
    folder = site.with_name(f".{site.name}-new")
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    return folder


def link_unchanged_file(file: Path, before: Path, content: str) -> bool:
    """Take a file over from the site before, without writing it again, where it has the content of this digest."""
    with contextlib.suppress(OSError):  # there is none, or the disk knows no hard links
        if digest(before.read_bytes()) == content:
            file.parent.mkdir(parents=True, exist_ok=True)
            os.link(before, file)
            return True
    return False


def has_warnings() -> bool:
    """Whether a strict build has warned: the handler that counts its warnings is there until it ends."""
    return any(each.get_counts() for each in LOG.handlers if isinstance(each, CountHandler))


def publish_site(new: Path, site: Path) -> None:
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
