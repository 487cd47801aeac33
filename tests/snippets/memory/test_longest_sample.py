"""The longest sample fits, a longer one does not; the peak is the calculator's, with a fused loss the simulation's."""

from functools import partial

import pytest
from chunked_loss import chunked_loss
from compare import nothing_packed
from estimate import MODELS, training_of_adapters
from finetune_8b import LLAMA_8B, lora, packed, qlora, simulate

from snippets.memory import longest_sample as snippet

SHAPE = MODELS["Llama 3.1 8B"]


@pytest.mark.parametrize("quantized", [True, False])
@pytest.mark.parametrize("fused_loss", [True, False])
def test_the_longest_sample_fits_and_a_longer_one_does_not(quantized: bool, fused_loss: bool) -> None:
    tokens = snippet.longest(SHAPE, 50e9, quantized, fused_loss)
    fits, longer = (snippet.peak(SHAPE, each, quantized, fused_loss) for each in (tokens, tokens + 1024))
    assert fits <= 50e9 < longer


@pytest.mark.parametrize("quantized", [True, False])
def test_with_all_logits_the_peak_is_that_of_the_calculator(quantized: bool) -> None:
    _, parts = training_of_adapters(SHAPE, 1, 8192, quantized=quantized, checkpointing=True)
    assert snippet.peak(SHAPE, 8192, quantized, fused_loss=False) == pytest.approx(sum(parts.values()))


@pytest.mark.parametrize(("build", "quantized"), [(qlora, True), (lora, False)])
def test_with_a_fused_loss_the_peak_is_that_of_the_simulation(build, quantized: bool) -> None:  # type: ignore[no-untyped-def]
    with nothing_packed():
        simulated = simulate(build(LLAMA_8B), batch=partial(packed, lengths=[16384]), loss_of=chunked_loss)
    assert snippet.peak(SHAPE, 16384, quantized, fused_loss=True) == pytest.approx(simulated.total(), rel=0.03)


def test_where_not_even_the_weights_fit_there_is_no_sample() -> None:
    assert snippet.longest(SHAPE, 5e9, quantized=True, fused_loss=True) == 0
