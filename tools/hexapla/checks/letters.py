"""Which letters a language is written with, and which words give English away."""

import re
from functools import cache

HAN = "\u3005-\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003134f"
KANA = "\u3041-\u3096\u309d-\u309f\u30a1-\u30fa\u30fd-\u30ff\u31f0-\u31ff"

# The letters of the languages that are not written in Latin; by the first part of the language's code.
SCRIPTS: dict[str, str] = {
    "zh": HAN, "yue": HAN, "ja": HAN + KANA, "ko": "\uac00-\ud7a3\u1100-\u11ff\u3131-\u318e",
    **dict.fromkeys(("ru", "uk", "be", "bg", "sr", "mk", "kk", "ky", "mn"), "\u0400-\u052f"),
    **dict.fromkeys(("hi", "mr", "ne"), "\u0900-\u097f"),
    "bn": "\u0980-\u09ff", "pa": "\u0a00-\u0a7f", "gu": "\u0a80-\u0aff", "ta": "\u0b80-\u0bff",
    "te": "\u0c00-\u0c7f", "kn": "\u0c80-\u0cff", "ml": "\u0d00-\u0d7f", "si": "\u0d80-\u0dff",
    "th": "\u0e00-\u0e7f", "lo": "\u0e80-\u0eff", "my": "\u1000-\u109f", "ka": "\u10a0-\u10ff", "km": "\u1780-\u17ff",
    **dict.fromkeys(("ar", "fa", "ur"), "\u0600-\u06ff\u0750-\u077f"),
    "he": "\u0590-\u05ff", "el": "\u0370-\u03ff\u1f00-\u1fff", "hy": "\u0530-\u058f", "am": "\u1200-\u137f",
}

# Words that no other language of a documentation has in common with English.
FUNCTION_WORDS = frozenset({
    "the", "of", "and", "to", "is", "are", "was", "were", "be", "been", "this", "that", "these", "those", "with",
    "for", "from", "you", "your", "we", "our", "they", "their", "it", "its", "which", "when", "where", "how",
    "what", "why", "who", "will", "would", "can", "could", "should", "must", "have", "has", "had", "does", "not",
    "if", "then", "than", "because", "while", "but", "there", "here", "into", "about", "after", "before", "between",
    "each", "every", "other", "such", "only", "also", "just", "by", "as", "at", "an", "or", "on", "in", "do",
    "let's", "don't", "it's", "you're", "we're", "i'm", "isn't", "can't",
})


@cache
def own_letters(language: str) -> re.Pattern[str] | None:
    """One letter of the language's own script; None for a language written in Latin."""
    letters = SCRIPTS.get(re.split("[-_]", language.lower())[0])
    return re.compile(f"[{letters}]") if letters else None


@cache
def is_chinese(language: str) -> bool:
    """Whether the code is one of Chinese, in either script."""
    return re.split("[-_]", language.lower())[0] in {"zh", "yue"}


@cache
def is_traditional(language: str) -> bool:
    """Whether the code is one of Chinese in Traditional characters: zh-Hant, zh-TW, zh-HK, zh-MO."""
    parts = re.split("[-_]", language.lower())
    return parts[0] == "yue" or (parts[0] == "zh" and not {"hant", "tw", "hk", "mo"}.isdisjoint(parts[1:]))
