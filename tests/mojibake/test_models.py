"""The language model is a distribution, and its cache gives back what was built."""

import random
from pathlib import Path

import numpy as np
import pytest
from hexapla.mojibake import Corpus, repair
from hexapla.mojibake.encodings.encoding_chain import C1, SOFT_HYPHEN, EncodingChain, Layer, garble_text
from hexapla.mojibake.model import forward_backward, model_store, wordlists
from hexapla.mojibake.model.gram_counts import FIRST_CHARACTER, LINE, UNKNOWN, WORD, Vocabulary
from hexapla.mojibake.model.model_store import build_model, load_counts
from hexapla.mojibake.model.models import MODELS, built_model
from hexapla.mojibake.model.ngrams import UNSEEN
from hexapla.mojibake.model.script_languages import language_of


@pytest.mark.parametrize("words", [{}, {"内存": 0.01, "模型": 0.02, "显示": 0.005}], ids=["pages", "pages and words"])
def test_probabilities_add_up_to_one_in_every_context(page: str, words: dict[str, float]) -> None:
    model = build_model([page], words)
    known = np.unique(model.automaton.token[model.automaton.first[0]:model.automaton.first[1]])
    for context in ("", "训", "训练", "内存的限"):
        state = 0
        for token in model.vocabulary.encode(context):
            _, state = forward_backward.read_token(model.automaton, state, int(token))
        total = sum(forward_backward.read_token(model.automaton, state, int(token))[0] for token in known if token != 1)
        unseen = UNSEEN * forward_backward.read_token(model.automaton, state, UNKNOWN)[0]
        assert total <= 1.0 + 1e-6
        assert total + unseen >= 0.8


def test_what_was_read_is_likelier_than_what_was_not(page: str) -> None:
    model = build_model([page], {})
    vocabulary = model.vocabulary
    _, state = forward_backward.read_token(model.automaton, 0, int(vocabulary.encode_each("训")[0]))
    seen, _ = forward_backward.read_token(model.automaton, state, int(vocabulary.encode_each("练")[0]))
    unseen, _ = forward_backward.read_token(model.automaton, state, int(vocabulary.encode_each("存")[0]))
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
    monkeypatch.setattr(wordlists, "has_wordlists", lambda: True)
    monkeypatch.setattr(wordlists, "words_of_language", lambda language: {"内存": 0.01})
    assert Corpus([page], tmp_path).model("zh") is not None
    monkeypatch.setattr(wordlists, "words_of_language", lambda language: pytest.fail("the list was read again"))
    built_model.cache_clear()
    assert Corpus([page], tmp_path).model("zh") is not None


def test_a_language_with_neither_pages_nor_words_has_no_model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wordlists, "has_wordlists", lambda: True)
    monkeypatch.setattr(wordlists, "words_of_language", lambda language: {})
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
    if not wordlists.has_wordlists():
        pytest.skip("wordfreq is not installed (extra [repair])")
    assert "的" in wordlists.words_of_language("zh")
    assert wordlists.words_of_language("xx") == {}


def pages_of(sentences: list[str], number: int) -> list[str]:
    """So many pages of the sentences, each in another order."""
    return ["\n".join(sentences[page % len(sentences):] + sentences[:page % len(sentences)]) for page in range(number)]


SENTENCES = [
    "모델의 매개변수와 기울기는 메모리에 저장됩니다.", "학습에는 추론보다 더 많은 메모리가 필요합니다.",
    "배치를 나누어 기울기를 누적하면 결과는 같습니다.", "혼합 정밀도는 절반의 비트로 계산합니다.",
]
DROPPED = EncodingChain((Layer("latin-1", lost=(*C1, SOFT_HYPHEN)),))


def test_pages_of_signs_in_no_order_change_nothing_of_a_repair() -> None:
    dice = random.Random(1)
    known = "".join(sorted(set("".join(SENTENCES))))
    noise = ["".join(dice.choices(known, k=4000)) for _ in range(10)]
    broken = garble_text("\n".join(SENTENCES), DROPPED)
    assert repair(broken, Corpus(noise), guess=True).text == repair(broken, Corpus(), guess=True).text


def test_pages_that_foretell_one_another_weigh_more_than_other_text(monkeypatch: pytest.MonkeyPatch) -> None:
    coined = [sentence.replace("메모리", "뷁쀍").replace("기울기", "궯똠") for sentence in SENTENCES]
    likelihoods = []
    for weights in (model_store.WEIGHTS, (1.0,)):
        monkeypatch.setattr(model_store, "WEIGHTS", weights)
        model = build_model(pages_of(coined, 10), {}, load_counts(MODELS / "ko.npz"))
        tokens = model.vocabulary.encode(coined[2] + coined[1])
        likelihoods.append(forward_backward.measure_likelihood(model.automaton, tokens))
    assert likelihoods[0] > likelihoods[1]


@pytest.mark.parametrize(("text", "share"), [
    ("Générer un accès déjà validé, très général", 1.0), ("L’été, l’étape d’après, l’élève – l’idée", 1.0),
    ("g©n©rer un acc¨s d©j\u00a0 valid©, tr¨s g©n©ral", 0.0), ("prأ?parer, rأ?pondre, vأ?rifier, crأ?er, rأ?el", 0.0),
])
def test_signs_inside_words_are_those_of_no_language(text: str, share: float) -> None:
    if not wordlists.has_wordlists():
        pytest.skip("wordfreq is not installed (extra [repair])")
    assert wordlists.share_of_known_words(text) == share
