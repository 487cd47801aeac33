"""Compare a snippet's output with the recorded one: words exactly, numbers within a tolerance."""

import difflib
import math
import re
from decimal import Decimal

# A number with its sign, thousands separators, fraction and exponent.
NUMBER = re.compile(r"(?<![\w.])[-+]?\d[\d,]*(?:\.\d+)?(?:[eE][-+]?\d+)?")
RELATIVE = 1e-3  # what another order of summation, on as many threads as there are, stays below
DIGITS = 3  # from so many digits on, the last one may be rounded either way
LINES = 20  # of a difference; the rest is for a tool that shows files


def difference(recorded: str, printed: str, measured: bool = False) -> list[str]:
    """The lines in which two outputs differ, none if they agree; numbers that are `measured` are not compared."""
    old, new = recorded.splitlines(), printed.splitlines()
    agreed = [mine if lines_agree(yours, mine, measured) else yours for yours, mine in zip(old, new, strict=False)]
    agreed += old[len(new) :]
    lines = list(difflib.unified_diff(agreed, new, "recorded", "printed", lineterm="", n=1))
    return lines if len(lines) <= LINES else [*lines[:LINES], f"... and {len(lines) - LINES} lines more"]


def lines_agree(recorded: str, printed: str, measured: bool) -> bool:
    """Whether two lines agree; spaces that only align columns do not count."""
    if [each.split() for each in NUMBER.split(recorded)] != [each.split() for each in NUMBER.split(printed)]:
        return False
    pairs = zip(NUMBER.findall(recorded), NUMBER.findall(printed), strict=True)
    return measured or all(numbers_agree(yours, mine) for yours, mine in pairs)


def numbers_agree(recorded: str, printed: str) -> bool:
    """Whether two numbers are the same within the tolerance; whole numbers have to be equal."""
    written = [number.replace(",", "") for number in (recorded, printed)]
    yours, mine = map(Decimal, written)
    if all(number.lstrip("+-").isdigit() for number in written):
        return yours == mine
    exponents = (int(number.as_tuple().exponent) for number in (yours, mine))  # of the last digit: -2 for 1.25
    last = 10.0 ** max(exponents) if len(yours.as_tuple().digits) >= DIGITS else 0.0
    return math.isclose(yours, mine, rel_tol=RELATIVE, abs_tol=last * 1.01)
