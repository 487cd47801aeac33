"""Words that give English away in a page of another language."""

from hexapla.languages import base
from hexapla.yaml_text import load_table

FUNCTION_WORDS, ENGLISH_WORDS, HEADING_WORDS, HEADINGS_ALONE = (
    frozenset(words.split()) for words in load_table(__package__, "english_words.yml").values())
OTHER_THAN_TION = frozenset({"ca", "es", "it", "nl", "pl", "pt", "ro", "tr"})


def is_english(word: str, language: str) -> bool:
    """Whether a heading's word, in lower case, is certainly no word of a language written in Latin."""
    if word in HEADINGS_ALONE or word.endswith("ization"):
        return True
    return word.endswith(("tion", "tions")) and base(language) in OTHER_THAN_TION
