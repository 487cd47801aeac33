"""Languages: their codes, the base of a code, and the letters that they are written with.

A code is a BCP 47 tag as projects write it: `zh`, `zh-Hant`, `pt_BR`. Ranges of characters are written as they stand
inside the brackets of a regular expression.
"""

import re
from collections.abc import Iterable
from functools import cache
from itertools import groupby

# Countries whose codes projects write for a language.
COUNTRIES = {"cn": "zh", "cz": "cs", "jp": "ja", "kr": "ko", "ua": "uk", "vn": "vi"}
# Names that projects write in place of a code: README.chinese.md, README.brazilian-portuguese.md, Windows' chs and cht.
NAMES = {
    "arabic": "ar", "basque": "eu", "brazilian": "pt", "chinese": "zh", "chs": "zh", "cht": "zh", "dutch": "nl",
    "english": "en", "french": "fr", "german": "de", "greek": "el", "hebrew": "he", "hindi": "hi", "indonesian": "id",
    "italian": "it", "japanese": "ja", "korean": "ko", "persian": "fa", "polish": "pl", "portuguese": "pt",
    "russian": "ru", "simplified": "zh", "spanish": "es", "traditional": "zh", "turkish": "tr", "ukrainian": "uk",
    "vietnamese": "vi",
}
# ISO 639-1, the codes of three letters that documentation is translated into, and those countries.
_ISO_639 = """
    aa ab ae af ak am an ar as av ay az ba be bg bh bi bm bn bo br bs ca ce ch ckb cn co cr cs cu cv cy cz da de dv dz
    ee el en eo es et eu fa ff fi fil fj fo fr fy ga gd gl gn gsw gu gv ha he hi ho hr ht hu hy hz ia id ie ig ii ik io
    is it iu ja jp jv ka kg ki kj kk kl km kn ko kr ks ku kv kw ky la lb lg li ll ln lo lt lu lv mg mh mi mk ml mn mr
    ms mt my na nb nd nds ne ng nl nn no nr nv ny oc oj om or os pa pi pl ps pt qu rm rn ro ru rw sa sc sd se sg si sk
    sl sm sn so sq sr ss st su sv sw ta te tg th ti tk tl tn to tr ts tt tw ty tzm ua ug uk ur uz ve vi vn vo wa wo xh
    yi yo yue za zh zu
"""
CODES = tuple(_ISO_639.split())
# Codes that addresses of translated sites are seen with; `cn`, `ge` and `jp` are countries that stand for a language.
_IN_ADDRESSES = """
    ar az be bg bn bs ca cn cs da de el en eo es et eu fa fi fil fr ge gl he hi hr hu hy id it ja jp ka kk ko kr lt
    lv mk ml mn mr ms my nb ne nl no pl pt ro ru si sk sl sq sr sv sw ta te th tl tr tw uk ur uz vi yo zh
"""
ADDRESS_CODES = tuple(_IN_ADDRESSES.split())

HAN = "\u3005-\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003134f"
KANA = "\u3041-\u3096\u309d-\u309f\u30a1-\u30fa\u30fd-\u30ff\u31f0-\u31ff"
HANGUL = "\uac00-\ud7a3\u1100-\u11ff\u3131-\u318e"
CYRILLIC = "\u0400-\u052f"
GREEK = "\u0370-\u03ff\u1f00-\u1fff"
ARABIC = "\u0600-\u06ff\u0750-\u077f"
HEBREW = "\u0590-\u05ff"
THAI = "\u0e00-\u0e7f"
DEVANAGARI = "\u0900-\u097f"
# Han, kana, bopomofo, CJK punctuation and full-width forms: between two of these a line break is no space. Not Hangul,
# which sets spaces between words.
UNSPACED = "\u2e80-\u303f\u3041-\u312f\u31a0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\ufe30-\ufe4f\uff01-\uffee"
# Of these the marks, which bring their own space: a line break beside one is none, whatever stands on its other side.
FULL_WIDTH_MARKS = "\u3001-\u3003\u3008-\u3011\u3014-\u301f\u30fb\uff01-\uff0f\uff1a-\uff20\uff3b-\uff40\uff5b-\uff65"

# The letters of each language that is not written in Latin, by the base of its code.
LETTERS: dict[str, str] = {
    "zh": HAN, "yue": HAN, "ja": HAN + KANA, "ko": HANGUL,
    **dict.fromkeys(("ru", "uk", "be", "bg", "sr", "mk", "kk", "ky", "mn"), CYRILLIC),
    **dict.fromkeys(("hi", "mr", "ne"), DEVANAGARI),
    **dict.fromkeys(("ar", "fa", "ur"), ARABIC),
    "bn": "\u0980-\u09ff", "pa": "\u0a00-\u0a7f", "gu": "\u0a80-\u0aff", "ta": "\u0b80-\u0bff",
    "te": "\u0c00-\u0c7f", "kn": "\u0c80-\u0cff", "ml": "\u0d00-\u0d7f", "si": "\u0d80-\u0dff",
    "th": THAI, "lo": "\u0e80-\u0eff", "my": "\u1000-\u109f", "ka": "\u10a0-\u10ff", "km": "\u1780-\u17ff",
    "he": HEBREW, "el": GREEK, "hy": "\u0530-\u058f", "am": "\u1200-\u137f",
}
# Languages written in several scripts, or in one that LETTERS has for others alone.
_ANY_SCRIPT = """
    ab as av az ba bh bs ce ckb cu cv dv ha ks ku kv ms os pi ps sa sd tg ti tk tt tzm ug uz wo yi
"""
ANY_SCRIPT = frozenset(_ANY_SCRIPT.split())
# Letters of East Asia that one of its languages does not use.
FOREIGN = {"zh": KANA + HANGUL, "yue": KANA + HANGUL, "ja": HANGUL, "ko": KANA}
CHINESE = frozenset({"zh", "yue"})
TRADITIONAL = frozenset({"hant", "tw", "hk", "mo", "cht", "traditional"})  # the script, and the regions that write it


@cache
def base(code: str) -> str:
    """The language of a code without script and region, in lower case: zh of zh-Hant, zh_CN, cn and chinese."""
    found = re.split("[-_]", code.lower())[0]
    return COUNTRIES.get(found) or NAMES.get(found, found)


@cache
def without_region(code: str) -> str:
    """The base of a code, but Traditional Chinese stays as it is: zh-CN is zh, zh-Hant is not."""
    return code if base(code) == "zh" and is_traditional(code) else base(code)


def bcp47(code: str) -> str:
    """A code as BCP 47 writes it: zh-CN, also for a project that writes zh_CN."""
    return code.replace("_", "-")


def gettext_code(code: str) -> str:
    """A code as gettext writes it: zh_CN."""
    return code.replace("-", "_")


def match_any_code(codes: Iterable[str]) -> str:
    """A regular expression for any of the codes, which are sorted; grouped by their first letters, to be quick."""
    groups = ((lead, "".join(code[-1] for code in found)) for lead, found in groupby(codes, lambda code: code[:-1]))
    return "|".join(f"{lead}[{ends}]" for lead, ends in groups)


# A script, a region, or a variant in use: a folder es-module-syntax is no Spanish.
VARIANT = "[A-Za-z]{2,4}|[0-9]{3}|(?i:latin|latam|tarask|valencia)"
CODE = re.compile(f"(?:{match_any_code(CODES)})(?:[-_](?:{VARIANT})){{0,2}}")


def is_code(name: str) -> bool:
    """Whether a name is a language's code, with or without script and region; `img`, `api` and `js` are none."""
    return CODE.fullmatch(name) is not None


def is_language(name: str) -> bool:
    """Whether the name of a file or folder says a language: by its code, which may be in capitals, or in English.

    >>> [is_language(name) for name in ("pt-BR", "ZH", "Chinese", "brazilian-portuguese", "english-grammar")]
    [True, True, True, True, False]
    """
    words = re.split("[-_]", name.lower())
    return is_code(name) or (name.isupper() and is_code(name.lower())) or NAMES.keys() >= {*words}


@cache
def own_letters(code: str) -> re.Pattern[str] | None:
    """One letter of the language's own script; None for a language written in Latin."""
    letters = LETTERS.get(base(code))
    return re.compile(f"[{letters}]") if letters else None


@cache
def foreign_letters(code: str) -> re.Pattern[str]:
    """East Asian letters of another language: one where the language has its own of their kind, else a run of two."""
    letters = FOREIGN.get(base(code))
    return re.compile(f"[{letters}]+" if letters else f"[{HAN}{KANA}{HANGUL}]{{2,}}")


def is_ideograph(character: str) -> bool:
    """Whether a character is in the block of Han that the national character sets hold."""
    return "\u4e00" <= character <= "\u9fff"


def is_chinese(code: str) -> bool:
    """Whether the code is one of Chinese, in either script."""
    return base(code) in CHINESE


@cache
def is_traditional(code: str) -> bool:
    """Whether the code is one of Chinese in Traditional characters: zh-Hant, zh-TW, zh-HK, zh-MO, yue."""
    parts = re.split("[-_]", code.lower())
    return parts[0] == "yue" or (base(code) == "zh" and not TRADITIONAL.isdisjoint(parts))
