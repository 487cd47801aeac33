"""The answers to the exercises on communication are those that one reckons by hand."""

from pathlib import Path

import pytest
import yaml

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
