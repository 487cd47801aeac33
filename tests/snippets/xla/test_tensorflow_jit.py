"""XLA gives the eager logits from a program of its own, one for every shape."""

import pytest
import tensorflow as tf

from snippets.xla import tensorflow_jit as snippet

pytestmark = pytest.mark.env("tf")


@pytest.fixture(scope="module")
def model() -> object:
    return snippet.tiny_model()


def test_the_logits_are_the_eager_ones(model: object) -> None:
    logits = snippet.compiled(model)(snippet.tokens())
    assert float(tf.reduce_max(tf.abs(logits - model(snippet.tokens()).logits))) < 1e-5


def test_it_is_a_program_of_xla(model: object) -> None:
    assert snippet.program(model, snippet.tokens()).startswith("HloModule")


def test_every_shape_is_compiled_unless_it_is_padded(model: object) -> None:
    plain, padded = snippet.compiled(model), snippet.compiled(model)
    for length in (16, 17, 50):
        plain(snippet.tokens(2, length))
        padded(snippet.pad(snippet.tokens(2, length)))
    assert plain.experimental_get_tracing_count() == 3
    assert padded.experimental_get_tracing_count() == 1
