"""Word frequencies in general text, from the wordfreq package, for languages with few or no clean pages.

wordfreq: Robyn Speer, https://github.com/rspeer/wordfreq (Apache-2.0); its lists are read if it is installed.
"""

from functools import cache
from importlib.util import find_spec

MOST = 100_000    # words a language: those beyond are rarer than one in some million


def available() -> bool:
    """Whether wordfreq is installed."""
    return find_spec("wordfreq") is not None


@cache
def words(language: str) -> dict[str, float]:
    """The words of a language that hold no ASCII, each with its share of running text; none without a list."""
    if not available():
        return {}
    import wordfreq

    if language not in wordfreq.available_languages("best"):
        return {}
    listed = wordfreq.get_frequency_dict(language, wordlist="best")
    found = ((word, share) for word, share in listed.items() if min(word) >= "\x80")
    return dict(sorted(found, key=lambda pair: -pair[1])[:MOST])
