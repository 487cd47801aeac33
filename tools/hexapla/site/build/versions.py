"""Guards the branch on which mike publishes versions of a site: one publisher at a time, no folder that is not mike's.

mike loads the configuration for the name of the folder that its own `mkdocs build` fills, and reads `versions.json` of
the branch before that build and writes it afterwards. (mike 2.2.0, mkdocs_utils.py:69-81, commands.py:54-118.)
"""

import json
import logging
import os
import sys
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import PluginError

from hexapla.git import Repository

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

LOG = logging.getLogger("mkdocs.plugins.hexapla")
MIKE = "mike"  # what its own process calls itself in on_startup
VERSION = "MIKE_DOCS_VERSION"  # the variable in which its build finds the version
PUBLISHING = {"deploy", "delete", "alias", "retitle", "props", "set-default"}
LOCK = "hexapla-versions.lock"
HELD: list[int] = []  # until the process ends: mike commits after every event of ours


def guard_branch(config: MkDocsConfig, command: str) -> bool:
    """In mike's own process lock the branch, in its build look at the branch. Raises PluginError.

    Returns whether this is mike's own process, which builds nothing.
    """
    repository = Repository(Path(config.config_file_path).resolve().parent)
    if command == MIKE and PUBLISHING.intersection(sys.argv):
        lock_branch(repository)
    elif command != MIKE and (version := os.environ.get(VERSION)):
        check_branch(repository, config, version)
    return command == MIKE


def lock_branch(repository: Repository) -> None:
    """Keep other processes from publishing: the later of two would write a `versions.json` without the other's version.

    Raises PluginError where another one is publishing.
    """
    folder = "".join(repository.lines("rev-parse", "--path-format=absolute", "--git-common-dir"))
    if HELD or not folder or fcntl is None:
        return
    handle = os.open(Path(folder, LOCK), os.O_RDWR | os.O_CREAT)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        os.close(handle)
        raise PluginError(
            f"{folder}: another mike is publishing from this repository, and one of the two versions would be missing "
            "from the menu; run this again when the other has ended"
        ) from error
    HELD.append(handle)


def check_branch(repository: Repository, config: MkDocsConfig, version: str) -> None:
    """Tell where the folders on the branch and its `versions.json` differ.

    Raises PluginError where mike would replace a folder that it did not publish.
    """
    branch, mike = config.remote_branch, config.plugins.get(MIKE)
    prefix = str(mike.config["deploy_prefix"]).strip("/") if mike else ""
    tree = f"{branch}:{prefix}/" if prefix else f"{branch}:"
    listed = json.loads(repository.run("show", f"{tree}versions.json") or b"[]")
    versions = {str(each["version"]) for each in listed}
    known = versions.union(*(each["aliases"] for each in listed))
    folders = set(repository.lines("ls-tree", "--name-only", tree))
    if version in folders - known:
        raise PluginError(
            f"{tree}{version}: versions.json does not list this folder, so mike did not publish it and would replace "
            f"it; rename or remove it on {branch}, then deploy {version} again"
        )
    for name in sorted(versions - folders - {version}):
        LOG.warning(f"{tree}versions.json: lists {name}, which has no folder, so the version menu leads nowhere; "
                    f"deploy it again, or run `mike delete {name}`")
    for name in sorted(folders - known):
        if repository.run("cat-file", "-e", f"{tree}{name}/sitemap.xml") is not None:
            LOG.warning(f"{tree}{name}: versions.json does not list this folder, so the version menu lacks it; publish "
                        f"it by `mike deploy`, or remove it from {branch}")
