"""What the site relies on inside other packages: records that a build checks before it writes anything.

A theme or a plugin that has changed there would otherwise give a poorer site without a word.
"""

import logging
from collections.abc import Callable
from importlib.metadata import PackageNotFoundError, version
from typing import Generic, NamedTuple, TypeVar

from mkdocs.exceptions import PluginError

LOG = logging.getLogger("mkdocs.plugins.hexapla")
Subject = TypeVar("Subject")


class Expectation(NamedTuple, Generic[Subject]):
    """One thing that must hold.

    `does` says it after "the package does not ..."; `upstream` names the file and the lines of the tested version.
    Where it does not hold the build stops, or, if `stops` is false, warns, which stops a strict build.
    """

    name: str
    does: str
    upstream: str
    holds: Callable[[Subject], bool]
    stops: bool = True


class Contract(NamedTuple, Generic[Subject]):
    """The expectations of a package, and the version (as pip writes it) that they were tested with."""

    package: str
    tested: str
    expectations: tuple[Expectation[Subject], ...]


def enforce_contract(contract: Contract[Subject], subject: Subject, found: str) -> None:
    """Raise PluginError for the first expectation that must hold and does not; warn of the others.

    `found` names the package and version that is installed.
    """
    for each in contract.expectations:
        if not is_met(each, subject):
            sentence = (
                f"{found} does not {each.does}, as {contract.package} {contract.tested} does ({each.upstream}); "
                f"install {contract.package}=={contract.tested}, or report this to Hexapla"
            )
            if each.stops:
                raise PluginError(f"the site was not built: {sentence}")
            LOG.warning(sentence)


def is_met(expectation: Expectation[Subject], subject: Subject) -> bool:
    """Whether an expectation holds; one whose check cannot be made does not."""
    try:
        return expectation.holds(subject)
    except Exception:  # whatever a missing file, attribute or argument raises
        return False


def name_with_version(package: str) -> str:
    """A package with its installed version, if that is known."""
    try:
        return f"{package} {version(package)}"
    except PackageNotFoundError:
        return package
