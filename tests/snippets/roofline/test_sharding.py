"""What is derived from a split is what ranks have to send: tried on parts of real products, and held to the steps."""

import pytest
import torch

from snippets.roofline import communication as formulas
from snippets.roofline import sharding as snippet
from snippets.train_many import traffic_70b

EQUATIONS = {"y": "ti,io->to", "dx": "to,io->ti", "dw": "ti,to->io"}
SPLIT = {"tokens": "t", "inputs": "i", "outputs": "o"}
METHODS = list(snippet.METHODS.values())
STEPS = [snippet.FORWARD, snippet.BACKWARD]
SIZES = {"t": 8, "d": 4, "f": 12, "i": 4, "o": 12}
LINK = formulas.Link(snippet.NVLINK.bandwidth)  # without the latency of its rounds
H100 = snippet.link_ridge(snippet.FLOPS, snippet.NVLINK.bandwidth)


def matrix(letters: str) -> torch.Tensor:
    return torch.randn(*(SIZES[letter] for letter in letters), dtype=torch.float64)


def parts(equation: str, along: str, left: torch.Tensor, right: torch.Tensor) -> list[torch.Tensor]:
    """What each of four ranks computes of a product that is split along a dimension."""
    letters = equation.split("->")[0].split(",")
    pieces = [tensor.chunk(4, names.index(along)) if along in names else [tensor] * 4
              for tensor, names in zip((left, right), letters, strict=True)]
    return [torch.einsum(equation, *pair) for pair in zip(*pieces, strict=True)]


@pytest.mark.parametrize("name", EQUATIONS)
@pytest.mark.parametrize("along", SPLIT)
def test_pytorch_places_a_product_as_its_parts_are(along: str, name: str) -> None:
    """Summed where the dimension vanishes, put side by side where it is left."""
    with snippet.four_ranks() as mesh:
        placements = dict(zip(EQUATIONS, snippet.products(mesh, along), strict=True))
    equation, letter = EQUATIONS[name], SPLIT[along]
    inputs, output = equation.split("->")
    left, right = map(matrix, inputs.split(","))
    found = parts(equation, letter, left, right)
    placed = placements[name]
    joined = sum(found) if placed.is_partial() else torch.cat(found, placed.dim)
    torch.testing.assert_close(joined, torch.einsum(equation, left, right))
    assert placed.is_partial() == (letter not in output)


@pytest.mark.parametrize(("along", "sharded"), METHODS)
@pytest.mark.parametrize("products", STEPS)
def test_the_ranks_compute_a_block_with_what_they_send(products, along: str, sharded: bool) -> None:
    """Four ranks with parts of random matrices: with the sums that follow, each product is that of one process."""
    names = {name for left, right, _ in products for name in (left, right)}
    whole = {name: matrix(snippet.dimensions(name)) for name in names}
    for left, right, output in products:
        letters = [snippet.dimensions(name) for name in (left, right, output)]
        equation = f"{letters[0]},{letters[1]}->{letters[2]}"
        found = parts(equation, along, whole[left], whole[right])
        summed = any(name == output for _, name in snippet.collectives([(left, right, output)], along, sharded))
        joined = sum(found) if summed else torch.cat(found, letters[2].index(along))
        whole[output] = torch.einsum(equation, whole[left], whole[right])
        torch.testing.assert_close(joined, whole[output])


def sent(along: str, sharded: bool, tokens: int, ranks: int) -> float:
    """Bytes that a rank sends in a block of `SIZES`; numbers have 2 bytes, gradients of weights 4."""
    times = {"all-gather": 2, "all-reduce": 8 if along == "t" else 4, "reduce-scatter": 4}
    sizes = SIZES | {"t": tokens}
    total = 0.0
    for products in STEPS:
        for action, name in snippet.collectives(products, along, sharded):
            first, second = snippet.dimensions(name)
            total += times[action] * sizes[first] * sizes[second]
    return total * (ranks - 1) / ranks


def test_the_bytes_of_a_block_are_those_of_the_formulas() -> None:
    weights, link = 2 * 4 * 12, formulas.Link(1)
    step = formulas.Step(weights, 8, float("inf"))
    assert sent("t", False, 8, 4) == formulas.ddp(step, 4, link)
    assert sent("t", True, 8, 4) == formulas.fsdp(step, 4, link)
    # A transformer's layer has two blocks.
    assert 2 * sent("f", False, 8, 4) == formulas.tensor_parallel(step, 4, link, 1, 4)


@pytest.mark.parametrize(("method", "bytes_sent"), [(formulas.ddp, 8), (formulas.fsdp, 6)])
def test_from_so_many_tokens_on_all_is_hidden(method, bytes_sent: float) -> None:
    border = snippet.tokens_to_hide(bytes_sent, 8, H100)
    more, fewer = (formulas.Step(1e9, border * times, snippet.FLOPS) for times in (1.001, 0.999))
    assert formulas.efficiency(more, method(more, 8, LINK)) == pytest.approx(1)
    assert formulas.efficiency(fewer, method(fewer, 8, LINK)) < 0.9999


def test_at_half_ranks_a_layer_computes_as_long_as_it_sums() -> None:
    layer, hidden, link = 1e8, 1000, formulas.Link(1e9)
    ranks = snippet.half_ranks(layer, hidden, snippet.link_ridge(snippet.FLOPS, link.bandwidth))
    step = formulas.Step(layer, 64, snippet.FLOPS)
    assert formulas.tensor_parallel(step, ranks, link, 1, hidden) == pytest.approx(
        2 * (step.forward() + step.backward()) / ranks)


@pytest.mark.parametrize("tokens", [64, 512])
@pytest.mark.parametrize("ranks", [2, 8, 16])
def test_the_efficiency_of_tensor_parallelism_follows_from_the_half_ranks_and_the_tokens(
    ranks: int, tokens: int
) -> None:
    half = snippet.half_ranks(snippet.LAYER_70B, snippet.HIDDEN_70B, H100)
    rounds = 1 + snippet.NVLINK.latency * snippet.NVLINK.bandwidth / (2 * snippet.HIDDEN_70B * tokens)
    share = snippet.efficiency(tokens, ranks, ranks, snippet.NVLINK)
    assert share == pytest.approx(1 / (1 + rounds * (ranks - 1) / (half - 1)))


@pytest.mark.parametrize("ranks", [2, 64])
def test_from_the_tokens_of_context_parallelism_on_attention_hides_the_keys_and_values(ranks: int) -> None:
    tokens = snippet.context_tokens(1024, 8192, H100) * (ranks - 1) / ranks
    gathered = formulas.all_gather(2 * 2 * 1024 * ranks * tokens, ranks, LINK)
    attention = 4 * 8192 * (ranks * tokens / 2) * tokens / snippet.FLOPS
    assert gathered == pytest.approx(attention)


def test_an_expert_of_that_width_computes_as_long_as_its_tokens_travel() -> None:
    width, hidden, tokens = snippet.expert_width(H100), 2048, 512
    travel = 2 * 2 * tokens * hidden / snippet.NVLINK.bandwidth
    assert travel == pytest.approx(2 * 3 * hidden * width * tokens / snippet.FLOPS)


@pytest.mark.parametrize("tokens", [256, 4096])
def test_the_mix_has_both_methods_at_its_ends_layer_by_layer(tokens: float) -> None:
    step, layer = (formulas.Step(weights, tokens, snippet.FLOPS) for weights in (1e9, 5e8))
    ends = [snippet.mixed(step, 8 // tensor, tensor, snippet.NVLINK, snippet.NVLINK, 2, 1024) for tensor in (1, 8)]
    whole = formulas.Step(1e9, 8 * tokens, snippet.FLOPS)
    assert ends[0] == 2 * formulas.fsdp(layer, 8, snippet.NVLINK)
    assert ends[1] == pytest.approx(formulas.tensor_parallel(whole, 8, snippet.NVLINK, 2, 1024))


def test_between_machines_the_split_hardly_changes_from_which_batch_on_the_weights_arrive_in_time() -> None:
    """A machine's network cards carry all weights into it, however its GPUs divide the work."""
    for tensor, data in ((1, 64), (8, 8)):
        between = formulas.Link(snippet.ADAPTERS.bandwidth / tensor)
        ridge = snippet.link_ridge(snippet.FLOPS, between.bandwidth)
        assert snippet.tokens_to_hide(6 / tensor, data, ridge) == pytest.approx(1835, rel=0.06)


def test_the_layer_is_the_one_whose_traffic_is_counted() -> None:
    assert traffic_70b.LLAMA.hidden == snippet.HIDDEN_70B
    norms = traffic_70b.LLAMA.layers * 2 * snippet.HIDDEN_70B
    inside = traffic_70b.LLAMA.layers * snippet.LAYER_70B
    outside = traffic_70b.parameters(traffic_70b.LLAMA) - inside - norms
    assert outside == 2 * 128_256 * 8192 + 8192
