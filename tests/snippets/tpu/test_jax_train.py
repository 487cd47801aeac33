"""Eight devices take the step that one takes, each on its rows, and sum their gradients."""

import jax
import jax.numpy as jnp
import pytest

from snippets.tpu import jax_train as snippet

pytestmark = pytest.mark.env("jax")


def test_each_device_has_its_rows_and_all_the_weights() -> None:
    weights, inputs, targets = snippet.shard()
    assert jax.device_count() > 1
    for array in (inputs, targets):
        assert {shard.data.shape[0] for shard in array.addressable_shards} == {32 // jax.device_count()}
    assert all(weight.is_fully_replicated for weight in weights.values())


def test_the_step_is_that_of_one_device() -> None:
    ours, our_loss = snippet.step(*snippet.shard())
    theirs, their_loss = snippet.step(snippet.parameters(), *snippet.batch())
    assert jnp.allclose(our_loss, their_loss, rtol=1e-5)
    for name in theirs:
        assert jnp.allclose(ours[name], theirs[name], atol=1e-6)
        assert not jnp.allclose(ours[name], snippet.parameters()[name], atol=1e-4)


def test_gradients_are_summed_over_the_devices() -> None:
    assert snippet.collectives(*snippet.shard()) >= 1
    assert snippet.collectives(snippet.parameters(), *snippet.batch()) == 0


def test_the_loss_falls() -> None:
    weights, inputs, targets = snippet.shard()
    losses = []
    for _ in range(20):
        weights, loss = snippet.step(weights, inputs, targets)
        losses.append(float(loss))
    assert losses[-1] < losses[0] / 2
