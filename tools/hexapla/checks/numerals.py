"""What numbers are called: scales, percent signs and number words of the languages. Tables, and one reader of them.

Scales of the East Asian languages go by 10^4 (Unicode Technical Standard 35, CLDR `decimalFormat-long` patterns);
milliard and its kin are 10^9 and German Billion 10^12 (CLDR, the same patterns).
"""

import re
from functools import cache

CJK_SCALES = {
    "十": 10, "百": 100, "千": 1000, "万": 10**4, "萬": 10**4, "亿": 10**8, "億": 10**8, "兆": 10**12,
    "십": 10, "백": 100, "천": 1000, "만": 10**4, "억": 10**8, "조": 10**12,
}
CJK_DIGITS = {
    "零": 0, "〇": 0, "一": 1, "二": 2, "两": 2, "兩": 2, "三": 3, "四": 4, "五": 5, "六": 6, "七": 7, "八": 8, "九": 9,
}

# Words after digits that multiply them, in any language but where two languages disagree (Billion).
SCALES: dict[str, int] = {
    **dict.fromkeys(("hundred", "hundreds", "hundert", "cent", "cento", "cien"), 100),
    **dict.fromkeys(("thousand", "thousands", "tausend", "mille", "mil", "mila", "тысяч", "тысячи", "тысяча", "тыс",
                     "тисяч", "тисячі", "тисяча", "тис", "bin", "nghìn", "ngàn", "हज़ार", "हजार"), 1000),
    **dict.fromkeys(("million", "millions", "millionen", "millón", "millones", "milhão", "milhões", "milione", "milioni",
                     "миллион", "миллиона", "миллионов", "млн", "мільйон", "мільйона", "мільйони", "мільйонів",
                     "milyon", "triệu", "मिलियन", "mn", "mio"), 10**6),
    **dict.fromkeys(("billion", "billions", "milliarde", "milliarden", "milliard", "milliards", "miliardo", "miliardi",
                     "bilhão", "bilhões", "миллиард", "миллиарда", "миллиардов", "млрд", "мільярд", "мільярда",
                     "мільярди", "мільярдів", "milyar", "tỷ", "tỉ", "बिलियन", "अरब", "bn", "mrd"), 10**9),
    **dict.fromkeys(("trillion", "trillions", "billionen", "trilhão", "trilhões", "триллион", "триллиона",
                     "триллионов", "трлн", "трильйон", "трильйонів", "trilyon", "ट्रिलियन", "tn"), 10**12),
}
# The long scale: the same word, another number.
LONG_SCALE = {"billion": 10**12, "billions": 10**12, "billón": 10**12, "billones": 10**12, "mil millones": 10**9}
LONG_SCALE_LANGUAGES = frozenset({"de", "fr", "es", "pl", "nl"})
# A letter after digits may be a scale or a unit: both readings stand.
LETTER_SCALES = {"k": 10**3, "K": 10**3, "M": 10**6, "B": 10**9, "T": 10**12}

PERCENT = (
    r"%|percent\b|per\s?cent\b|percentage points?\b|个?百分点|パーセント|퍼센트|프로\b|prozent\b|pour\s?cent\b|"
    r"por\s?ciento\b|por\s?cento\b|процент\w*|відсотк\w*|phần trăm\b|प्रतिशत"
)
PERCENT_BEFORE = ("%", "百分之", "yüzde")

# Languages that write 1,5 for one and a half; 1,500 is then either.
DECIMAL_COMMA = frozenset({"de", "fr", "es", "pt", "it", "ru", "uk", "be", "bg", "pl", "cs", "nl", "sv", "da", "fi", "tr",
                           "vi", "id", "el", "ro", "hu", "sr"})

# Number words, in the order of the numbers they stand for; "_" skips one. A word may stand in several places.
_COUNTING = {
    "en": ("zero|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen|"
           "seventeen|eighteen|nineteen|twenty"),
    "de": "null|eins|zwei|drei|vier|fünf|sechs|sieben|acht|neun|zehn|elf|zwölf",
    "fr": "zéro|un|deux|trois|quatre|cinq|six|sept|huit|neuf|dix|onze|douze",
    "es": "cero|uno|dos|tres|cuatro|cinco|seis|siete|ocho|nueve|diez|once|doce",
    "pt": "zero|um|dois|três|quatro|cinco|seis|sete|oito|nove|dez|onze|doze",
    "it": "zero|uno|due|tre|quattro|cinque|sei|sette|otto|nove|dieci|undici|dodici",
    "ru": "ноль|один|два|три|четыре|пять|шесть|семь|восемь|девять|десять|одиннадцать|двенадцать",
    "uk": "нуль|один|два|три|чотири|п'ять|шість|сім|вісім|дев'ять|десять|одинадцять|дванадцять",
    "tr": "sıfır|bir|iki|üç|dört|beş|altı|yedi|sekiz|dokuz|on|on bir|on iki",
    "vi": "không|một|hai|ba|bốn|năm|sáu|bảy|tám|chín|mười",
    "hi": "शून्य|एक|दो|तीन|चार|पाँच|छह|सात|आठ|नौ|दस",
    "ko": "영|하나|둘|셋|넷|다섯|여섯|일곱|여덟|아홉|열",
}
_OTHERS: dict[str, dict[str, tuple[str, ...]]] = {
    "en": {
        "a": ("1",), "an": ("1",), "single": ("1",), "once": ("1",), "first": ("1",), "both": ("2",), "pair": ("2",),
        "dual": ("2",), "couple": ("2",), "another": ("1",), "other": ("1",), "twice": ("2",), "double": ("2",), "doubles": ("2",), "doubled": ("2",), "second": ("2",),
        "triple": ("3",), "third": ("3",), "thirds": ("3",), "fourth": ("4",), "quarter": ("4", "0.25", "25%"),
        "fifth": ("5",), "half": ("0.5", "2", "50%"), "halves": ("0.5", "2", "50%"), "halved": ("2", "50%"),
        "dozen": ("12",), "thirty": ("30",), "forty": ("40",), "fifty": ("50",), "sixty": ("60",), "eighty": ("80",),
        "hundred": ("100",), "hundreds": ("100",), "thousand": ("1000",), "thousands": ("1000",),
        "million": ("1000000",), "millions": ("1000000",), "billion": ("1000000000",), "billions": ("1000000000",),
        "zeroth": ("0",), "percent": ("100%",), "sixth": ("6",), "seventh": ("7",), "eighth": ("8",), "tenth": ("10",),
        "january": ("1",), "february": ("2",), "march": ("3",), "april": ("4",), "may": ("5",), "june": ("6",),
        "july": ("7",), "august": ("8",), "september": ("9",), "october": ("10",), "november": ("11",),
        "december": ("12",), "jan": ("1",), "feb": ("2",), "mar": ("3",), "apr": ("4",), "jun": ("6",), "jul": ("7",),
        "aug": ("8",), "sep": ("9",), "oct": ("10",), "nov": ("11",), "dec": ("12",),
    },
    "de": {"ein": ("1",), "eine": ("1",), "einen": ("1",), "einem": ("1",), "einer": ("1",), "erste": ("1",),
           "ersten": ("1",), "beide": ("2",), "beiden": ("2",), "zweite": ("2",), "doppelt": ("2",), "halb": ("0.5",)},
    "fr": {"une": ("1",), "premier": ("1",), "première": ("1",), "double": ("2",), "deuxième": ("2",)},
    "es": {"un": ("1",), "una": ("1",), "primer": ("1",), "primera": ("1",), "doble": ("2",), "ambos": ("2",)},
    "pt": {"uma": ("1",), "duas": ("2",), "primeiro": ("1",), "primeira": ("1",), "ambos": ("2",)},
    "ru": {"одна": ("1",), "одно": ("1",), "одного": ("1",), "одной": ("1",), "две": ("2",), "двух": ("2",),
           "двумя": ("2",), "оба": ("2",), "обе": ("2",), "трёх": ("3",), "трех": ("3",), "пяти": ("5",)},
    "uk": {"одна": ("1",), "одне": ("1",), "одного": ("1",), "одну": ("1",), "дві": ("2",), "двох": ("2",),
           "двома": ("2",), "обидва": ("2",), "обидві": ("2",), "трьох": ("3",)},
    "tr": {"ilk": ("1",), "çift": ("2",), "yarım": ("0.5",)},
    "ko": {"한": ("1",), "두": ("2",), "세": ("3",), "네": ("4",), "첫": ("1",), "하나의": ("1",), "두배": ("2",),
           "절반": ("0.5", "2", "50%"), "단일": ("1",), "양쪽": ("2",)},
}
# Single characters that count without being numerals: 双 is a pair, 半 a half, 倍 twice.
CJK_COUNTS: dict[str, tuple[str, ...]] = {
    **dict.fromkeys("双雙両对對", ("2",)), "半": ("0.5", "2", "50%"), "倍": ("2",), "单": ("1",), "單": ("1",),
    "首": ("1",), "初": ("1",), "つ": ("1",), "季": ("4",), "打": ("12",), "全": ("100%",),
    **dict(zip("①②③④⑤⑥⑦⑧⑨", (tuple(str(n)) for n in range(1, 10)))),
}


@cache
def words(language: str) -> dict[str, tuple[str, ...]]:
    """The number words of a language, lower case, with what they may stand for; empty where none are known."""
    base = re.split("[-_]", language.lower())[0]
    counting = {word: (str(value),) for value, word in enumerate(_COUNTING.get(base, "").split("|")) if word}
    return counting | _OTHERS.get(base, {})


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
