"""What numbers are called: scales, percent signs and number words of the languages. Tables, and one reader of them.

Scales of the East Asian languages go by 10^4 (Unicode Technical Standard 35, CLDR `decimalFormat-long` patterns);
milliard and its kin are 10^9 and German Billion 10^12 (CLDR, the same patterns).
"""

from functools import cache

from hexapla.languages import base

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
    **dict.fromkeys(("million", "millions", "millionen", "millón", "millones", "milhão", "milhões", "milione",
                     "milioni", "миллион", "миллиона", "миллионов", "млн", "мільйон", "мільйона", "мільйони",
                     "мільйонів", "milyon", "triệu", "मिलियन", "mn", "mio"), 10**6),
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

# Number words, in the order of the numbers they stand for, from nought.
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
# Other words, as numbers=words; a number with % is a part of the whole.
_OTHERS = {
    "en": (
        "1=a an single once first another other january jan; 2,3,4,5=couple few several handful; "
        "2=both pair dual twice double doubles "
        "square squares squared quadratic quadratically "
        "doubled second february feb; 3=triple trio third thirds march mar; 4=fourth april apr; "
        "4,0.25,25%=quarter; 5=fifth may; 0.5,2,50%=half halves; 2,50%=halved; 12=dozen december dec; "
        "30=thirty; 40=forty; 50=fifty; 60=sixty; 80=eighty; 100=hundred hundreds; 1000=thousand thousands; "
        "1000000=million millions; 1000000000=billion billions; 0=zeroth; 100%=percent; 6=sixth june jun; "
        "7=seventh july jul; 8=eighth august aug; 10=tenth october oct decade decades; 9=september sep; "
        "11=november nov; 0=zeros; 1=ones; 10=tens"
    ),
    "de": "1=ein eine einen einem einer erste ersten; 2=beide beiden zweite doppelt; 0.5=halb",
    "fr": "1=une premier première; 2=double deuxième",
    "es": "1=un una primer primera; 2=doble ambos",
    "pt": "1=uma primeiro primeira; 2=duas ambos",
    "ru": "1=одна одно одного одной; 2=две двух двумя оба обе пара пару паре; 3=трёх трех; 5=пяти",
    "uk": "1=одна одне одного одну; 2=дві двох двома обидва обидві; 3=трьох",
    "tr": "1=ilk; 2=çift; 0.5=yarım",
    "ko": "1=한 첫 하나의 단일; 2=두 두배 양쪽; 3=세; 4=네; 0.5,2,50%=절반",
}
VAGUE = frozenset({"couple", "few", "several", "handful"})  # words of _OTHERS that stand for two numbers: 2 or 3
# Single characters that count without being numerals: 双 is a pair, 半 a half, 倍 twice.
CJK_COUNTS: dict[str, tuple[str, ...]] = {
    **dict.fromkeys("双雙両对對", ("2",)), "半": ("0.5", "2", "50%"), "倍": ("2",), "单": ("1",), "單": ("1",),
    "首": ("1",), "初": ("1",), "つ": ("1",), "季": ("4",),
    **{circled: (str(value),) for value, circled in enumerate("①②③④⑤⑥⑦⑧⑨", 1)},
}


@cache
def words(language: str) -> dict[str, tuple[str, ...]]:
    """The number words of a language, lower case, with what they may stand for; empty where none are known."""
    found: dict[str, tuple[str, ...]] = {
        word: (str(value),) for value, word in enumerate(_COUNTING.get(base(language), "").split("|")) if word
    }
    for entry in filter(None, _OTHERS.get(base(language), "").split("; ")):
        values, _, names = entry.partition("=")
        for name in names.split():
            found[name] = tuple(values.split(","))
    return found


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
