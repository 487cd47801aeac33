"""Write `tools/hexapla/cldr/locales.json` from Babel: python -m tests.ground.cldr_table"""

import json
import re
import shutil
from pathlib import Path

import babel
from babel import Locale, localedata
from babel.core import UnknownLocaleError
from babel.numbers import get_decimal_symbol, get_group_symbol, parse_pattern
from hexapla.cldr import locale_key
from hexapla.languages import CODES

FOLDER = Path(__file__).parents[2] / "tools/hexapla/cldr"
LICENSE = Path(babel.__file__).parent / "locale-data/LICENSE.unicode"


def codes():
    """The codes that Babel knows of languages that documentation is translated into, `zh_TW` for `zh_Hant_TW` too."""
    known = [each for each in localedata.locale_identifiers() if each.split("_")[0] in CODES and is_plain(each)]
    short = (re.sub(r"_[A-Z][a-z]{3}_", "_", each) for each in known)
    return sorted({*CODES, *known, *short})


def is_plain(identifier):
    """Whether it is a language with a script and a region at most."""
    return re.fullmatch(r"[a-z]{2,3}(_[A-Z][a-z]{3})?(_([A-Z]{2}|\d{3}))?", identifier)


def words(locale):
    """The texts for large numbers: the longer ones, where the language has them, else those of two or three letters."""
    found = locale.compact_decimal_formats.get("long") or {}
    found = found if "other" in found else locale.compact_decimal_formats["short"]
    made = {number: merged(patterns) for number, patterns in sorted(found.items())}
    return {number: each for number, each in made.items() if number == "other" or each != made["other"]}


def merged(patterns):
    """By exponent of ten, the unit's exponent and the text around the number."""
    made = {}
    for magnitude in sorted(map(int, patterns)):
        parsed = parse_pattern(patterns[str(magnitude)])
        exponent = len(str(magnitude)) - 1
        shown = "{}" if parsed.number_pattern else ""
        text = re.sub(r"'([^']*)'", lambda each: each.group(1) or "'", f"{parsed.prefix[0]}{shown}{parsed.suffix[0]}")
        made[exponent] = [0 if parsed.pattern == "0" else exponent - max(parsed.pattern.count("0") - 1, 0), text]
    return made


def form(locale):
    """A record of `NumberForm`."""
    return [get_decimal_symbol(locale), get_group_symbol(locale), words(locale), dict(locale.plural_form.rules)]


def text():
    """The file's text: a line a form of numbers and a line a locale."""
    forms, locales = {}, {}
    for code in codes():
        try:
            locale = Locale.parse(code)
        except UnknownLocaleError:
            continue
        if name := locale.get_display_name():
            number = forms.setdefault(json.dumps(form(locale), ensure_ascii=False), len(forms))
            locales[locale_key(code)] = json.dumps([name, number], ensure_ascii=False)
    lines = (f"{json.dumps(code)}: {entry}" for code, entry in locales.items())
    return '{"numbers": [\n' + ",\n".join(forms) + '\n], "locales": {\n' + ",\n".join(lines) + "\n}}\n"


if __name__ == "__main__":
    (FOLDER / "locales.json").write_text(text(), encoding="utf-8")
    shutil.copyfile(LICENSE, FOLDER / LICENSE.name)
