"""A collective takes as long as the bytes that a rank sends; a step as long as what it cannot hide."""

import pytest

from snippets.roofline import communication as snippet
from snippets.roofline import law
from snippets.train_many import traffic_70b

LINK = snippet.Link(bandwidth=100)
SHAPE = traffic_70b.LLAMA
WEIGHTS = traffic_70b.parameters(SHAPE)


def step(tokens: float, recompute: bool = False) -> snippet.Step:
    return snippet.Step(WEIGHTS, tokens, flops=1000, recompute=recompute)


def test_a_ring_sends_all_parts_but_one_of_them_twice_for_a_sum() -> None:
    assert snippet.all_gather(800, 8, LINK) == snippet.reduce_scatter(800, 8, LINK) == 7
    assert snippet.all_to_all(800, 8, LINK) == 7
    assert snippet.all_reduce(800, 8, LINK) == 14
    assert snippet.all_reduce(800, 1, LINK) == 0


def test_each_round_waits_for_a_message() -> None:
    assert snippet.all_reduce(0, 8, snippet.Link(100, latency=2)) == 28


def test_the_bytes_are_those_that_a_real_step_passes_to_its_collectives() -> None:
    """`traffic_70b` counts them; but for the embedding, and the norm before the head, each weight is gathered twice."""
    gathered = snippet.all_gather(2 * WEIGHTS, 8, LINK)
    scattered = snippet.reduce_scatter(4 * WEIGHTS, 8, LINK)
    counted = traffic_70b.sent(traffic_70b.fsdp(SHAPE), 8)
    assert 100 * (2 * gathered + scattered) == pytest.approx(counted, rel=0.01)


@pytest.mark.parametrize("checkpointing", [False, True])
def test_a_step_of_tensor_parallelism_sends_what_was_counted(checkpointing: bool) -> None:
    counted = traffic_70b.sent(traffic_70b.tensor_parallel(SHAPE, 4096, checkpointing), 8)
    one = step(4096, checkpointing)
    taken = snippet.tensor_parallel(one, 8, LINK, SHAPE.layers, SHAPE.hidden)
    assert 100 * (taken - (one.forward() + one.backward()) / 8) == pytest.approx(counted)


def test_a_step_computes_what_the_law_says() -> None:
    config = law.LLAMA_8B
    one = snippet.Step(law.used_weights(config), 8192, law.H100.flops)
    attention = 3 * 8192 * law.attention_flops(config, 4096)
    assert (one.forward() + one.backward()) * law.H100.flops + attention == pytest.approx(law.training(config, 1, 8192))


def test_checkpointing_computes_the_forward_pass_twice() -> None:
    assert step(10, recompute=True).backward() == step(10).backward() + step(10).forward()


@pytest.mark.parametrize("method", [snippet.ddp, snippet.fsdp])
def test_with_many_tokens_all_is_hidden_and_with_few_nothing_more_than_the_pass(method) -> None:
    many, few = step(1e6), step(1e-6)
    assert snippet.efficiency(many, method(many, 8, LINK)) == 1
    assert snippet.efficiency(few, method(few, 8, LINK)) < 1e-3


def test_what_ddp_cannot_hide_is_added() -> None:
    one = step(1)
    summed = snippet.all_reduce(4 * WEIGHTS, 8, LINK)
    assert snippet.ddp(one, 8, LINK) == one.forward() + max(one.backward(), summed)


@pytest.mark.parametrize(("name", "gradient"), [("DDP", 4), ("DDP in bf16", 2), ("FSDP", 4), ("FSDP", 2), ("FSDP", 1)])
def test_all_is_hidden_from_so_many_tokens_on(name: str, gradient: float) -> None:
    """With gradients of few bytes, FSDP waits for the weights of the forward pass at last."""
    method = snippet.fsdp if name == "FSDP" else snippet.ddp
    sent = (2, 2 + gradient) if name == "FSDP" else snippet.SENT[name]
    border = snippet.hidden_from(8, LINK, 1000, *sent)
    more, fewer = step(1.001 * border), step(0.999 * border)
    assert snippet.efficiency(more, method(more, 8, LINK, gradient=gradient)) == 1
    assert snippet.efficiency(fewer, method(fewer, 8, LINK, gradient=gradient)) < 1
