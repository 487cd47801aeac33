"""The simulated peak of a step is that of a real step, to the byte, by the tracker and by PyTorch's allocator."""

from collections import Counter
from collections.abc import Callable, Iterator
from functools import partial

import bitsandbytes as bnb
import pytest
import torch
from torch._C._profiler import _EventType
from torch._subclasses.fake_tensor import DynamicOutputShapeException, FakeTensorMode
from torch.distributed._tools.mem_tracker import MemTracker
from torch.profiler import profile
from torch.utils._python_dispatch import TorchDispatchMode
from transformers import (
    BertConfig,
    BertForMaskedLM,
    LlamaConfig,
    LlamaForCausalLM,
    MixtralConfig,
    MixtralForCausalLM,
    PreTrainedModel,
)

from snippets.memory import peak as snippet
from snippets.memory import techniques, techniques_llama_3b

pytestmark = pytest.mark.needs(device="cpu")

ROWS, LENGTH, LAYERS = 8, 64, 2


def bert(layers: int = LAYERS) -> PreTrainedModel:
    sizes = {"hidden_size": 64, "intermediate_size": 256, "num_attention_heads": 4}
    return BertForMaskedLM(BertConfig(vocab_size=1000, num_hidden_layers=layers, **sizes))


def checkpointed_bert() -> PreTrainedModel:
    model = bert()
    model.activation_checkpointing_enable()
    return model


def llama(activation: str = "silu") -> PreTrainedModel:
    """Grouped heads, and a cache of keys and values as the configuration has it by default."""
    sizes = {"hidden_size": 64, "intermediate_size": 128, "num_attention_heads": 4, "num_key_value_heads": 2}
    return LlamaForCausalLM(LlamaConfig(vocab_size=1000, num_hidden_layers=LAYERS, hidden_act=activation, **sizes))


# What to simulate, and the bytes that the real step has beyond it: what PyTorch's fake tensors do not know.
STEPS = {
    "plain, six layers": ({"build": partial(bert, layers=6)}, 0),
    "grouped heads, a cache": ({"build": llama}, 0),
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


@pytest.mark.claim("will_it_fit#messages", "transformers/activations.py::NewGELUActivation.forward")
def test_most_activation_functions_keep_their_input_alone() -> None:
    def kept(activation: str) -> int:
        return snippet.simulate(partial(llama, activation), rows=ROWS, length=LENGTH).peak()["activations"]

    usual = kept("silu")
    assert {kept(name) for name in ("swish", "gelu", "gelu_pytorch_tanh", "mish")} == {usual}
    assert kept("relu") < usual < kept("gelu_new")


def test_a_parameter_without_a_gradient_is_a_weight_alone() -> None:
    def with_one_more() -> PreTrainedModel:
        model = bert()
        model.register_parameter("unused", torch.nn.Parameter(torch.zeros(100)))
        return model

    peak, usual = (snippet.simulate(build, rows=1, length=2).peak() for build in (with_one_more, bert))
    assert peak - usual == {"weights": 400, "optimizer": 800, "activations": 4}  # the last: its counter of steps


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


def mixtral(experts: str) -> PreTrainedModel:
    sizes = {"hidden_size": 64, "intermediate_size": 128, "num_attention_heads": 4, "num_key_value_heads": 2}
    config = MixtralConfig(vocab_size=1000, num_hidden_layers=1, num_local_experts=4, **sizes)
    return MixtralForCausalLM._from_config(config, experts_implementation=experts)


@pytest.mark.claim("model_memory_anatomy#count", "transformers/integrations/moe.py::batched_mm_experts_forward")
def test_a_mixture_of_experts_cannot_be_simulated() -> None:
    for precision in (torch.float32, torch.bfloat16):
        with pytest.raises(RuntimeError, match="Expected inputs of BF16 type"):
            snippet.simulate(partial(mixtral, "grouped_mm"), precision=precision)
        with pytest.raises(DynamicOutputShapeException):
            snippet.simulate(partial(mixtral, "eager"), precision=precision)
    real = snippet.PeakMemory()
    snippet.training_step(real, partial(mixtral, "grouped_mm"), rows=ROWS, length=LENGTH)
    simulated = snippet.simulate(partial(mixtral, "batched_mm"), rows=ROWS, length=LENGTH)
    assert simulated.peak().total() > 3 * real.peak().total()


def test_t5_3b_is_simulated_by_its_configuration() -> None:
    with FakeTensorMode():
        assert sum(parameter.numel() for parameter in snippet.t5_3b().parameters()) == 2_851_598_336


class AttentionOperators(TorchDispatchMode):
    """How often each operator ran that attention is made of."""

    def __init__(self) -> None:
        super().__init__()
        self.calls: Counter[str] = Counter()

    def __torch_dispatch__(self, operator, types, args=(), kwargs=None):
        name = operator.overloadpacket.__name__
        if "scaled_dot_product" in name or name in {"_softmax", "_safe_softmax"}:
            self.calls[name] += 1
        return operator(*args, **(kwargs or {}))


def attention_operators(build: Callable[[], PreTrainedModel]) -> Counter[str]:
    with FakeTensorMode(), AttentionOperators() as operators:
        tokens = torch.zeros(1, 8, dtype=torch.long)
        build().train()(input_ids=tokens, labels=tokens)
    return operators.calls


FUSED = "_scaled_dot_product_flash_attention_for_cpu"


@pytest.mark.parametrize(
    ("build", "layers"), [(snippet.bert_six_layers, 6), (techniques.bert_large, 24), (techniques_llama_3b.llama_3b, 28)]
)
def test_every_attention_is_the_fused_one(build: Callable[[], PreTrainedModel], layers: int) -> None:
    assert attention_operators(build) == {FUSED: layers}


@pytest.mark.claim("model_memory_anatomy#left-out", "transformers/models/t5/modeling_t5.py::T5Attention")
def test_t5s_attention_is_fused_where_no_bias_is_learned_and_has_no_dropout() -> None:
    """24 layers of cross attention; the 48 of self attention learn a bias, for which a CPU's kernel has no gradient."""
    calls = attention_operators(snippet.t5_3b)
    assert calls == {FUSED: 24, "_safe_softmax": 48}


def test_attention_with_its_default_dropout_is_fused_nowhere() -> None:
    def with_dropout() -> PreTrainedModel:
        return BertForMaskedLM(BertConfig(num_hidden_layers=2))

    assert attention_operators(with_dropout) == {"_safe_softmax": 2}
