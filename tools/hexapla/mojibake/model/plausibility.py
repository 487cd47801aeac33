"""Measure how plausible a text is as written text, without a language model.

A character is usual when a national standard has it, and common when every few sentences of its language have it.
Misread text is full of characters that are neither.
"""

import re
from collections import Counter
from collections.abc import Sequence
from functools import cache

from hexapla.languages import is_ideograph

_STANDARDS = ("gb2312", "shift_jis", "euc_kr", "koi8_r", "iso8859_7")
# Latin-1's letters and Latin Extended-A, with what Romanian and Vietnamese add.
_EUROPEAN = "".join(map(chr, (*range(0xC0, 0xD7), *range(0xD8, 0xF7), *range(0xF8, 0x180)))) + "ȘșȚțơưƠƯ"
_ACCENTS = "\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u017fȘșȚțơưƠƯ"  # the same in a set of an expression
_MARKS = "“”‘’—–…·™×«»¿¡→←↔\u00a0、。，．：；？！（）「」『』【】《》〈〉ー～・〓\u3000✅❌⚠ℹ\ufe0f\u200d\u20e3"
_HANZI = (
    "的一是不了在人有我他这个们中来上大为和国地到以说时要就出会可也你对生能而子那得于着下自之年过发后作里"
    "用道行所然家种事成方多经么去法学如都同现当没动面起看定天分还进好小部其些主样理心她本前开但因只从想实"
    "日军者意无力它与长把机十民第公此已工使情明性知全三又关点正业外将两高间由问很最重并物手应战向头文体政"
    "美相见被利什二等产或新己制身果加西斯月话合回特代内信表化老给世位次度门任常先海通教儿原东声提立及比员"
    "解水名真论处走义各入几口认条平系气题活尔更别打女变四神总何电数安少报才结反受目太量再感建务做接必场件"
    "計畫們這個來說時會國發後對學經過現當動開進無長機與間問應體見產樣實從將還點關業兩種為於參數據類檔設請"
    "训练模型参考示例运行库配置使用文件代码请求返回函数类型默认值支持需要版本安装环境内存显卡损失梯度批次单多"
)
_KANA = "".join(map(chr, (*range(0x3041, 0x3097), *range(0x30A1, 0x30FB))))
_KANJI = "日本人年大時分行者使用方法場合必要追加設定関数型定義実行開発作成例上下中前後見出自動的確認次以同処理"
_HANGUL = (
    "이다는을에가의하고은를도있지로기한서그리나사시라자어들해일과대정수인아니제보면만게장스여으전부국적상"
    "우오소주와성공조동경계원안되문구없용때무등세비러할신선던관된모미방연습니합요경함입력값음위반환생각내거"
)
_CYRILLIC = "оеаинтсрвлкмдпуяыьгзбчйхжшюцщэфъёії"
_GREEK = "αβγδεζηθικλμνξοπρσςτυφχψωάέήίόύώ"
# Hebrew, Arabic, Thai: in whole words they are what they seem. The scripts after that are in none of the codecs.
_OTHER = re.compile(r"[\u0531-\u0587\u05d0-\u05ea\u0620-\u06ff\u0e01-\u0e5b]{3,}"
                    r"|[\u0900-\u0dff\u0e80-\u10ff\u1200-\u139f\u1780-\u18af]+")
# Signs that stand by themselves, not in words: arrows, formulas, emoji, the lines of a tree or a table. The box signs
# that are single one way and double the other are left out: they are what Cyrillic looks like through cp437.
_SIGNS = ("\u00a0-\u00a9\u00ab-\u00b4\u00b6-\u00b9\u00bb-\u00bf\u00d7\u00f7\u2000-\u2551\u2554\u2557\u255a\u255d\u2560"
          "\u2563\u2566\u2569\u256c-\u2bff\ue000-\uf8ff\ufe00-\ufe0f\ufeff\U0001d400-\U0001d7ff\U0001f000-\U0001faff")
# So does a letter that is a word: a Greek one in a formula, an Italian "è".
_GAP = "\x00-/:-@\\[-`{-~"      # what is ASCII, but no letter and no digit
_ALONE = re.compile(f"(?<![^{_GAP}])(?:[{_SIGNS}]+|[\u0391-\u03c9µªº{_ACCENTS}])(?![^{_GAP}])")
_COMMON = frozenset(_MARKS + _HANZI + _KANA + _KANJI + _HANGUL + _CYRILLIC + _CYRILLIC.upper()[:1] + _GREEK)
_MANY = re.compile(r"[^\x00-\x7f]")
# One or two accented letters stand beside a plain one; where more stand together, it is Vietnamese or garbled.
_ACCENTED = re.compile(
    f"(?<=[A-Za-z])[{_ACCENTS}\u1ea0-\u1ef9]{{1,2}}(?![^\x00-\x7f\u1ea0-\u1ef9ơưđ])"
    f"|(?<![^\x00-\x7f])[{_ACCENTS}\u1ea0-\u1ef9]{{1,2}}(?=[A-Za-z])"
)
# One of these is in all that _OTHER, _MIXED and _ACCENTED find.
_IN_WORDS = re.compile(f"[\u0370-\u139f\u1780-\u18af\u1ea0-\u1ef9{_ACCENTS}]")
_EMOJI = re.compile("[\U0001f300-\U0001faff\u2600-\u27bf]")

UNCOMMON = 0.25    # share of common characters from which on a text is taken to be written as it is
CLEAN = 0.55       # share of common characters from which on only the shape of UTF-8 makes a text suspect
FOREIGN = 0.1      # the share of its ideographs that a Japanese text may borrow
SAMPLE = 6000      # characters of lines with non-ASCII ones that are looked at
# About the bits that a character of each kind costs in text of its language, single characters in a row.
_BITS = {
    **dict.fromkeys(map(chr, range(128)), 5.0), **dict.fromkeys(_CYRILLIC + _CYRILLIC.upper() + _GREEK, 5.0),
    **dict.fromkeys(_EUROPEAN, 8.0), **dict.fromkeys("äöüéèàáíóúñçışğ", 7.5),
    **dict.fromkeys(_KANA, 7.0), **dict.fromkeys(_HANGUL, 8.0),
    **dict.fromkeys(_HANZI + _KANJI, 9.0), **dict.fromkeys(_MARKS, 8.0),
}
RARE, _USUAL = 18.0, 13.0


@cache
def usual_characters() -> frozenset[str]:
    """The characters that national standards hold, all Hangul syllables, accented European letters, and emoji."""
    ranges = (range(0x370, 0x1FFF), range(0x2010, 0x27C0), range(0x3000, 0xAC00), range(0xFF00, 0xFF61))
    pairs = b" ".join(bytes((one, two)) for one in range(0x81, 0xFF) for two in range(0x40, 0xFF))
    held = {character for codec in _STANDARDS for character in pairs.decode(codec, "ignore")}
    held &= {chr(code) for codes in ranges for code in codes}
    return frozenset(held.union(_EUROPEAN, _MARKS, map(chr, range(0xAC00, 0xD7A4)), map(chr, range(0x1F300, 0x1FB00))))


# Words are of one alphabet: a Cyrillic letter in the middle of a Latin word is a misread accent.
_MIXED = re.compile(r"[\u0370-\u045f](?=[A-Za-z])|(?<=[A-Za-z])[\u0370-\u045f]")
# The commonest vowels: in running text about every third letter is one of them, and no letter is every fourth.
_ALPHABETS = ((re.compile(r"[\u0400-\u045f]"), frozenset("оеаиОЕАИіІ")),
              (re.compile(r"[\u0370-\u03ff]"), frozenset("αεοιηάέόίήΑΕΟΙΗ")))


def _misread_letters(often: Counter[str]) -> int:
    """How many of some characters are letters of an alphabet whose vowels and consonants are not mixed as in words."""
    wrong = 0
    for alphabet, vowels in _ALPHABETS:
        letters = {sign: times for sign, times in often.items() if alphabet.match(sign)}
        total = sum(letters.values())
        if total < 30:
            continue
        open_letters = sum(times for sign, times in letters.items() if sign in vowels)
        if not 0.2 * total <= open_letters <= 0.6 * total or max(letters.values()) > 0.3 * total:
            wrong += sum(times for sign, times in letters.items() if sign in _COMMON)
    return wrong


def _misread_kana(often: Counter[str]) -> int:
    """How many kana are misread: one of them is every fifth, as nothing is in Japanese, or they stand among ideographs
    that Japanese does not have: EUC-JP read as GBK, which keeps the kana.
    """
    each = [times for sign, times in often.items() if "ぁ" <= sign <= "ん" or "ァ" <= sign <= "ヴ"]
    kana = sum(each)
    if kana >= 30 and max(each) > 0.2 * kana:
        return kana
    han = {sign: times for sign, times in often.items() if is_ideograph(sign)}
    total = sum(han.values())
    if kana * 8 < total:
        return 0
    foreign = sum(times for sign, times in han.items() if not sign.encode("shift_jis", "ignore"))
    return kana if foreign > FOREIGN * total else 0


@cache
def _everyday_characters() -> tuple[frozenset[str], ...]:
    """The signs, letters and commonest ideographs of four national standards: the rows that hold their first level."""
    rows = (("gb2312", 0xD7, 0xA1), ("euc_jp", 0xCF, 0xA1), ("big5", 0xC6, 0x40), ("euc_kr", 0xC8, 0xA1))
    return tuple(
        frozenset("".join(bytes((row, cell)).decode(codec, "ignore") for row in range(0xA1, last + 1)
                          for cell in range(first, 0xFF)))
        for codec, last, first in rows
    )


def share_everyday(characters: Sequence[str]) -> float:
    """The share, 0 to 1, that the first level of one national standard holds, of that which holds most."""
    often = Counter(characters)
    most = max(sum(times for sign, times in often.items() if sign in level) for level in _everyday_characters())
    return most / max(len(characters), 1)


def count_non_ascii(text: str) -> int:
    return 0 if text.isascii() else len(text) - len(text.encode("ascii", "ignore"))


def share_common(text: str) -> float:
    """The share of common characters among the non-ASCII ones, 0 to 1; 1.0 for a text that has none."""
    shown = non_ascii_lines(text, SAMPLE)
    total = count_non_ascii(shown)
    if not total:
        return 1.0
    alone = _ALONE.findall(shown)
    if alone:
        shown = _ALONE.sub(" ", shown)
    often = Counter(shown)
    common = sum(map(len, alone)) + sum(times for sign, times in often.items() if sign in _COMMON)
    common -= _misread_kana(often)
    if _IN_WORDS.search("".join(often)):
        common -= _misread_letters(often)
        common += sum(map(len, _OTHER.findall(shown))) - len(_MIXED.findall(shown))
        common += sum(map(len, _ACCENTED.findall(shown)))
    common += sum(often[sign] for sign in _EMOJI.findall("".join(often)))
    return max(0.0, min(1.0, common / total))


def share_letters(text: str) -> float:
    """The share of letters among the non-ASCII characters, 0 to 1."""
    characters = _MANY.findall(non_ascii_lines(text, SAMPLE))
    return sum(map(str.isalpha, characters)) / max(len(characters), 1)


# A capital after a small letter, or a sign between letters: in no word, and in every second one of random letters.
_INSIDE = re.compile("(?<=[A-Za-z\u00c0-\u1fff])[^\x00-\x7f]([A-Za-z\u00c0-\u1fff])?")
_JOINTS = frozenset("’‘“”«»–—…·\u00a0\u00ad")


def count_torn(text: str) -> int:
    """How many non-ASCII characters no word has where they stand: signs and capitals inside words."""
    return sum(1 for found in _INSIDE.finditer(text) if (
        text[found.start() - 1].islower() if found[0][0].isupper() else
        found[1] and not found[0][0].isalpha() and found[0][0] not in _JOINTS))


def estimated_bits(text: str) -> float:
    """Estimate the bits of a text when each character is coded by its kind: a misreading takes more."""
    held = usual_characters()
    often = Counter(text).items()
    return sum(times * (_BITS.get(sign) or (_USUAL if sign in held else RARE)) for sign, times in often)


def non_ascii_lines(text: str, size: int) -> str:
    """The lines that hold non-ASCII characters, up to about so many characters."""
    out, taken = [], 0
    for line in text.split("\n"):
        if not line.isascii():
            out.append(line[:size])
            taken += len(line)
            if taken >= size:
                break
    return "\n".join(out)
