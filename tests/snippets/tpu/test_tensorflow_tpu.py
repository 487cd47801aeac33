"""Without a TPU the default strategy stands in; shapes are one with padding, and training works under XLA."""

import pytest
import tensorflow as tf

from snippets.tpu import tensorflow_tpu as snippet

pytestmark = pytest.mark.env("tf")


def test_where_there_is_no_tpu_the_default_strategy_stands_in() -> None:
    if tf.config.list_logical_devices("TPU"):
        pytest.skip("there is a TPU here")
    assert snippet.choose_strategy() is tf.distribute.get_strategy()


def test_padded_batches_have_one_shape_and_others_many() -> None:
    assert {tuple(tokens.shape) for tokens, _ in snippet.dataset(*snippet.rows(), fixed=True)} == {(8, 16)}
    assert len({tuple(tokens.shape) for tokens, _ in snippet.dataset(*snippet.rows(), fixed=False)}) > 1


def test_the_loss_falls() -> None:
    tf.keras.utils.set_random_seed(0)
    data = snippet.dataset(*snippet.rows())
    losses = snippet.train(snippet.choose_strategy(), snippet.tiny_config(), data, epochs=8)
    assert losses[-1] < losses[0] / 2
