"""XLA gives the eager logits from a program of its own, one for every shape, and padding changes none of them."""

import pytest
import tensorflow as tf

from snippets.xla import tensorflow_jit as snippet

pytestmark = pytest.mark.env("tf")


@pytest.fixture(scope="module")
def model() -> object:
    return snippet.tiny_model()


def test_the_logits_are_the_eager_ones(model: object) -> None:
    ids = snippet.tokens()
    logits = snippet.compiled(model)(ids, tf.ones_like(ids))
    assert snippet.largest_difference(logits, model(ids).logits) < 1e-5


def test_it_is_a_program_of_xla(model: object) -> None:
    assert snippet.program(model, snippet.tokens()).startswith("HloModule")


def test_every_shape_is_compiled_unless_it_is_padded(model: object) -> None:
    plain, padded = snippet.compiled(model), snippet.compiled(model)
    for length in (16, 17, 50):
        ids = snippet.tokens(2, length)
        plain(ids, tf.ones_like(ids))
        padded(*snippet.pad(ids))
    assert plain.experimental_get_tracing_count() == 3
    assert padded.experimental_get_tracing_count() == 1


def test_padding_with_its_mask_changes_no_logits_and_without_one_it_does(model: object) -> None:
    ids = snippet.tokens(2, 17)
    padded, mask = snippet.pad(ids)
    assert padded.shape == (2, 64)
    logits, expected = snippet.compiled(model), model(ids).logits
    assert snippet.largest_difference(logits(padded, mask)[:, :17], expected) < 1e-5
    assert snippet.largest_difference(logits(padded, tf.ones_like(mask))[:, :17], expected) > 1e-3
