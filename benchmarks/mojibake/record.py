"""Record a real run of `hexapla repair` for the documentation: `python -m benchmarks.mojibake.record`.

A clean page of the sample is garbled in code, the command repairs it, and what it says is written to
snippets/tools/repair_run.txt, where the page includes it from.
"""

import os
import tempfile
from pathlib import Path

from hexapla.mojibake.command.file_repair import RepairOptions, repair_files

from benchmarks.mojibake.garbling import CHAINS

HERE = Path(__file__).parent
COMMAND = "hexapla repair memory.md --corpus clean"


def main() -> None:
    """Garble, repair, write down."""
    garbled, _ = CHAINS["cp1254, bytes dropped"]
    clean = HERE / "sample" / "clean"
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        page = (HERE / "sample" / "memory.md").read_text("utf-8")
        Path("memory.md").write_text(garbled(page), "utf-8")
        Path("clean").mkdir()
        for path in clean.iterdir():
            (Path("clean") / path.name).write_text(path.read_text("utf-8"), "utf-8")
        options = RepairOptions((Path("memory.md"),), corpus=(Path("clean"),))
        outcome = repair_files(options, lambda: (), Path())
    text = "\n".join((f"$ {COMMAND}", outcome.output, *outcome.errors, f"exit status {outcome.status}", ""))
    (HERE.parents[1] / "snippets" / "tools" / "repair_run.txt").write_text(text, "utf-8")


if __name__ == "__main__":
    main()
