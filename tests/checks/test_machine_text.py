"""The lexicon of what machines say about their own work."""

import pytest
from hexapla.checks.rules.text.machine_text import WEIGHTS, normalize_text, read_lexicon, read_table

LANGUAGES = read_table().keys() - {"licences"}


@pytest.mark.parametrize("language", sorted(LANGUAGES))
def test_a_word_is_written_as_a_text_is_normalized(language: str) -> None:
    """A word with a capital or a comma would never be found."""
    for subject, words in read_lexicon(language):
        assert subject in WEIGHTS
        for word in words:
            assert word.strip() == normalize_text(word).strip(), f"{language}: {word!r} of {subject} is never found"


@pytest.mark.parametrize("language", sorted(LANGUAGES))
def test_no_word_of_a_subject_holds_another(language: str) -> None:
    """Two words of a subject weigh more than one: a word inside another would count twice."""
    for subject, words in read_lexicon(language):
        for word in words:
            assert not [other for other in words if other != word and other in word], f"{language}: {subject} {word!r}"


def test_licences_name_subjects() -> None:
    """Only rare subjects need a licence: the others never suffice."""
    assert all(WEIGHTS[subject] > 1 for subject, _ in read_lexicon("licences"))
