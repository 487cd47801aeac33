"""The simulated peak of a step is that of a real step, to the byte, by the tracker and by PyTorch's allocator."""

from collections import Counter
from collections.abc import Iterator
from functools import partial

import bitsandbytes as bnb
import pytest
import torch
from torch._C._profiler import _EventType
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.distributed._tools.mem_tracker import MemTracker
from torch.profiler import profile
from transformers import BertConfig, BertForMaskedLM, PreTrainedModel

from snippets.memory import peak as snippet

ROWS, LENGTH, LAYERS = 8, 64, 2


def bert(layers: int = LAYERS) -> PreTrainedModel:
    sizes = {"hidden_size": 64, "intermediate_size": 256, "num_attention_heads": 4}
    return BertForMaskedLM(BertConfig(vocab_size=1000, num_hidden_layers=layers, **sizes))


def checkpointed_bert() -> PreTrainedModel:
    model = bert()
    model.activation_checkpointing_enable()
    return model


# What to simulate, and the bytes that the real step has beyond it: what PyTorch's fake tensors do not know.
STEPS = {
    "plain, six layers": ({"build": partial(bert, layers=6)}, 0),
    "accumulation": ({"build": bert, "pieces": 2}, 0),
    "8-bit": ({"build": bert, "optimizer_for": bnb.optim.AdamW8bit}, 0),
    "checkpointing": ({"build": checkpointed_bert}, 0),
    # The last layer norm gets bf16 and fp32: the CPU's kernel keeps its two statistics in fp32, the fake one in bf16.
    "bf16": ({"build": bert, "precision": torch.bfloat16}, 2 * ROWS * LENGTH * (4 - 2)),
}


def allocations(events: list) -> Iterator[tuple[int, int]]:
    for event in events:
        if event.typed[0] == _EventType.Allocation:
            yield event.start_time_ns, event.typed[1].alloc_size
        yield from allocations(event.children)


def allocated_peak(profiler: profile) -> int:
    """The peak by the account of PyTorch's CPU allocator."""
    held = peak = 0
    for _, size in sorted(allocations(profiler.profiler.kineto_results.experimental_event_tree())):
        held += size
        peak = max(peak, held)
    return peak


@pytest.mark.parametrize("name", STEPS)
def test_the_simulated_peak_is_that_of_a_real_step(name: str) -> None:
    step, unknown = STEPS[name]
    simulated = snippet.simulate(**step, rows=ROWS, length=LENGTH).peak()
    measured = snippet.PeakMemory()
    with profile(profile_memory=True) as profiler:
        snippet.training_step(measured, **step, rows=ROWS, length=LENGTH)
    assert measured.peak() == simulated + Counter(activations=unknown)

    # Checkpointing keeps the random generator's state for each layer, which no operator makes.
    random_states = LAYERS * torch.get_rng_state().nbytes if name == "checkpointing" else 0
    assert allocated_peak(profiler) == measured.peak().total() + random_states


def test_pytorchs_own_tracker_agrees() -> None:
    theirs, ours = MemTracker(), snippet.PeakMemory()
    for tracker in (theirs, ours):
        with FakeTensorMode():
            model = bert()
            if tracker is theirs:
                theirs.track_external(model)
            else:
                ours.label("weights", model.state_dict().values())
            with tracker:
                tokens = torch.zeros(ROWS, LENGTH, dtype=torch.long)
                model(input_ids=tokens, labels=tokens).loss.backward()
    assert ours.peak().total() == theirs.get_tracker_snapshot("peak")[torch.device("cpu")]["Total"]


def test_the_kinds_are_those_of_adamw_in_fp32() -> None:
    """More tokens: the peak is in the forward pass, without gradients; fewer: it is in the optimizer's step."""
    parameters = sum(parameter.numel() for parameter in bert().parameters())
    many = snippet.simulate(bert, rows=8, length=64).peak()
    few = snippet.simulate(bert, rows=1, length=2).peak()
    for peak in (many, few):
        assert (peak["weights"], peak["optimizer"]) == (4 * parameters, 8 * parameters)
    assert many["gradients"] == 0
    assert few["gradients"] == 4 * parameters


def test_what_is_freed_no_longer_counts() -> None:
    with snippet.PeakMemory() as memory:
        first = torch.ones(1000)
        view = first[:500]
        del first
        second = torch.ones(200)
        del view
        third = torch.ones(900)
        memory.label("third", [third])
    del second
    assert memory.peak() == {"activations": 4 * (1000 + 200)}
    assert sum(size for _, size in memory.timeline) == 4 * 900


def test_t5_3b_is_simulated_by_its_configuration() -> None:
    with FakeTensorMode():
        assert sum(parameter.numel() for parameter in snippet.t5_3b().parameters()) == 2_851_598_336
