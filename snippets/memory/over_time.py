"""What a training step holds over time: one batch, four pieces of it, and checkpointing, on the same model."""

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator
from itertools import pairwise

import torch
from torch import nn
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.utils.flop_counter import flop_registry

from peak import PeakMemory, bert_six_layers, fused_adamw, training_step

KINDS = ("weights", "gradients", "optimizer", "recomputed", "activations")
FORWARD = 32  # moments of a forward pass over the whole batch; the others take as many as their computation does
OPTIMIZER = 6  # moments of the optimizer's step, which has no matrix products


def checkpointed() -> nn.Module:
    model = bert_six_layers()
    model.activation_checkpointing_enable()
    return model


CASES = {
    "One batch": {},
    "Four pieces": {"pieces": 4},
    "Checkpointing": {"build": checkpointed},
}


class StepOverTime(PeakMemory):
    """The memory of a step beside the floating-point operations that were done by then, and its phases."""

    def __init__(self) -> None:
        super().__init__()
        self.operations = 0
        self.clock = [(0, 0)]  # After each operator: entries of the timeline, operations.
        self.phases: list[tuple[str, int, int]] = []  # A phase begins: its name, entries, operations.
        self.made: dict[int, str] = {}  # The number of a storage: what it is, where that is known at once.

    def __torch_dispatch__(self, operator, types, args=(), kwargs=None):
        before = len(self.timeline)
        result = super().__torch_dispatch__(operator, types, args, kwargs)
        count = flop_registry.get(getattr(operator, "overloadpacket", None))
        if count is not None and result is not NotImplemented:
            self.operations += count(*args, **(kwargs or {}), out_val=result)
        # The engine of the backward pass builds no graph: what builds one in it is computed for the second time.
        if torch._C._current_graph_task_id() != -1 and torch.is_grad_enabled():
            self.made |= {number: "recomputed" for number, size in self.timeline[before:] if size > 0}
        self.clock.append((len(self.timeline), self.operations))
        return result

    def begin(self, phase: str) -> None:
        self.phases.append((phase, len(self.timeline), self.operations))

    def watched(self, build) -> nn.Module:
        """The model, which says when a forward pass begins and ends."""
        model = build()
        model.register_forward_pre_hook(lambda *_: self.begin("forward"))
        model.register_forward_hook(lambda *_: self.begin("backward"))
        return model

    def watched_optimizer(self, parameters) -> torch.optim.Optimizer:
        """The optimizer, which says when its step begins and ends."""
        optimizer = fused_adamw(parameters)
        optimizer.register_step_pre_hook(lambda *_: self.begin("optimizer"))
        optimizer.register_step_post_hook(lambda *_: self.begin("end"))
        return optimizer

    def moments(self, per_moment: float) -> Iterator[tuple[str, Counter[str]]]:
        """A moment for so many operations: the phase, and bytes by kind when their sum was largest in it."""
        first = next(number for number, (phase, *_) in enumerate(self.phases) if phase == "forward")
        entries, done = zip(*self.clock, strict=True)
        held: Counter[str] = Counter()
        self.advance(held, 0, self.phases[first][1])
        for (phase, begin, start), (_, end, stop) in pairwise(self.phases[first:]):
            count = OPTIMIZER if phase == "optimizer" else max(1, round((stop - start) / per_moment))
            edges = [begin]
            for part in range(1, count):
                limit = start + (stop - start) * part / count
                edges.append(max(edges[-1], min(end, entries[bisect_left(done, limit)])))
            for left, right in pairwise([*edges, end]):
                yield phase, self.advance(held, left, right)

    def advance(self, held: Counter[str], left: int, right: int) -> Counter[str]:
        """Takes what is held over these entries of the timeline, and returns what was held at the highest moment."""
        highest = held.copy()
        for number, size in self.timeline[left:right]:
            held[self.kinds.get(number) or self.made.get(number, "activations")] += size
            if held.total() > highest.total():
                highest = held.copy()
        return highest


def simulate(build=bert_six_layers, **step) -> StepOverTime:
    memory = StepOverTime()
    with FakeTensorMode(allow_non_fake_inputs=True):
        training_step(memory, lambda: memory.watched(build), memory.watched_optimizer, **step)
    return memory


def main() -> None:
    print("BERT with six layers, fp32, 8 samples of 128 tokens, MB over time")
    memories = {name: simulate(**case) for name, case in CASES.items()}
    forward, backward = memories["One batch"].phases[2:4]
    per_moment = (backward[2] - forward[2]) / FORWARD
    for name, memory in memories.items():
        moments = list(memory.moments(per_moment))
        peak = max(held.total() for _, held in moments)
        print(f"{name}, peak {peak / 1e6:.0f} MB")
        print(f"{'phase':12}", *(phase[0] for phase, _ in moments))
        for kind in KINDS:
            print(f"{kind:12}", *(f"{held[kind] / 1e6:.1f}" for _, held in moments))


if __name__ == "__main__":
    main()
