"""A site is built beside the one before and takes its place when it is complete."""

import os
import shutil
from pathlib import Path

from mkdocs.exceptions import PluginError

MARK, OLD = ".hexapla-build", "old"  # beside the new site: what tells that the folder is ours, and the site before


def folder_beside(site: Path) -> Path:
    """The folder beside a site in which the next one is made."""
    return site.with_name(f".{site.name}-new")


def make_folder_beside(site: Path) -> Path:
    """An empty folder for a new site, in a marked one beside the site. Raises PluginError where that is not ours."""
    place = folder_beside(site)
    new = place / "new"
    if os.path.lexists(place) and not (place / MARK).is_file():
        raise PluginError(f"{place}: is where the new {site.name} is put until it is complete, and was not made by a "
                          "build; move it away")
    if (place / OLD).is_dir() and not site.exists():  # a build was killed between two renames
        (place / OLD).rename(site)
    remove_folder_beside(new)
    place.mkdir(parents=True)
    (place / MARK).touch()
    new.mkdir()
    return new


def remove_folder_beside(new: Path) -> None:
    """Remove what `make_folder_beside` made, with the site before, and nothing else."""
    if (new.parent / MARK).is_file():
        for folder in (new, new.with_name(OLD), new.parent):  # the mark last: what is left of it is still ours
            shutil.rmtree(folder, ignore_errors=True)


def publish_site(new: Path, site: Path) -> None:
    """Rename `new` to `site`; the old site stays until the new one is in its place."""
    old = new.with_name(OLD)
    try:
        if site.exists():
            site.rename(old)
        new.rename(site)
    except BaseException:  # an interruption too: what is beside the site is removed when the build ends
        if old.exists() and not site.exists():
            old.rename(site)
        raise
    remove_folder_beside(new)
