"""Word frequencies in general text, from the wordfreq package, for languages with few or no clean pages.

wordfreq: Robyn Speer, https://github.com/rspeer/wordfreq (Apache-2.0); its lists are read if it is installed.
"""

import re
from functools import cache
from importlib.util import find_spec

MOST = 100_000    # words a language: those beyond are rarer than one in some million
_LETTER = "[A-Za-z\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u024f\u1e00-\u1eff]"
_ACCENTED = re.compile(_LETTER)
WORD = re.compile(rf"{_LETTER}+(?:\?+{_LETTER}+)*")     # question marks inside of one stand for lost bytes
# What no word has inside: signs and letters of other alphabets where an accented letter may have stood.
TORN = re.compile(rf"(?<={_LETTER})\??[^\x00-\x7f’‘“”«»‹›–—…·\u00a0\u00ad\u200b-\u200d]\??(?={_LETTER})")
FEW = 5         # words, from which on their share tells something
# The languages that are written in Latin letters with accents, as far as wordfreq has them.
LATIN_LANGUAGES = (
    "ca", "cs", "da", "de", "es", "fi", "fr", "hu", "is", "it", "lt", "lv",
    "nb", "nl", "pl", "pt", "ro", "sh", "sk", "sl", "sv", "tr", "vi",
)


def has_wordlists() -> bool:
    return find_spec("wordfreq") is not None


@cache
def words_of_language(language: str) -> dict[str, float]:
    """The words of a language that hold no ASCII, each with its share of running text; none without a list."""
    import wordfreq

    if language not in wordfreq.available_languages("best"):
        return {}
    listed = wordfreq.get_frequency_dict(language, wordlist="best")
    found = ((word, share) for word, share in listed.items() if min(word) >= "\x80")
    return dict(sorted(found, key=lambda pair: -pair[1])[:MOST])


@cache
def latin_words() -> frozenset[str]:
    """The common words with accented Latin letters, in small letters; none without lists, which read in 0.5 s."""
    if not has_wordlists():
        return frozenset()
    import wordfreq

    lists = (wordfreq.get_frequency_list(language, "small") for language in LATIN_LANGUAGES)
    return frozenset(word for words in lists for equally in words for word in equally if not word.isascii())


def share_of_known_words(text: str) -> float:
    """The share, 0 to 1, of a text's words with accented Latin letters that are in a list; 1 where nothing tells.

    A sign inside a word counts as a word that is in none.
    """
    words = [word.lower() for word in WORD.findall(text) if not word.isascii()]
    often = len(words) + sum(1 for sign in TORN.findall(text) if not _ACCENTED.search(sign))
    if often < FEW or not latin_words():
        return 1.0
    return sum(word in latin_words() for word in words) / often
