"""Attacks on recorded runs, and drifts that make them untrue: what `check` or `run` says of each, or believes.

    python -m benchmarks.evidence [--only WORD]

Each line of attacks.yml is done to a small project whose evidence is sound. It is caught if the expected rule, or the
expected line of `hexapla run --record`, names it. The guide's own tree is checked too: what is found there is a false
alarm.
"""

import argparse
import io
import os
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any

import yaml
from hexapla.api import check_tree
from hexapla.cli import main as hexapla

from benchmarks.evidence.tree import attack, lay_project

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
RULES = ("evidence-invalid", "evidence-outdated", "evidence-differs", "evidence-missing")


def list_attacks() -> list[dict[str, Any]]:
    """The attacks, each with what is expected of it."""
    return [*yaml.safe_load((HERE / "attacks.yml").read_text(encoding="utf-8"))]


def find_answers(root: Path, case: Mapping[str, Any]) -> list[str]:
    """What the command says of the project at `root` after an attack."""
    lay_project(root)
    attack(root, case)
    if "run" in case:
        return run_command(["run", *case["run"], "--root", str(root)])
    found = [f"{each.rule}: {each.path}:{each.line} {each.message}; {each.hint}" for each in
             check_tree(root, select=RULES, cached=False).findings]
    return found + (run_command(["check", "--verify", "--root", str(root)]) if "verify" in case["expect"] else [])


def run_command(arguments: Sequence[str]) -> list[str]:
    """The lines that a command prints."""
    with redirect_stdout(io.StringIO()) as printed, redirect_stderr(printed):
        hexapla([*arguments])
    return printed.getvalue().splitlines()


def is_caught(case: Mapping[str, Any], answers: Sequence[str]) -> bool:
    """Whether one line has all that is expected."""
    return any(all(part in line for part in case["expect"].values()) for line in answers)


def report(cases: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """A line for each attack, and their number."""
    caught = 0
    for case in cases:
        with tempfile.TemporaryDirectory() as folder:
            answers = find_answers(Path(folder, "kit"), case)
        held = is_caught(case, answers)
        caught += held
        otherwise = "check --verify" if "verify" in case["expect"] else "run --record"
        how = case["expect"].get("rule", "").partition(":")[0] or otherwise
        yield f"{'caught' if held else 'BELIEVED':9}{how:18} {case['what']}"
        yield from (f"         {line}" for line in answers if not held)
    yield f"{len(cases)} attacks and drifts: {caught} caught, {len(cases) - caught} believed"


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--only", default="", help="those whose line has this word")
    chosen = options.parse_args()
    with tempfile.TemporaryDirectory() as cache:
        os.environ["XDG_CACHE_HOME"] = cache
        for line in report([case for case in list_attacks() if chosen.only in case["what"]]):
            print(line, flush=True)
    alarms = check_tree(ROOT, select=RULES).findings
    print("\n".join([f"the guide's own tree: {len(alarms)} false alarms", *map(str, alarms)]))


if __name__ == "__main__":
    main()
