"""The language model is a distribution, and its cache gives back what was built."""

from pathlib import Path

import numpy as np
import pytest
from hexapla.mojibake import Corpus, kernels, wordlists
from hexapla.mojibake.languages import language_of
from hexapla.mojibake.model_store import build_model
from hexapla.mojibake.models import built_model
from hexapla.mojibake.ngrams import UNSEEN
from hexapla.mojibake.tokens import FIRST_CHARACTER, LINE, UNKNOWN, WORD, Vocabulary


@pytest.mark.parametrize("words", [{}, {"内存": 0.01, "模型": 0.02, "显示": 0.005}], ids=["pages", "pages and words"])
def test_probabilities_add_up_to_one_in_every_context(page: str, words: dict[str, float]) -> None:
    model = build_model([page], words)
    known = np.unique(model.automaton.token[model.automaton.first[0]:model.automaton.first[1]])
    for context in ("", "训", "训练", "内存的限"):
        state = 0
        for token in model.vocabulary.encode(context):
            _, state = kernels.step(model.automaton, state, int(token))
        total = sum(kernels.step(model.automaton, state, int(token))[0] for token in known if token != 1)
        unseen = UNSEEN * kernels.step(model.automaton, state, UNKNOWN)[0]
        assert total <= 1.0 + 1e-6
        assert total + unseen >= 0.8


def test_what_was_read_is_likelier_than_what_was_not(page: str) -> None:
    model = build_model([page], {})
    vocabulary = model.vocabulary
    _, state = kernels.step(model.automaton, 0, int(vocabulary.each("训")[0]))
    seen, _ = kernels.step(model.automaton, state, int(vocabulary.each("练")[0]))
    unseen, _ = kernels.step(model.automaton, state, int(vocabulary.each("存")[0]))
    assert seen > 10 * unseen


def test_the_cache_gives_the_same_model_and_survives_damage(tmp_path: Path, page: str) -> None:
    built = Corpus([page], tmp_path, listed=False).model("zh")
    (path,) = tmp_path.iterdir()
    built_model.cache_clear()
    loaded = Corpus([page], tmp_path, listed=False).model("zh")
    assert built is not None and loaded is not None
    assert np.array_equal(built.automaton.probability, loaded.automaton.probability)
    path.write_bytes(b"damaged")
    built_model.cache_clear()
    again = Corpus([page], tmp_path, listed=False).model("zh")
    assert again is not None
    assert np.array_equal(built.automaton.probability, again.automaton.probability)


def test_a_kept_model_needs_no_word_list(tmp_path: Path, page: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wordlists, "available", lambda: True)
    monkeypatch.setattr(wordlists, "words", lambda language: {"内存": 0.01})
    assert Corpus([page], tmp_path).model("zh") is not None
    monkeypatch.setattr(wordlists, "words", lambda language: pytest.fail("the list was read again"))
    built_model.cache_clear()
    assert Corpus([page], tmp_path).model("zh") is not None


def test_a_language_with_neither_pages_nor_words_has_no_model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wordlists, "available", lambda: True)
    monkeypatch.setattr(wordlists, "words", lambda language: {})
    assert Corpus([], tmp_path).model("el") is None
    assert not list(tmp_path.iterdir())


def test_another_page_makes_another_model(tmp_path: Path, page: str, draft: str) -> None:
    Corpus([page], tmp_path, listed=False).model("zh")
    Corpus([page, draft], tmp_path, listed=False).model("zh")
    assert len(list(tmp_path.iterdir())) == 2


def test_ascii_runs_are_one_token_and_characters_their_own() -> None:
    vocabulary = Vocabulary("中文")
    assert vocabulary.encode("GPUs中文\n\n").tolist() == [WORD, FIRST_CHARACTER, FIRST_CHARACTER + 1, LINE]


@pytest.mark.parametrize(("text", "language"), [
    ("训练模型", "zh"), ("モデルを学習する", "ja"), ("모델을 학습", "ko"), ("Обучение", "ru"),
    ("déjà vu", "latin"), ("", "latin"),
])
def test_the_script_tells_the_language(text: str, language: str) -> None:
    assert language_of(text) == language


def test_a_language_without_pages_is_known_by_its_words() -> None:
    if not wordlists.available():
        pytest.skip("wordfreq is not installed (extra [repair])")
    assert "的" in wordlists.words("zh")
    assert wordlists.words("xx") == {}
