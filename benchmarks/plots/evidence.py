"""What snippets printed, as the evidence keeps it  ->  tables of numbers."""

from dataclasses import dataclass

COLUMNS = ("weights", "gradients", "optimizer", "activations", "sum")
SHARDED = ("weights", "gradients", "optimizer", "passes", "sum")
SERVED = ("weights", "cache", "workspace", "sum")


class TableError(ValueError):
    """A snippet's output that is not the table it was."""


@dataclass(frozen=True, slots=True)
class Table:
    """A title, the names of the columns, and a row of numbers for each name."""

    title: str
    columns: tuple[str, ...]
    rows: dict[str, tuple[float, ...]]


def memory(output: str, columns: tuple[str, ...] = COLUMNS) -> Table:
    """The table of `memory/techniques.py`: GB by kind and their sum for each technique. Raises TableError."""
    title, header, *lines = output.splitlines()
    if header.split() != list(columns):
        raise TableError(f"columns {header.split()}, expected {list(columns)}; run memory/techniques again")
    return Table(title, columns, dict(row(line, len(columns)) for line in lines))


def phases(output: str) -> Table:
    """The first table of `profiling/slow_training.py`: times by phase and their sum for each fix. Raises TableError."""
    title, header, *lines = output.partition("Figures of the traces")[0].splitlines()
    columns = tuple(f"phase: {name}" for name in header.split())
    return Table(title, columns, dict(row(line, len(columns)) for line in lines))


def timeline(output: str) -> Table:
    """The last table of `memory/out_of_memory.py`: GB by kind at each moment. Raises TableError."""
    title, *lines = output[output.rfind("Over time") :].splitlines()
    count = len(lines[0].split()) - 1
    return Table(title, tuple(map(str, range(count))), dict(row(line, count) for line in lines))


def row(line: str, count: int) -> tuple[str, tuple[float, ...]]:
    """A line that ends in `count` numbers: its name, and the numbers."""
    name, *numbers = line.rsplit(maxsplit=count)
    try:
        values = tuple(map(float, numbers))
    except ValueError as error:
        raise TableError(f"{line!r} does not end in {count} numbers; run the snippet again") from error
    return name.strip(), values
