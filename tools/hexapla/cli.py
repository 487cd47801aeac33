"""The command: arguments in, exit status out. The only module that prints or exits."""

import argparse
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

OK, FOUND, USAGE = 0, 1, 2

Command = Callable[[argparse.Namespace], int]


def parser() -> argparse.ArgumentParser:
    """All commands and what they take."""
    top = argparse.ArgumentParser(prog="hexapla", description="Documentation that stays true in every language.")
    commands = top.add_subparsers(title="commands", required=True, metavar="COMMAND")

    run = commands.add_parser("run", help="run snippets and show, or record, what happened")
    run.add_argument("select", nargs="*", metavar="SELECT", help="snippets, as area, area/technique or a part of it")
    run.add_argument("--on", default="cpu", metavar="KIND", help="the kind of hardware: cpu (default) or gpu")
    run.add_argument("--record", action="store_true", help="write the evidence below snippets/evidence/")
    run.add_argument("--timeout", type=float, default=300, metavar="SECONDS", help="limit for each (default: 300)")
    run.set_defaults(command=run_snippets)

    for command in (run,):
        command.add_argument("--root", type=Path, metavar="DIR", help="the project (default: the nearest mkdocs.yml)")
    return top


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; its exit status is 0 for nothing wrong, 1 for findings or failures, 2 for usage."""
    chosen = parser().parse_args(arguments)
    from hexapla.config import ConfigError

    command: Command = chosen.command
    try:
        return command(chosen)
    except ConfigError as error:
        print(f"hexapla: {error}", file=sys.stderr)
        return USAGE
    except KeyboardInterrupt:
        print("hexapla: interrupted; nothing that was not finished has been written", file=sys.stderr)
        return 130


def run_snippets(chosen: argparse.Namespace) -> int:
    """`hexapla run`: one line a snippet, the reason under those that did not run."""
    from hexapla import config
    from hexapla.examples import machine, record, run
    from hexapla.examples.evidence import Status
    from hexapla.examples.snippets import Snippets

    project = config.load(chosen.root or config.find_root(Path.cwd()))
    snippets = Snippets(project.snippets)
    names = record.select(snippets.names(), chosen.select)
    hardware = machine.describe(chosen.on)
    if hardware is None:
        raise config.ConfigError(f"this machine has no {chosen.on!r} that can be described; choose --on cpu")
    runs = {}
    for name in names:
        runs[name] = result = run.run(snippets, name, chosen.on, chosen.timeout)
        mebibytes = result.peak_memory_bytes / 2**20
        print(f"{result.status:8} {result.seconds:6.1f} s  {mebibytes:7.0f} MiB  {name}", flush=True)
        if result.reason:
            print(f"         {result.reason}")
    counts = {status: sum(result.status is status for result in runs.values()) for status in Status}
    print(", ".join(f"{count} {status}" for status, count in counts.items()), f"on {hardware.name}")
    if chosen.record:
        file = record.write_evidence(project.evidence, hardware, runs)
        print(f"evidence: {file.relative_to(project.root)}")
    return FOUND if counts[Status.FAILED] else OK


if __name__ == "__main__":
    sys.exit(main())
