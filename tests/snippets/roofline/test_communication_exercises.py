"""The answers to the exercises on communication are those that one reckons by hand."""

from pathlib import Path

import pytest
import yaml
from transformers import DeepseekV3Config

from snippets.roofline import communication as formulas
from snippets.roofline import communication_exercises as snippet

BY_HAND = yaml.safe_load(Path(__file__).with_name("communication_exercises.yml").read_text("utf-8"))
ANSWERS = snippet.answers()


def test_each_answer_was_reckoned_by_hand() -> None:
    assert list(ANSWERS) == list(BY_HAND)


@pytest.mark.parametrize("name", BY_HAND)
def test_an_answer_is_the_one_by_hand(name: str) -> None:
    assert ANSWERS[name][0] == pytest.approx(BY_HAND[name], rel=5e-4)


@pytest.mark.parametrize("speedup", [2, 5, 7])
def test_with_those_tokens_it_is_so_many_times_as_fast(speedup: float) -> None:
    step = formulas.Step(snippet.WEIGHTS, snippet.tokens_for(speedup, 8, snippet.PCIE), snippet.FLOPS)
    assert 8 * formulas.efficiency(step, formulas.ddp(step, 8, snippet.PCIE)) == pytest.approx(speedup)


@pytest.mark.parametrize("share", [0.6, 0.9])
def test_only_the_last_of_the_batches_hides_a_part_of_the_sum(share: float) -> None:
    link, batches = snippet.ETHERNET, snippet.batches_for(share, 4096, 8, snippet.ETHERNET)
    one = formulas.Step(snippet.WEIGHTS, 4096, snippet.FLOPS)
    computing = one.forward() + one.backward()
    assert batches * computing / ((batches - 1) * computing + formulas.ddp(one, 8, link)) == pytest.approx(share)
    assert snippet.efficiency_of(batches, 4096, 8, link) == pytest.approx(share)


def test_a_pipeline_waits_for_its_stages_and_hsdp_for_the_bytes_that_it_sends() -> None:
    step, slow = formulas.Step(1e9, 1e5, snippet.FLOPS), formulas.Link(1e9)
    computing = step.forward() + step.backward()
    for microbatches in (2, 4):
        taken = snippet.pipeline(step, 8, snippet.NVLINK, 2, microbatches)
        assert taken == pytest.approx(computing * (microbatches + 1) / microbatches)
    few = formulas.Step(1e9, 1e4, snippet.FLOPS)
    wide, narrow = (snippet.hsdp(few, 8, snippet.NVLINK, 2, slow, size) - few.forward() for size in (4, 2))
    assert wide == pytest.approx(4e9 / 8 / 1e9) and wide == pytest.approx(2 * narrow)


def test_a_step_takes_the_longer_one_in_each_pass() -> None:
    steps = {"FSDP, 8 adapters": "step", "FSDP, 1 adapter": "1 adapter", "HSDP, 1 adapter": "HSDP",
             "HSDP in bf16, 1 adapter": "HSDP with sums in bf16"}
    found = snippet.passes()
    assert found.keys() == steps.keys()
    for name, passes in found.items():
        assert sum(max(each) for each in passes) == pytest.approx(ANSWERS[f"70B on 16 ranks, {steps[name]}"][0])


@pytest.mark.parametrize("name", snippet.MODELS)
def test_fewer_and_more_ranks_decode_more_slowly(name: str) -> None:
    config, best = snippet.MODELS[name], snippet.best_ranks(snippet.MODELS[name])
    fewer, least, more = (snippet.decoding_ms(config, best * factor, 1, 1024) for factor in (0.9, 1, 1.1))
    assert least < fewer and least < more


@pytest.mark.parametrize("name", snippet.DELAYED)
@pytest.mark.parametrize("ranks", [2, 64])
def test_a_sum_of_the_size_for_a_share_reaches_that_share(name: str, ranks: int) -> None:
    link = snippet.DELAYED[name]
    for share in (0.1, 0.9):
        assert snippet.share_of_rate(snippet.size_for(share, ranks, link), ranks, link) == pytest.approx(share)
    assert snippet.size_for(0.5, ranks, link) == pytest.approx(ranks * snippet.half_rate(link))


@pytest.mark.parametrize("name", ["NVLink", "PCIe"])
def test_from_so_many_tokens_on_the_backward_pass_hides_a_bucket(name: str) -> None:
    """With 4 bytes of gradient for each weight of the bucket."""
    border = snippet.hidden_in_buckets(8, snippet.DELAYED[name])
    backward = snippet.Step(snippet.BUCKET / 4, border, snippet.FLOPS).backward()
    assert backward == pytest.approx(formulas.all_reduce(snippet.BUCKET, 8, snippet.DELAYED[name]))


@pytest.mark.parametrize("link", snippet.RINGS)
def test_a_collective_takes_at_half_of_the_rate_twice_as_long_as_its_first_byte(link: str) -> None:
    times = snippet.collective_times(link)
    for first, *others in times.values():
        smallest = min(ms for _, ms in others)
        assert first[1] == pytest.approx(2 * smallest, rel=0.01)
    both = zip(times["all-reduce"], times["all-gather"], strict=True)
    assert all(summed == pytest.approx(2 * gathered) for (_, summed), (_, gathered) in both)


def test_the_fit_is_exact_at_both_ends_and_too_fast_between_them() -> None:
    ratios = {kib: snippet.fitted_ms(kib) / snippet.measured_ms(kib) for kib in snippet.MEASURED}
    assert ratios[2**5] == pytest.approx(1, rel=0.01) and ratios[2**20] == pytest.approx(1, rel=0.01)
    assert min(ratios, key=ratios.__getitem__) == 2**13


@pytest.mark.parametrize(("ranks", "link"), [(8, snippet.NVLINK), (4096, snippet.INFINIBAND)])
def test_an_exchange_inside_a_machine_takes_nvlink_and_one_between_many_the_card(ranks: int, link: object) -> None:
    assert snippet.exchange(1e6, ranks) == pytest.approx(formulas.all_to_all(1e6, ranks, link), rel=2e-3)


def test_the_experts_are_those_of_the_configuration() -> None:
    config = DeepseekV3Config()
    assert (config.n_routed_experts, config.num_experts_per_tok) == (snippet.EXPERTS, snippet.CHOSEN)
    assert (config.hidden_size, config.moe_intermediate_size) == (snippet.HIDDEN, snippet.WIDTH)
    assert config.num_hidden_layers - config.first_k_dense_replace == snippet.LAYERS_OF_EXPERTS


@pytest.mark.parametrize("ranks", [8, 64])
def test_the_experts_of_all_ranks_compute_each_token_in_each_expert_that_it_chose(ranks: int) -> None:
    work = snippet.products_of_experts(128, ranks, 2)
    weights = 3 * snippet.HIDDEN * snippet.WIDTH
    assert ranks * work.flops == pytest.approx(2 * weights * 128 * ranks * snippet.CHOSEN)
    without_tokens = snippet.products_of_experts(1e-9, ranks, 2)
    assert ranks * without_tokens.bytes == pytest.approx(2 * weights * snippet.EXPERTS)


def test_with_few_tokens_the_weights_decide_and_not_the_way() -> None:
    times = snippet.layer_of_experts(1, 8, 2)
    assert times["two batches in turn"] == times["memory"] > times["there"] + times["back"]
