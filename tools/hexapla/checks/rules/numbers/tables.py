"""What numbers are called: scales, percent signs and number words of the languages. Tables, and one reader of them.

Scales of the East Asian languages go by 10^4 (Unicode Technical Standard 35, CLDR `decimalFormat-long` patterns);
milliard and its kin are 10^9 and German Billion 10^12 (CLDR, the same patterns).
"""

from functools import cache

from hexapla.languages import base
from hexapla.yaml_text import load_table

CJK_SCALES = {
    "十": 10, "百": 100, "千": 1000, "万": 10**4, "萬": 10**4, "亿": 10**8, "億": 10**8, "兆": 10**12,
    "십": 10, "백": 100, "천": 1000, "만": 10**4, "억": 10**8, "조": 10**12,
}
CJK_DIGITS = {
    "零": 0, "〇": 0, "一": 1, "二": 2, "两": 2, "兩": 2, "三": 3, "四": 4, "五": 5, "六": 6, "七": 7, "八": 8, "九": 9,
}

TABLE = load_table(__package__, "number_words.yml")
# Words after digits that multiply them, in any language but where two languages disagree (Billion).
SCALES: dict[str, int] = {word: factor for factor, words in TABLE["scales"].items() for word in words.split()}
# The long scale: the same word, another number.
LONG_SCALE = {"billion": 10**12, "billions": 10**12, "billón": 10**12, "billones": 10**12, "mil millones": 10**9}
LONG_SCALE_LANGUAGES = frozenset({"de", "fr", "es", "pl", "nl"})
# A letter after digits may be a scale or a unit: both readings stand.
LETTER_SCALES = {"k": 10**3, "K": 10**3, "M": 10**6, "B": 10**9, "T": 10**12}

PERCENT = (
    r"%|percent\b|per\s?cent\b|percentage points?\b|[个個]?百分[点點]|パーセント|퍼센트|프로\b|prozent\b|pour\s?cent\b|"
    r"por\s?ciento\b|por\s?cento\b|процент\w*|відсотк\w*|phần trăm\b|प्रतिशत"
)
POINTS = r"points?\b|ポイント|포인트|[个個]点"  # of a percentage, or of a score
PERCENT_BEFORE = ("%", "百分之", "yüzde")

# Languages that write 1,5 for one and a half; 1,500 is then either.
DECIMAL_COMMA = frozenset({
    "de", "fr", "es", "pt", "it", "ru", "uk", "be", "bg", "pl", "cs", "nl", "sv", "da", "fi", "tr", "vi", "id",
    "el", "ro", "hu", "sr",
})

VAGUE = frozenset({"couple", "few", "several", "handful"})  # words that stand for two numbers: 2 or 3
# Single characters that count without being numerals: 双 is a pair, 半 a half, 倍 twice.
CJK_COUNTS: dict[str, tuple[str, ...]] = {
    **dict.fromkeys("双雙両对對", ("2",)), "半": ("0.5", "2", "50%"), "倍": ("2",), "单": ("1",), "單": ("1",),
    "首": ("1",), "初": ("1",), "つ": ("1",), "季": ("4",),
    **{circled: (str(value),) for value, circled in enumerate("①②③④⑤⑥⑦⑧⑨", 1)},
}


@cache
def number_words(language: str) -> dict[str, tuple[str, ...]]:
    """The number words of a language, lower case, with what they may stand for; empty where none are known."""
    counting, others = (TABLE[name].get(base(language)) for name in ("counting", "others"))
    found = {word.strip(): (str(value),) for value, word in enumerate(counting.split("|") if counting else ())}
    return found | {name: tuple(values.split(","))
                    for values, names in (others or {}).items() for name in names.split()}


def scale_of(characters: str) -> int:
    """What a run of East Asian scale characters multiplies by: 百万 is 10^6, 万亿 10^12."""
    product = 1
    for character in characters:
        product *= CJK_SCALES[character]
    return product


def cjk_value(run: str) -> int:
    """The number that a run of Chinese numerals writes: 一百一十 is 110, 二〇二四 is 2024."""
    if not any(character in CJK_SCALES for character in run):
        return int("".join(str(CJK_DIGITS[character]) for character in run))
    total = section = digit = 0
    for character in run:
        if character in CJK_DIGITS:
            digit = CJK_DIGITS[character]
        elif (scale := CJK_SCALES[character]) < 10**4:
            section, digit = section + (digit or 1) * scale, 0
        else:
            total, section, digit = (total + (section + digit or 1)) * scale, 0, 0
    return total + section + digit
