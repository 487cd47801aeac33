"""`hexapla stage`: the tree for Zensical is put into its folder and built, and what a person changed there is kept."""

import json
import shutil
import subprocess
import sys
from collections.abc import Mapping
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import NamedTuple

from hexapla.cache import digest
from hexapla.config.project import Project, load_project
from hexapla.convert.source_tree import write_tree
from hexapla.errors import ConfigError
from hexapla.site.build.swap_output import make_folder_beside, publish_site, remove_folder_beside
from hexapla.site.page.project_page import TESTED
from hexapla.site.search.search_index import INDEX, use_worker
from hexapla.site.upstream.mkdocs_build import OURS
from hexapla.site.zensical.staged_tree import SHARED, BuiltProject, build_project, make_tree
from hexapla.translation.records import records

MANIFEST = ".hexapla-stage.json"  # the digests of the files of a tree, by their paths
MADE = {"site", ".cache"}  # what a build puts into a language's folder


class StageReport(NamedTuple):
    """What was written: files, pages by language, what is left out of the tree, the site where it was built."""

    files: int
    pages: Mapping[str, int]
    left_out: tuple[str, ...]
    site: Path | None


def stage_project(root: Path, folder: Path, build: bool) -> StageReport:
    """Write the tree of the project at `root`, and build it. Raises ConfigError and OSError."""
    if build:
        require_zensical()
    folder = folder.resolve()
    project = load_project(root.resolve())
    check_folder(project, folder)
    with build_project(root) as built:
        files = make_tree(built)
        manifest = {"schema": 1, "engine": "zensical", "files": {name: digest(files[name]) for name in sorted(files)}}
        new = make_folder_beside(folder)
        try:
            new.rmdir()
            write_tree(new, {**files, MANIFEST: json.dumps(manifest, indent=1).encode()})
            check_folder(project, folder)  # somebody may have typed while the project was built
            if (folder / "site").is_dir():  # what was built stays until there is another
                shutil.move(folder / "site", new / "site")
            publish_site(new, folder)
            if build:
                new = make_folder_beside(folder)
                build_languages(folder, built, new)
                publish_site(new, folder / "site")
        finally:
            remove_folder_beside(new)
        pages = {site.language: len(site.pages) for site in built.sites}
        return StageReport(len(files), pages, list_left_out(built), folder / "site" if build else None)


def require_zensical() -> None:
    """Raise ConfigError where there is no Zensical."""
    try:
        version("zensical")
    except PackageNotFoundError as error:
        raise ConfigError(
            f"zensical is not installed beside hexapla; pip install zensical=={TESTED}, or leave --build out"
        ) from error


def check_folder(project: Project, folder: Path) -> None:
    """See that a tree can be written to a folder. Raises ConfigError."""
    if folder.exists() and not folder.is_dir():
        raise ConfigError(f"{folder}: is a file; name a folder that does not exist yet")
    parts = (project.docs, project.snippets, project.root / records.FOLDER)
    if project.root.is_relative_to(folder) or any(folder.is_relative_to(each) for each in parts):
        raise ConfigError(f"{folder}: holds what the project is made of, or lies in it; name a folder elsewhere")
    if not folder.is_dir() or not any(folder.iterdir()):
        return
    try:
        known = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))["files"]
    except (OSError, ValueError, KeyError, TypeError):
        raise ConfigError(
            f"{folder}: is not empty, and was not written by this command; name a folder that does not exist yet"
        ) from None
    for file in sorted(folder.rglob("*")):
        name = file.relative_to(folder)
        if file.is_dir() or name.parts[0] == "site" or (len(name.parts) > 1 and name.parts[1] in MADE):
            continue
        if name.as_posix() != MANIFEST and known.get(name.as_posix()) != digest(file.read_bytes()):
            raise ConfigError(f"{file}: was changed since the tree was written; name another folder, or remove it")


def build_languages(folder: Path, built: BuiltProject, joined: Path) -> None:
    """Have Zensical build each language in a folder, and join them in another. Raises ConfigError."""
    for site in built.sites:
        place, own = folder / site.language, built.own_folder(site.language)
        build_language(place)
        index = f"{INDEX}&zensical=../../{'../' * own.count('/')}"
        pages = (file for file in (place / "site").rglob("*.html")
                 if not (place / "docs" / file.relative_to(place / "site")).is_file())  # a person's stays as it is
        for page in pages:
            page.write_text(use_worker(page.read_text(encoding="utf-8"), index), encoding="utf-8")
        shutil.copytree(place / "site", joined / own, dirs_exist_ok=True, ignore=shutil.ignore_patterns("sitemap.xml"))
    shutil.copytree(folder / SHARED, joined, dirs_exist_ok=True)


def build_language(folder: Path) -> None:
    """Build a language's tree. Raises ConfigError with what Zensical said last."""
    command = [sys.executable, "-m", "zensical", "build", "--clean", "--config-file", "mkdocs.yml"]
    ended = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    if ended.returncode:
        said = (ended.stderr or ended.stdout).strip().splitlines() or ["nothing"]
        raise ConfigError(
            f"{folder}: zensical {version('zensical')} does not build it ({said[-1].strip()}); {TESTED} was tested"
        )


def list_left_out(built: BuiltProject) -> tuple[str, ...]:
    """What of the project's configuration the tree does not have, a sentence each."""
    config = built.sites[0].config
    said = [
        f"the plugin {name} is left out; what it did to the Markdown of pages is in the tree"
        for name in config.plugins if name not in OURS
    ]
    if config.theme.custom_dir:
        said.append("theme.custom_dir is left out: its templates were written for another engine's Jinja")
    if config.hooks:
        said.append("hooks are left out; what they did to the Markdown of pages is in the tree")
    return tuple(said)
