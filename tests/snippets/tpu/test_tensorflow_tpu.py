"""Without a TPU the default strategy stands in; shapes are one with padding, which its mask hides from the model."""

import contextlib
from types import SimpleNamespace

import pytest
import tensorflow as tf
from transformers import TFBertForSequenceClassification

from snippets.tpu import tensorflow_tpu as snippet

pytestmark = pytest.mark.env("tf")


def test_where_there_is_no_tpu_the_default_strategy_stands_in() -> None:
    if tf.config.list_logical_devices("TPU"):
        pytest.skip("there is a TPU here")
    assert snippet.choose_strategy() is tf.distribute.get_strategy()


def test_padded_batches_have_one_shape_and_others_many() -> None:
    shapes = {
        fixed: {tuple(inputs["input_ids"].shape) for inputs, _ in snippet.dataset(*snippet.rows(), fixed=fixed)}
        for fixed in (True, False)
    }
    assert shapes[True] == {(8, 16)}
    assert len(shapes[False]) > 1


def test_a_padded_row_has_the_logits_that_it_has_alone() -> None:
    tf.keras.utils.set_random_seed(0)
    model, (tokens, labels) = TFBertForSequenceClassification(snippet.tiny_config()), snippet.rows()
    inputs, _ = next(iter(snippet.dataset(tokens, labels)))
    padded = model(inputs, training=False).logits
    assert {len(row) for row in tokens[:8]} - {16}
    for row, logits in zip(tokens, padded, strict=False):
        alone = model(tf.constant([row]), training=False).logits[0]
        tf.debugging.assert_near(logits, alone, atol=1e-5)


@pytest.mark.parametrize("on_tpu", [True, False])
def test_a_tpu_is_not_told_to_compile(monkeypatch: pytest.MonkeyPatch, on_tpu: bool) -> None:
    class Strategy:
        scope = staticmethod(contextlib.nullcontext)

    class Model:
        def __init__(self, config: object) -> None:
            assert config

        def compile(self, **options: object) -> None:
            compiled.append(options["jit_compile"])

        def fit(self, *_: object, **__: object) -> SimpleNamespace:
            return SimpleNamespace(history={"loss": []})

    compiled: list[object] = []
    monkeypatch.setattr(snippet, "TFBertForSequenceClassification", Model)
    monkeypatch.setattr(tf.distribute, "TPUStrategy", Strategy if on_tpu else type(None))
    snippet.train(Strategy(), snippet.tiny_config(), None)
    assert compiled == [not on_tpu]


def test_the_loss_falls() -> None:
    tf.keras.utils.set_random_seed(0)
    data = snippet.dataset(*snippet.rows())
    losses = snippet.train(snippet.choose_strategy(), snippet.tiny_config(), data, epochs=8)
    assert losses[-1] < losses[0] / 2
