"""Each stage really runs under DeepSpeed's engine, and leaves a process the bytes that the ZeRO paper gives it."""

import pytest
from _deepspeed import on_ranks, single_process_norm

from snippets.deepspeed import stages as snippet
from snippets.deepspeed.stages import Run

pytestmark = [pytest.mark.needs("deepspeed"), pytest.mark.needs(devices=2)]

# Bytes a parameter on each of two processes: bf16 weights and gradients, fp32 weights and two moments
# (ZeRO, arXiv:1910.02054, section 3). With two batches a step, stage 1 keeps whole gradients between them.
EXPECTED = {
    "stage0": (0, 2, 2, 12),
    "stage1": (1, 2, 2, 6),
    "stage2": (2, 2, 1, 6),
    "stage3": (3, 1, 1, 6),
    "stage3_offload": (3, 1, 0, 6),
}
# The norms' 576 weights are below the threshold of 10 x 64, so every process keeps them whole as well.
KEPT_WHOLE = 2 * 576 / 180800


@pytest.fixture(scope="module")
def ranks() -> list[dict[str, Run]]:
    return [{run.name: run for run in runs} for runs in on_ranks(snippet.runs, snippet.PROCESSES)]


def test_there_is_a_configuration_a_stage() -> None:
    assert [path.stem for path in snippet.CONFIGURATIONS] == list(EXPECTED)


def test_no_file_that_the_page_shows_has_the_setting_that_deepspeed_warns_of() -> None:
    for path in snippet.CONFIGURATIONS:
        assert "zero_force_ds_cpu_optimizer" not in path.read_text("utf-8")


@pytest.mark.parametrize("name", EXPECTED)
def test_a_process_holds_its_share(ranks: list[dict[str, Run]], name: str) -> None:
    stage, weights, gradients, optimizer = EXPECTED[name]
    for runs in ranks:
        run = runs[name]
        assert run.stage == stage
        assert run.weights == pytest.approx(weights + (KEPT_WHOLE if stage == 3 else 0))
        assert run.gradients == pytest.approx(gradients, rel=1e-3)  # The weight at the border is counted whole.
        assert run.optimizer == pytest.approx(optimizer)


@pytest.mark.parametrize("name", EXPECTED)
def test_the_gradients_are_as_long_as_those_of_one_process(ranks: list[dict[str, Run]], name: str) -> None:
    for runs in ranks:
        assert runs[name].gradient_norm == pytest.approx(single_process_norm(), rel=1e-2)  # bf16 has three digits.
