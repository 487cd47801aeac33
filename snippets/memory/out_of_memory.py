"""What filled the memory: each storage with the code that made it, two steps over time, and what usually fills it."""

# --8<-- [start:imports]
import sys
from collections import Counter

import torch
from torch import nn
from torch._subclasses.fake_tensor import FakeTensorMode
from transformers import AutoModelForCausalLM, LlamaConfig

# --8<-- [end:imports]
# isort: split
from chunked_loss import check_head, chunked_loss

# isort: split
# --8<-- [start:snapshot]
from peak import PeakMemory, fused_adamw, optimizer_state


# The function outside PyTorch that is running: in a backward pass,
# the one that called `backward`.
def running_function():
    frame = sys._getframe(2)
    while frame.f_globals["__name__"].split(".")[0] == "torch":
        frame = frame.f_back
    return frame.f_code.co_qualname


# As a snapshot of CUDA's memory: each storage with its origin.
class Snapshot(PeakMemory):
    def __init__(self):
        super().__init__()
        self.origins = {}  # The number of a storage: what made it.

    def __torch_dispatch__(self, operator, types, args=(), kwargs=None):
        before = len(self.timeline)
        result = super().__torch_dispatch__(operator, types, args, kwargs)
        for number, size in self.timeline[before:]:
            if number >= before and size > 0:  # It is new.
                name = operator.name().partition("::")[2]
                self.origins[number] = f"{running_function()}, {name}"
        return result

    # Bytes at the peak by origin, the largest first.
    def by_origin(self):
        kinds, self.kinds = self.kinds, self.origins
        held, self.kinds = self.peak(), kinds
        return (+held).most_common()

    # Bytes by kind over time: the highest moment of each part.
    def curve(self, parts):
        held, found = Counter(), []
        now = highest = 0
        for index, (number, size) in enumerate(self.timeline, 1):
            held[self.kinds.get(number, "activations")] += size
            now += size
            if now >= highest:
                highest, at_highest = now, held.copy()
            if index * parts // len(self.timeline) > len(found):
                found.append(at_highest)
                highest = 0
        return found


# --8<-- [end:snapshot]


# --8<-- [start:steps]
def train(memory, build, batches, loss_of):
    with FakeTensorMode(allow_non_fake_inputs=True), memory:
        model = build()
        optimizer = fused_adamw(model.parameters())
        for samples, length in batches:
            tokens = torch.zeros(samples, length, dtype=torch.long)
            loss = loss_of(model, tokens)
            loss.backward()
            del loss
            memory.label("gradients", (p.grad for p in model.parameters()))
            optimizer.step()
            optimizer.zero_grad()
        memory.label("weights", model.parameters())
        memory.label("optimizer", optimizer_state(optimizer))
        # A copy: what is freed from here on is not part of the steps.
        memory.timeline = memory.timeline.copy()
    return memory


def loss_of_logits(model, tokens):
    return model(input_ids=tokens, labels=tokens).loss


# --8<-- [end:steps]


# --8<-- [start:evaluate]
# `keep` takes what is to be kept of a batch.
def evaluate(memory, build, keep, batches=4, samples=4, length=1024):
    with FakeTensorMode(), memory:
        model = build().eval()
        kept = []
        for _ in range(batches):
            tokens = torch.zeros(samples, length, dtype=torch.long)
            output = model(input_ids=tokens, labels=tokens)
            kept.append(keep(output))
            del output
        memory.label("weights", model.parameters())
    return memory


# --8<-- [end:evaluate]


# --8<-- [start:keep]
@torch.no_grad()
def without_graph(*args, **options):
    return evaluate(*args, **options)


def kept_loss(output):
    return output.loss


def detached_loss(output):
    return output.loss.detach()


def kept_logits(output):
    return output.logits


def kept_tokens(output):
    return output.logits.argmax(-1)


# --8<-- [end:keep]

LLAMA_1B = LlamaConfig(
    vocab_size=128_256, hidden_size=2048, intermediate_size=8192, num_hidden_layers=16,
    num_attention_heads=32, num_key_value_heads=8, head_dim=64, tie_word_embeddings=True,
)  # fmt: skip
KINDS = ("weights", "gradients", "optimizer", "activations")
PARTS = 48


def llama() -> nn.Module:
    return AutoModelForCausalLM.from_config(LLAMA_1B, dtype=torch.float32).train()


def checkpointed() -> nn.Module:
    model = llama()
    model.activation_checkpointing_enable()
    return model


def checked() -> nn.Module:
    model = checkpointed()
    check_head(model, torch.zeros(1, 2, dtype=torch.long))
    return model


def loss_in_chunks(model: nn.Module, tokens: torch.Tensor) -> torch.Tensor:
    return chunked_loss(model, {"input_ids": tokens, "labels": tokens}, dtype=torch.float32)


SHORT, LONG, MANY = (4, 1024), (4, 2048), (16, 1024)
CASES = {
    "step 1 alone": lambda: train(Snapshot(), llama, [SHORT], loss_of_logits),
    "steps 1 and 2": lambda: train(Snapshot(), llama, [SHORT] * 2, loss_of_logits),
    "one long batch": lambda: train(Snapshot(), llama, [SHORT, SHORT, LONG], loss_of_logits),
    "16 samples": lambda: train(Snapshot(), checkpointed, [MANY] * 2, loss_of_logits),
    "16, chunked loss": lambda: train(Snapshot(), checked, [MANY] * 2, loss_in_chunks),
    "evaluation, losses": lambda: evaluate(Snapshot(), llama, kept_loss),
    "detached losses": lambda: evaluate(Snapshot(), llama, detached_loss),
    "no_grad, logits": lambda: without_graph(Snapshot(), llama, kept_logits),
    "no_grad, tokens": lambda: without_graph(Snapshot(), llama, kept_tokens),
}


def main() -> None:
    memories = {}
    print("Llama 3.2 1B in fp32, 4 samples of 1,024 tokens, GB at the peak")
    print(" " * 20, *(f"{kind:>11}" for kind in (*KINDS, "sum")))
    for name, run in CASES.items():
        memories[name] = run()
        peak = memories[name].peak()
        print(f"{name:20}", *(f"{size / 1e9:11.2f}" for size in (*(peak[kind] for kind in KINDS), peak.total())))
    print("By origin at the peak of steps 1 and 2")
    for origin, size in memories["steps 1 and 2"].by_origin()[:8]:
        print(f"{origin:40}{size / 1e9:6.2f} GB")
    print(f"Over time, the highest moments of {PARTS} parts of steps 1 and 2, GB")
    for kind in KINDS:
        print(f"{kind:11}", *(f"{moment[kind] / 1e9:.1f}" for moment in memories["steps 1 and 2"].curve(PARTS)))


if __name__ == "__main__":
    main()
