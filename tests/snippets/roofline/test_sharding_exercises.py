"""The answers to the exercises on sharding are those that one reckons by hand."""

from pathlib import Path

import pytest
import yaml
from torch.distributed.pipelining.schedules import FORWARD, ScheduleInterleaved1F1B

from snippets.roofline import communication as formulas
from snippets.roofline import communication_exercises
from snippets.roofline import sharding_exercises as snippet

BY_HAND = yaml.safe_load(Path(__file__).with_name("sharding_exercises.yml").read_text("utf-8"))
ANSWERS = snippet.answers()


def test_each_answer_was_reckoned_by_hand() -> None:
    assert list(ANSWERS) == list(BY_HAND)


@pytest.mark.parametrize("name", BY_HAND)
def test_an_answer_is_the_one_by_hand(name: str) -> None:
    assert ANSWERS[name][0] == pytest.approx(BY_HAND[name], rel=5e-4)


@pytest.mark.parametrize("tensor", [1, 2, 4])
def test_with_so_many_ranks_to_a_product_fsdp_is_just_hidden(tensor: int) -> None:
    tokens = snippet.tokens_to_hide(6 / tensor, 8 / tensor, snippet.FAST)
    assert snippet.ranks_to_hide(tokens, 8, snippet.FAST) == pytest.approx(tensor)


@pytest.mark.parametrize("share", [0.5, 0.9])
def test_so_many_ranks_compute_for_that_share(share: float) -> None:
    half = snippet.half_ranks(snippet.layer(snippet.LLAMA_70B), 8192, snippet.FAST)
    assert 1 / (1 + (snippet.ranks_for(share, half) - 1) / (half - 1)) == pytest.approx(share)


def test_from_nine_ranks_on_exchanging_heads_sends_less_than_gathering_keys_and_values() -> None:
    """With 8 query heads for each key-value head."""
    for ranks, sooner in ((8, False), (9, None), (10, True)):
        heads = snippet.heads_exchange(snippet.LLAMA_70B, 2**20, ranks, snippet.NVLINK)
        keys = snippet.keys_gathered(snippet.LLAMA_70B, 2**20, ranks, snippet.NVLINK)
        assert heads == pytest.approx(keys) if sooner is None else (heads < keys) == sooner


def orders(ranks: int, stages: int, microbatches: int) -> list[list[tuple[int, bool, int]]]:
    """What each rank runs in PyTorch's interleaved schedule: stage, whether it is a forward pass, microbatch."""
    schedule = ScheduleInterleaved1F1B.__new__(ScheduleInterleaved1F1B)  # Without processes and models.
    schedule.pp_group_size, schedule.n_local_stages, schedule._n_microbatches = ranks, stages, microbatches
    schedule.microbatches_per_round = microbatches // max(1, microbatches // ranks)
    actions = map(schedule._calculate_single_rank_operations, range(ranks))
    return [[(each.stage_index, each.computation_type is FORWARD, each.microbatch_index) for each in rank if each]
            for rank in actions]


def slots(ranks: int, stages: int, microbatches: int) -> int:
    """Slots until all is done, if a pass of a stage takes one and waits for the stage before it or behind it."""
    left, last = orders(ranks, stages, microbatches), ranks * stages - 1
    done: dict[tuple[int, bool, int], int] = {}
    slot = 0
    while any(left):
        slot += 1
        for rank in left:
            if not rank:
                continue
            stage, forward, microbatch = rank[0]
            before = (stage - 1 if forward else stage + 1, forward, microbatch)
            needed = (last, True, microbatch) if not forward and stage == last else before
            if (forward and stage == 0) or done.get(needed, slot) < slot:
                done[rank.pop(0)] = slot
    return slot


@pytest.mark.claim(
    "parallelism#pipeline-parallelism", "torch/distributed/pipelining/schedules.py::ScheduleInterleaved1F1B"
)
@pytest.mark.parametrize(("ranks", "stages", "microbatches"), [(4, 1, 8), (4, 2, 8), (4, 4, 8), (16, 4, 48)])
def test_several_stages_per_rank_wait_as_little_as_the_formula_says(ranks: int, stages: int, microbatches: int) -> None:
    taken = slots(ranks, stages, microbatches)
    assert taken == 2 * (stages * microbatches + ranks - 1)
    share = 1 - 2 * stages * microbatches / taken
    assert snippet.microbatches_for(share, ranks, stages) == pytest.approx(microbatches)


@pytest.mark.parametrize("machines", [2, 16])
def test_hsdp_is_hidden_from_a_quarter_of_its_links_ridge_on(machines: int) -> None:
    """Of each weight's gradient, 4 bytes, a rank sums an eighth over the machines."""
    between = formulas.Link(5e9)
    border = snippet.FLOPS / between.bandwidth / 4 * (machines - 1) / machines
    assert border == pytest.approx(snippet.tokens_to_hide(1, machines, snippet.FLOPS / between.bandwidth))
    for times, hidden in ((1.001, True), (0.99, False)):
        step = formulas.Step(1e9, times * border, snippet.FLOPS)
        taken = communication_exercises.hsdp(step, 8, snippet.NVLINK, machines, between)
        assert (formulas.efficiency(step, taken) > 0.9999) == hidden


@pytest.mark.parametrize("stages", [4, 16])
def test_what_is_sent_once_is_the_ridge_by_stages_and_tokens_of_computing(stages: int) -> None:
    tokens = snippet.BATCH / snippet.GPUS
    ridge = snippet.link_ridge(snippet.FLOPS, snippet.ADAPTERS.bandwidth)
    copies = snippet.GPUS // (8 * stages)
    share = snippet.shared_once(stages, 8) / ANSWERS["4096 GPUs, computing"][0]
    assert share == pytest.approx(ridge / (stages * tokens) * (copies - 1) / copies, rel=0.02)  # rounds: the rest


def test_a_round_has_the_latency_of_the_page_on_communication() -> None:
    assert communication_exercises.DELAYED["NVLink"].latency == snippet.NVLINK.latency


def test_from_so_many_tokens_on_thousands_of_gpus_wait_for_the_sums_alone() -> None:
    border, layers = snippet.tokens_with_rounds(8), 80
    link = formulas.Link(snippet.ADAPTER.bandwidth, snippet.ADAPTER.latency)
    sums = formulas.Link(1e30)
    for times, hidden in ((1.001, True), (0.99, False)):
        step = formulas.Step(layers * snippet.layer(snippet.LLAMA_70B), times * border, snippet.FLOPS)
        taken = snippet.mixed(step, 512, 8, sums, link, layers, 8192)
        assert (formulas.efficiency(step, taken) > 0.9999) == hidden


def test_half_of_the_rate_takes_as_many_bytes_as_the_rounds_of_the_ring() -> None:
    size = 1e6 * ANSWERS["4096 GPUs, half the rate"][0]
    bytes_alone = formulas.all_gather(size, 512, formulas.Link(snippet.ADAPTER.bandwidth))
    assert formulas.all_gather(size, 512, snippet.ADAPTER) == pytest.approx(2 * bytes_alone)


def test_a_pipeline_of_one_stage_waits_for_nothing_but_what_is_sent_once() -> None:
    assert snippet.stages_step(1) == snippet.tensor_step(8) + snippet.shared_once(1, 8)


def test_without_stages_the_activations_are_those_of_the_estimate() -> None:
    token = snippet.activations_of_layer(snippet.MODELS["Llama 3.1 70B"], "bf16", 4096)
    assert snippet.kept_gb(1, 8) == pytest.approx(80 * 4096 * token / 8 / 1e9)
