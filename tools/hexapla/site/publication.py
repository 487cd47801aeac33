"""Put a finished site in the place of the one before, and leave that one alone until then."""

import shutil
from pathlib import Path


def staging(site: Path) -> Path:
    """An empty folder beside `site`, on the same disk, for the site that is being built."""
    folder = site.with_name(f".{site.name}-new")
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    return folder


def publish(new: Path, site: Path) -> None:
    """Rename `new` to `site`; whatever was there stays until the new one is complete."""
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


def discard(new: Path) -> None:
    """Forget a site that was not finished."""
    shutil.rmtree(new, ignore_errors=True)
