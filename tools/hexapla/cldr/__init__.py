"""What Unicode's CLDR says of languages: what they call themselves, and the form of their numbers.

`locales.json` is written by `python -m tests.ground.cldr_table` from Babel, which is 33 MB; a test holds the two to the
same answers. The licence of the data is LICENSE.unicode.
"""

import json
import re
from collections.abc import Mapping
from decimal import ROUND_HALF_UP, Decimal
from functools import cache
from importlib.resources import files
from typing import Any, NamedTuple

from hexapla.languages import base

SCALES = {"thousand": Decimal(10**3), "million": Decimal(10**6), "billion": Decimal(10**9), "trillion": Decimal(10**12)}
DIGITS = 12  # behind the point of a number with a word for its size, at most
# One relation of a plural rule, as Unicode Technical Standard 35 has them: `i mod 10 not in 2..4,7`.
RELATION = re.compile(r"(?P<operand>[nievft])(?: mod (?P<modulus>\d+))? (?P<negation>not )?in (?P<values>[\d.,]+)")


class NumberForm(NamedTuple):
    """How a language writes numbers: its signs, and its words for large ones by grammatical number.

    `words` has under `other`, `one` and so on, by the exponent of ten from which it is used, the exponent of the unit
    and the text around the number: "6": (6, "{} million"). `plural` has the rule of each grammatical number.
    """

    decimal: str
    group: str
    words: Mapping[str, Mapping[str, tuple[int, str]]]
    plural: Mapping[str, str]


@cache
def load_locales() -> dict[str, Any]:
    """The data: `numbers`, a list of forms, and `locales`, by code in lower case a name and a place in that list."""
    loaded: dict[str, Any] = json.loads(files("hexapla.cldr").joinpath("locales.json").read_text(encoding="utf-8"))
    return loaded


def locale_key(code: str) -> str:
    return code.replace("-", "_").lower()


def native_name(code: str) -> str:
    """What a language calls itself. Raises ValueError for a code that CLDR does not know."""
    known = load_locales()["locales"].get(locale_key(code))
    if known is None:
        raise ValueError(f"unknown locale {code!r}")
    return str(known[0])


def number_text(value: Decimal, decimals: int, code: str, scale: str = "") -> str:
    """A number in the form of a language: 12,345.6 in English, 12.345,6 in German; an unknown one has English numbers.

    With a `scale` of SCALES it is rounded, and has the language's own word: 2.9 billion in English, 29亿 in Chinese.
    """
    locales = load_locales()["locales"]
    found = locales.get(locale_key(code)) or locales.get(base(code)) or locales["en"]
    form, unit = NumberForm(*load_locales()["numbers"][found[1]]), SCALES.get(scale, Decimal(1))
    rounded = (value / unit).quantize(Decimal(1).scaleb(-decimals), ROUND_HALF_UP) * unit
    return words_of(rounded, form) if scale else digits_of(rounded, form)


def digits_of(value: Decimal, form: NumberForm, grouping: str = ",") -> str:
    """All digits of a number, in groups of three unless `grouping` is empty."""
    return f"{value:{grouping}f}".translate({ord(","): form.group, ord("."): form.decimal})


def words_of(value: Decimal, form: NumberForm) -> str:
    """A number with the language's word for its size."""
    exponents = [int(each) for each in form.words["other"] if abs(value) >= 10 ** int(each)]
    if not exponents:
        return digits_of(drop_zeros(value), form)
    start = str(max(exponents))
    unit, text = form.words["other"][start]
    if text == "{}":
        return digits_of(drop_zeros(value), form, "")
    count = value / 10**unit
    number = plural_of(abs(count), form.plural)
    if count == 1 and "1" in form.words:
        number = "1"
    text = form.words.get(number, form.words["other"]).get(start, (unit, text))[1]
    written = text.format(digits_of(drop_zeros(abs(round(count, DIGITS))), form, ""))
    return f"-{written}" if count < 0 else written


def drop_zeros(value: Decimal) -> Decimal:
    """A number without zeros at its end."""
    return value.normalize() if value % 1 else value.to_integral_value()


def plural_of(count: Decimal, rules: Mapping[str, str]) -> str:
    """The grammatical number that goes with a count, `other` where no rule says so."""
    fraction = f"{count:f}".partition(".")[2]
    operands = {
        "n": count, "i": Decimal(int(count)), "v": Decimal(len(fraction)), "e": Decimal(0),
        "f": Decimal(fraction or 0), "t": Decimal(fraction.rstrip("0") or 0),
    }
    return next((name for name, rule in rules.items() if rule_holds(rule, operands)), "other")


def rule_holds(rule: str, operands: Mapping[str, Decimal]) -> bool:
    """Whether a rule of CLDR holds, which is relations joined by `and`, joined by `or`."""
    return any(all(relation_holds(each, operands) for each in part.split(" and ")) for part in rule.split(" or "))


def relation_holds(relation: str, operands: Mapping[str, Decimal]) -> bool:
    """Whether one relation holds. Raises ValueError for one of another form."""
    found = RELATION.fullmatch(relation)
    if found is None:
        raise ValueError(f"{relation!r} is no relation of a plural rule")
    left = operands[found["operand"]] % int(found["modulus"]) if found["modulus"] else operands[found["operand"]]
    ranges = [each.partition("..") for each in found["values"].split(",")]
    within = any(int(low) <= left <= int(high or low) and left == int(left) for low, _, high in ranges)
    return within != bool(found["negation"])
