"""Figures out of evidence: a reference's expression is looked up in recorded output, worked out and written.

    {evidence} memory/peak > t5-3b, simulated as 0.00 GB
    {evidence cpu-amd-epyc} train_one/throughput > fp32 > 64 / train_one/throughput > bf16 autocast > 64 as 0.0
    {evidence} 1 - memory/techniques > bf16 autocast > sum / memory/techniques > AdamW in fp32 > sum as 0%

A figure is named by its snippet and by words that its output has: how the line starts, then the words right before or
after the number, or the head of its column. `as` says how it is written: decimal places, and a unit that stays as it
is, but for bytes and seconds, which are converted, % and thousand, million, billion and trillion.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from decimal import Decimal
from functools import cached_property
from typing import TypeVar

from hexapla.cldr import SCALES, number_text
from hexapla.examples.evidence import PNG, Evidence, Run, Status, file_name
from hexapla.examples.evidence_store import current_evidence, read_all
from hexapla.examples.printed_numbers import UNITS, FigureError, Quantity, find_figure
from hexapla.examples.snippet import Snippets

REFERENCE = re.compile(r"\{evidence(?: (?P<hardware>[\w.-]+))?\} (?P<expression>\S.*)")
FORM = re.compile(r" as (?P<digits>0(?:\.(?P<decimals>0{1,9}))?)(?P<gap> ?)(?P<unit>[^\s0-9]*)$")
OPERATOR = re.compile(r" ([-+*/]) ")
LITERAL = re.compile(r"(?P<digits>\d{1,12}(?:\.\d{1,12})?)(?: (?P<unit>\w+))?")
Given = TypeVar("Given")
Made = TypeVar("Made")


class NoRunError(FigureError):
    """A machine that has not run the snippet that a reference names."""


TOO_LONG = FigureError("is a number with too many digits to be written")
PEAK_MEMORY = "peak memory"  # the name of the largest process's memory, which is recorded with each run


def figure_text(reference: str, evidence: Sequence[Evidence], language: str) -> str:
    """The figure that a reference names, in the form of a language. Raises FigureError, also where machines differ."""
    form, quantities = figure_quantities(reference, evidence)
    said = work_out_each(lambda found: format_quantity(found, form, language), quantities.items())
    if len(set(said.values())) > 1:
        each = ", ".join(f"{text} by {name}" for name, text in sorted(said.items()))
        raise FigureError(f"machines differ: {each}; name one, as in `{{evidence {min(said)}}}`")
    return next(iter(said.values()))


def figure_quantities(
    reference: str, evidence: Sequence[Evidence]
) -> tuple[re.Match[str] | None, dict[str, Quantity]]:
    """How a reference is to be written, and what it names by each machine that has it. Raises FigureError."""
    found = REFERENCE.fullmatch(reference)
    if found is None:
        raise FigureError("names no figure; write it as `{evidence} area/technique > line > words as 0.00 GB`")
    form = FORM.search(found["expression"])
    expression = found["expression"][: form.start()] if form else found["expression"]
    wanted = found["hardware"]
    machines = [(evidence_name(each), each) for each in evidence
                if wanted in {None, evidence_name(each), each.hardware.kind}]
    if not machines:
        raise FigureError(f"there is no evidence of {wanted!r}" if wanted else "there is no evidence yet")
    return form, work_out_each(lambda machine: worked_out(expression, machine), machines)


def work_out_each(work: Callable[[Given], Made], machines: Iterable[tuple[str, Given]]) -> dict[str, Made]:
    """What a function gives for each machine for which it raises nothing. Raises the last error if it does for all."""
    made: dict[str, Made] = {}
    found_run, missing = False, TOO_LONG
    for name, given in machines:
        try:
            made[name] = work(given)
        except NoRunError as error:  # no cause where another machine has a run
            missing = missing if found_run else error
        except FigureError as error:
            found_run, missing = True, error
        except ArithmeticError:
            missing = TOO_LONG
    if not made:
        raise missing
    return made


def figure_runs(reference: str, evidence: Sequence[Evidence]) -> Iterator[tuple[str, Run]]:
    """The snippets whose runs a reference names, with each run: from the machines that it may be of."""
    found = REFERENCE.fullmatch(reference)
    operands = OPERATOR.split(found["expression"])[::2] if found else []
    paths = [f"{operand.partition(' > ')[0]}.py" for operand in operands]
    for machine in evidence:
        if found and found["hardware"] in {None, evidence_name(machine), machine.hardware.kind}:
            yield from ((path, machine.runs[path]) for path in paths if path in machine.runs)


def evidence_name(evidence: Evidence) -> str:
    """What references call a machine: the name of its file."""
    return evidence.name or file_name(evidence.hardware).removesuffix(".json")


class RecordedFigures:
    """The figures of the runs of some folders of snippets, which are read when the first one is asked for."""

    def __init__(self, folders: Callable[[], Iterable[Snippets]]) -> None:
        self.folders = folders

    @cached_property
    def snippets(self) -> tuple[Snippets, ...]:
        """The folders, each of their files read once."""
        return tuple(self.folders())

    @cached_property
    def evidence(self) -> tuple[Evidence, ...]:
        """All the evidence; a file that cannot be read is another rule's matter."""
        read = (current_evidence(each, read_all(each.root / "evidence")) for each in self.snippets)
        return tuple(evidence for folder in read for evidence in folder)

    def text(self, reference: str, language: str) -> str:
        """What a reference shows in a language. Raises FigureError."""
        return figure_text(reference, self.evidence, language)

    def state(self, reference: str) -> str:
        """A text that changes when what a reference or a program shows does; no language's form is needed for it."""
        if reference.endswith(".py"):
            return str(self.has_picture(reference))
        try:
            _, quantities = figure_quantities(reference, self.evidence)
        except FigureError as error:
            return str(error)
        return repr(quantities)

    def has_picture(self, program: str) -> bool:
        """Whether a program, as a page includes it, has printed a PNG."""
        return any(prints_picture(program, each, self.evidence) for each in self.snippets)


def prints_picture(program: str, snippets: Snippets, evidence: Iterable[Evidence]) -> bool:
    """Whether a program, as a page includes it, has printed a PNG in a run of the code that it has today."""
    name = snippets.name(program)
    runs = (each.runs.get(name) for each in evidence)
    printed = {run.source for run in runs if run and run.status is Status.RAN and PNG.search(run.output)}
    with suppress(OSError, ValueError):  # an included file that cannot be read is another rule's matter
        return bool(printed) and snippets.hash(name) in printed
    return False


def worked_out(expression: str, evidence: Evidence) -> Quantity:
    """The quantity of an expression of figures and numbers; * and / come before + and -. Raises FigureError."""
    first, *rest = OPERATOR.split(expression)
    terms = [("+", read_quantity(first, evidence))]
    for sign, operand in zip(rest[::2], rest[1::2], strict=True):
        right = read_quantity(operand, evidence)
        if sign in "+-":
            terms.append((sign, right))
        else:
            terms[-1] = (terms[-1][0], scale_quantity(terms[-1][1], sign, right))
    total = terms[0][1]
    for sign, term in terms[1:]:
        if term.dimension != total.dimension:
            raise FigureError(f"{expression!r} adds {term.dimension or 'a number'} to {total.dimension or 'a number'}")
        total = Quantity(total.value + (term.value if sign == "+" else -term.value), total.dimension, -1)
    return total


def scale_quantity(left: Quantity, sign: str, right: Quantity) -> Quantity:
    """A product or a quotient. Raises FigureError for a division by zero."""
    if sign == "*":
        return Quantity(left.value * right.value, left.dimension or right.dimension, -1)
    if not right.value:
        raise FigureError("divides by a figure that is 0")
    return Quantity(left.value / right.value, "" if left.dimension == right.dimension else left.dimension, -1)


def read_quantity(operand: str, evidence: Evidence) -> Quantity:
    """A number as it is written, or the figure of that name. Raises FigureError."""
    literal = LITERAL.fullmatch(operand)
    if literal and (literal["unit"] or "%") in UNITS:
        dimension, size = UNITS[literal["unit"]] if literal["unit"] else ("", Decimal(1))
        return Quantity(Decimal(literal["digits"]) * size, dimension, -1)
    path, *names = operand.split(" > ")
    run = evidence.runs.get(f"{path}.py")
    if problem := evidence.problems.get(f"{path}.py"):
        raise FigureError(f"the run of {path}.py on {evidence.hardware.name} {problem}")
    if run is None:
        raise NoRunError(f"{path}.py has no recorded run; correct its name, or record it with `hexapla run --record`")
    if run.status is not Status.RAN:
        raise FigureError(f"{path} did not run on {evidence.hardware.name}: {run.reason}")
    if not names:
        raise FigureError(f"names no figure of {path}; add how its line starts: `{path} > ...`")
    if names == [PEAK_MEMORY]:
        return Quantity(Decimal(run.peak_memory_bytes), "bytes")
    return find_figure(run.output, names, path)


def format_quantity(found: Quantity, form: re.Match[str] | None, language: str) -> str:
    """A quantity in the form asked for, in a language. Raises FigureError."""
    if form is None:
        if found.decimals < 0:
            raise FigureError("does not say how the result is written; end it with ` as 0.0` or the like")
        return number_text(found.value, found.decimals, language)
    unit, decimals = form["unit"], len(form["decimals"] or "")
    if unit in SCALES:
        return number_text(found.value, decimals, language, unit)
    dimension, size = UNITS.get(unit, ("", Decimal(1)))
    if unit and found.dimension and dimension != found.dimension:
        raise FigureError(f"writes {found.dimension} as {unit!r}")
    converted = found.value / size if unit == "%" or found.dimension else found.value  # GB of a table are GB
    return number_text(converted, decimals, language) + form["gap"] + unit
