"""What the guide's claims rest on in the libraries' source, and which of it has changed.

    make claims                               what to look at again since the libraries have moved
    python -m tests.guide.claims --record     it was looked at: record the source as it is installed

A claim rests on what a test names, `@pytest.mark.claim("page#anchor", "transformers/trainer.py::Trainer.log")`, or on
what a page links to, a file or lines of one in a repository at the tag of a version. claims.json holds the version and
a digest of each source when somebody last looked.
"""

import ast
import hashlib
import importlib.metadata
import importlib.util
import json
import re
import sys
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[2]
RECORD = Path(__file__).with_name("claims.json")
LINK = re.compile(
    r"https://github\.com/[\w.-]+/[\w.-]+/blob/v(?P<version>[\w.]+)/(?P<file>[\w./-]+\.py)(?P<lines>#L\d+(?:-L\d+)?)?"
)


class Claim(NamedTuple):
    """Where a claim stands, what it is about, and its source: `package/file.py`, with `::Name` or `#L1-L9` behind."""

    place: str
    about: str
    source: str
    version: str = ""  # of a link's tag


def marked(root: Path) -> Iterator[Claim]:
    """The claims that tests of snippets assert."""
    for file in sorted((root / "tests/snippets").rglob("test_*.py")):
        text = file.read_text("utf-8")
        for node in ast.parse(text).body if "pytest.mark.claim" in text else ():
            if not isinstance(node, ast.FunctionDef):
                continue
            for mark in node.decorator_list:
                if isinstance(mark, ast.Call) and ast.unparse(mark.func) == "pytest.mark.claim":
                    about, *sources = (str(ast.literal_eval(each)) for each in mark.args)
                    place = f"{file.relative_to(root).as_posix()}:{node.lineno}"
                    yield from (Claim(place, about, source) for source in sources)


def linked(root: Path) -> Iterator[Claim]:
    """The claims whose source a page links to."""
    for file in sorted((root / "docs/en").rglob("*.md")):
        for number, line in enumerate(file.read_text("utf-8").splitlines(), 1):
            for link in LINK.finditer(line):
                source = link["file"].removeprefix("src/") + (link["lines"] or "")
                yield Claim(f"{file.relative_to(root).as_posix()}:{number}", link[0], source, link["version"])


def installed(source: str) -> tuple[str, str | None] | None:
    """The version of a source's package, and the source's text, None where it is gone; None without the package."""
    path, _, name = source.partition("::")
    path, _, lines = path.partition("#L")
    package = path.partition("/")[0]
    found = importlib.util.find_spec(package)
    if found is None or not found.submodule_search_locations:
        return None
    version = importlib.metadata.version(package).partition("+")[0]
    file = Path(found.submodule_search_locations[0]).parent / path
    if not file.is_file():
        return version, None
    text = file.read_text("utf-8")
    if lines:
        first, _, last = lines.partition("-L")
        return version, "\n".join(text.splitlines()[int(first) - 1 : int(last or first)])
    return version, named(text, name) if name else text


def named(text: str, name: str) -> str | None:
    """The definition of a class, function or variable in a module's text, None where there is none."""
    body, node = definitions(text), None
    for part in name.split("."):
        node = next((each for each in body if part in names_of(each)), None)
        if node is None:
            return None
        body = getattr(node, "body", [])
    return ast.get_source_segment(text, node) if node else None


@lru_cache(maxsize=4)  # claims on one file stand beside each other, sorted by their sources
def definitions(text: str) -> list[ast.stmt]:
    """What a module's text consists of."""
    return ast.parse(text).body


def names_of(node: ast.stmt) -> list[str]:
    """What a statement defines."""
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return [node.name]
    targets = node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
    return [target.id for target in targets if isinstance(target, ast.Name)]


def digest(text: str) -> str:
    """A digest of a source that does not see how it is indented or broken."""
    return hashlib.sha256(" ".join(text.split()).encode()).hexdigest()[:16]


def record(claims: list[Claim]) -> dict[str, list[str]]:
    """The version and the digest of each source that is installed in the version that its link names."""
    found = {}
    for claim in claims:
        here = installed(claim.source)
        if here and here[1] is not None and claim.version in {"", here[0]}:
            found[claim.source] = [here[0], digest(here[1])]
    return dict(sorted(found.items()))


def to_look_at(claims: list[Claim], recorded: dict[str, list[str]]) -> Iterator[str]:
    """A line for each claim whose source has changed since somebody looked; history, an older link, is none."""
    for claim in claims:
        here, before = installed(claim.source), recorded.get(claim.source)
        if here is None or (before is None and claim.version not in {"", here[0]}):
            continue
        version, text = here
        if before is None:
            yield f"{claim.place}: {claim.about}: {claim.source} was never recorded; look, then run it with --record"
        elif text is None:
            yield f"{claim.place}: {claim.about}: {claim.source} is gone from {version}; it was in {before[0]}"
        elif digest(text) != before[1]:
            yield f"{claim.place}: {claim.about}: {claim.source} changed between {before[0]} and {version}"


def every_claim(root: Path) -> list[Claim]:
    """All claims of a guide, sorted by their sources."""
    return sorted([*marked(root), *linked(root)], key=lambda claim: claim.source)


def main(arguments: list[str]) -> int:
    """Print what to look at, or record; the exit status is 1 where there is something."""
    claims = every_claim(ROOT)
    if arguments == ["--record"]:
        RECORD.write_text(json.dumps(record(claims), indent=1) + "\n", encoding="utf-8")
        return 0
    lines = [*to_look_at(claims, json.loads(RECORD.read_text("utf-8")))]
    print("\n".join([*lines, f"{len(lines)} of {len(claims)} claims to look at again"]))
    return int(bool(lines))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
