"""Peak memory without the hardware: a training step on fake tensors, which have shapes and no data."""

import resource
import sys

# --8<-- [start:imports]
import weakref
from collections import Counter

import torch
from torch._subclasses.fake_tensor import (
    FakeTensorMode,
    unset_fake_temporarily,
)
from torch.utils._python_dispatch import (
    TorchDispatchMode,
    is_traceable_wrapper_subclass_type,
)
from torch.utils._pytree import tree_iter
from torch.utils.weak import WeakIdKeyDictionary
from transformers import (
    BertConfig,
    BertForMaskedLM,
    T5Config,
    T5ForConditionalGeneration,
)
from transformers.models.t5.modeling_t5 import T5Attention

# --8<-- [end:imports]


# --8<-- [start:tracker]
# Counts a storage from the operator that makes it to its end.
class PeakMemory(TorchDispatchMode):
    def __init__(self):
        super().__init__()
        self.numbers = WeakIdKeyDictionary()  # storage: its number
        # The number of a storage and its bytes, negative where it is freed.
        self.timeline = []
        self.kinds = {}  # The number of a storage: what it holds.

    def __torch_dispatch__(self, operator, types, args=(), kwargs=None):
        if any(map(is_traceable_wrapper_subclass_type, types)):
            return NotImplemented  # The tensors inside come by here.
        result = operator(*args, **(kwargs or {}))
        for tensor in tree_iter(result):
            if isinstance(tensor, torch.Tensor):
                self.number(tensor)
        return result

    def number(self, tensor):
        storage = tensor.untyped_storage()
        if storage not in self.numbers:
            number, size = len(self.timeline), storage.nbytes()
            self.numbers[storage] = number
            self.timeline.append((number, size))
            freed = (number, -size)
            weakref.finalize(storage, self.timeline.append, freed)
        return self.numbers[storage]

    def label(self, kind, tensors):
        for tensor in tensors:
            self.kinds[self.number(tensor)] = kind

    # Bytes by kind at the moment when their sum is largest.
    def peak(self):
        held = Counter()
        now = highest = 0
        at_peak = held
        for number, size in self.timeline:
            held[self.kinds.get(number, "activations")] += size
            now += size
            if now > highest:
                highest, at_peak = now, held.copy()
        return at_peak


# --8<-- [end:tracker]


# --8<-- [start:state]
# The plain tensors that a tensor is made of.
def parts(tensor):
    if not is_traceable_wrapper_subclass_type(type(tensor)):
        return [tensor]
    names, _ = tensor.__tensor_flatten__()
    return [part for name in names for part in parts(getattr(tensor, name))]


# The tensors of the state, without the counters of the steps.
def optimizer_state(optimizer):
    for state in optimizer.state.values():
        for value in state.values():
            if torch.is_tensor(value) and value.dim() > 0:
                yield from parts(value)


# --8<-- [end:state]


# --8<-- [start:step]
def fused_adamw(parameters):
    return torch.optim.AdamW(parameters, fused=True)


def training_step(
    memory,
    build,
    optimizer_for=fused_adamw,
    rows=8,
    length=128,
    pieces=1,
    precision=torch.float32,
):
    with memory:
        model = build().train()
        # The tables of an 8-bit optimizer are real.
        with unset_fake_temporarily():
            optimizer = optimizer_for(model.parameters())
        for parameter in model.parameters():
            parameter.grad = torch.zeros_like(parameter)
        optimizer.step()  # The first step makes the optimizer's state.
        optimizer.zero_grad()

        for _ in range(pieces):
            tokens = torch.zeros(rows // pieces, length, dtype=torch.long)
            mixed = precision != torch.float32
            with torch.autocast("cpu", precision, enabled=mixed):
                loss = model(input_ids=tokens, labels=tokens).loss
            loss.backward()
            del loss
        optimizer.step()

        memory.label("weights", model.parameters())
        found = (p.grad for p in model.parameters() if p.grad is not None)
        memory.label("gradients", found)
        memory.label("optimizer", optimizer_state(optimizer))


# --8<-- [end:step]


# --8<-- [start:simulate]
def simulate(build, **step):
    memory = PeakMemory()
    with FakeTensorMode(allow_non_fake_inputs=True):
        training_step(memory, build, **step)
    return memory


# --8<-- [end:simulate]


def bert_six_layers() -> BertForMaskedLM:
    sizes = {"hidden_size": 384, "intermediate_size": 1536, "num_hidden_layers": 6}
    return BertForMaskedLM(BertConfig(vocab_size=3000, attention_probs_dropout_prob=0.0, **sizes))


# --8<-- [start:t5]
def t5_3b():
    config = T5Config(
        d_model=1024,
        d_kv=128,
        d_ff=16384,
        num_layers=24,
        num_heads=32,
        decoder_start_token_id=0,
    )
    model = T5ForConditionalGeneration(config)
    # With dropout in the attention, a CPU has no fused kernel.
    # T5Config has one rate for all dropout, so change the modules.
    for module in model.modules():
        if isinstance(module, T5Attention):
            module.dropout = 0.0
    return model


# --8<-- [end:t5]


def resident_bytes() -> int:
    """The most memory that this process has had; Linux counts in KiB, macOS in bytes."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)


def main() -> None:
    simulated, measured = simulate(bert_six_layers), PeakMemory()
    training_step(measured, bert_six_layers)
    print(f"BERT with six layers, simulated: {simulated.peak().total():>14,} bytes")
    print(f"BERT with six layers, measured:  {measured.peak().total():>14,} bytes")
    peak = simulate(t5_3b).peak()
    print(f"t5-3b, simulated:                {peak.total():>14,} bytes")
    for kind in ("weights", "gradients", "optimizer", "activations"):
        print(f"  {kind:31}{peak[kind]:>14,} bytes")
    print(f"This process needed less than a gigabyte: {resident_bytes() < 10**9}")


if __name__ == "__main__":
    main()
