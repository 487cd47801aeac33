"""The compiled function gives the numbers of the plain one, from fewer operations, one program a shape."""

import jax.numpy as jnp
import pytest

from snippets.xla import jax_jit as snippet

pytestmark = pytest.mark.env("jax")

HIDDEN = jnp.linspace(-1, 1, 4 * 64).reshape(4, 64)


def test_the_numbers_are_those_of_the_plain_function() -> None:
    weights = snippet.parameters()
    plain = snippet.feed_forward(weights, HIDDEN)
    assert jnp.allclose(snippet.compiled(weights, HIDDEN), plain, atol=1e-5)
    assert jnp.abs(plain).max() > 0.1


def test_operations_are_fused() -> None:
    traced, ran = snippet.operations(HIDDEN)
    assert ran < traced / 2


def test_a_program_is_made_for_each_shape_once() -> None:
    snippet.compiled.clear_cache()
    for rows in (4, 2, 4, 2):
        snippet.compiled(snippet.parameters(), HIDDEN[:rows])
    assert snippet.compiled._cache_size() == 2
