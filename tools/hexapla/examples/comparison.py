"""Whether a snippet printed what it printed when it was recorded: words as they were, numbers nearly."""

import difflib
import math
import re

# A number with its sign, thousands separators, fraction and exponent.
NUMBER = re.compile(r"(?<![\w.])[-+]?\d[\d,]*(?:\.\d+)?(?:[eE][-+]?\d+)?")
RELATIVE = 1e-3  # what another order of summation, on as many threads as there are, stays below
DIGITS = 3  # from so many digits on, the last one may be rounded either way
LINES = 20  # of a difference; the rest is for a tool that shows files


def difference(recorded: str, printed: str, measured: bool = False) -> list[str]:
    """The lines in which two outputs differ, none where they agree; numbers do not count where they are `measured`."""
    old, new = recorded.splitlines(), printed.splitlines()
    agreed = [mine if agree(yours, mine, measured) else yours for yours, mine in zip(old, new, strict=False)]
    agreed += old[len(new) :]
    lines = list(difflib.unified_diff(agreed, new, "recorded", "printed", lineterm="", n=1))
    return lines if len(lines) <= LINES else [*lines[:LINES], f"... and {len(lines) - LINES} lines more"]


def agree(recorded: str, printed: str, measured: bool) -> bool:
    """Whether two lines say the same; spaces that only align columns do not count."""
    if [each.split() for each in NUMBER.split(recorded)] != [each.split() for each in NUMBER.split(printed)]:
        return False
    pairs = zip(NUMBER.findall(recorded), NUMBER.findall(printed), strict=True)
    return measured or all(near(yours, mine) for yours, mine in pairs)


def near(recorded: str, printed: str) -> bool:
    """Whether two numbers are the same within the tolerance; whole numbers have to be equal."""
    yours, mine = recorded.replace(",", ""), printed.replace(",", "")
    if whole(yours) and whole(mine):
        return int(yours) == int(mine)
    last = max(place(yours), place(mine)) if digits(yours) >= DIGITS else 0.0
    return math.isclose(float(yours), float(mine), rel_tol=RELATIVE, abs_tol=last * 1.01)


def whole(number: str) -> bool:
    """Whether it is written without fraction and exponent."""
    return number.lstrip("+-").isdigit()


def digits(number: str) -> int:
    """How many digits it is written with, the exponent's and leading zeros left out."""
    return len(number.lower().partition("e")[0].replace(".", "").lstrip("+-0"))


def place(number: str) -> float:
    """What one unit in the last digit is worth: 0.01 for 1.25, 1e-07 for 1.2e-06."""
    mantissa, _, exponent = number.lower().partition("e")
    return 10.0 ** (int(exponent or 0) - len(mantissa.partition(".")[2]))
