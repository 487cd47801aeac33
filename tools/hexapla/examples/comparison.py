"""Compare a snippet's output with the recorded one: words exactly, numbers within a tolerance."""

import difflib
import math
import re

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
    yours, mine = recorded.replace(",", ""), printed.replace(",", "")
    if is_integer(yours) and is_integer(mine):
        return int(yours) == int(mine)
    last = max(last_digit_unit(yours), last_digit_unit(mine)) if significant_digits(yours) >= DIGITS else 0.0
    return math.isclose(float(yours), float(mine), rel_tol=RELATIVE, abs_tol=last * 1.01)


def is_integer(number: str) -> bool:
    """Whether it is written without fraction and exponent."""
    return number.lstrip("+-").isdigit()


def significant_digits(number: str) -> int:
    """How many digits it is written with, the exponent's and leading zeros left out."""
    return len(number.lower().partition("e")[0].replace(".", "").lstrip("+-0"))


def last_digit_unit(number: str) -> float:
    """The value of one unit in the last digit: 0.01 for 1.25, 1e-07 for 1.2e-06."""
    mantissa, _, exponent = number.lower().partition("e")
    return 10.0 ** (int(exponent or 0) - len(mantissa.partition(".")[2]))
