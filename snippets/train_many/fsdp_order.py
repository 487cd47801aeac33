"""The order in which FSDP2 gathers, computes, frees and scatters the units of a model, as one rank sees it."""

import torch.distributed as dist
from _train_many import on_ranks, tiny_model, tokens
from fsdp import shard
from torch import nn
from torch.distributed.tensor import DTensor
from torch.utils._python_dispatch import TorchDispatchMode

PROCESSES = 2
GATHER, SCATTER = "c10d._allgather_base_", "c10d._reduce_scatter_base_"
REST = "rest"


class UnitOrder(TorchDispatchMode):
    """Writes down what happens to the units of a model: its layers, and the rest as the last."""

    def __init__(self, model: nn.Module) -> None:
        super().__init__()
        self.layers = {f"layer {number}": layer for number, layer in enumerate(model.model.layers, 1)}
        self.units = self.layers | {REST: model.lm_head}
        self.events: list[list[str]] = []  # an action and the unit
        self.freed = ""
        self.whole: set[str] = set()
        for unit, layer in self.layers.items():
            layer.register_forward_pre_hook(self.event("forward", unit))
            layer.register_full_backward_pre_hook(self.event("backward", unit))
        model.lm_head.register_forward_pre_hook(self.event("forward", REST))
        model.lm_head.register_full_backward_pre_hook(self.event("backward", REST))

    def event(self, action: str, unit: str):
        def write(*_: object) -> None:
            self.look()
            self.events.append([action, unit])

        return write

    def look(self) -> None:
        """Which units are whole: their parameters are parts (DTensor) as long as they are not gathered."""
        whole = {unit for unit, module in self.units.items() if not isinstance(next(module.parameters()), DTensor)}
        for unit in whole - self.whole:
            next(event for event in self.events if event == ["gather", ""])[1] = unit
        for unit in sorted(self.whole - whole):
            self.events.append(["free", unit])
            self.freed = unit
        self.whole = whole

    def __torch_dispatch__(self, operator, types, args=(), kwargs=None):
        self.look()
        name = str(getattr(operator, "overloadpacket", operator))
        if name == GATHER:
            self.events.append(["gather", ""])  # `look` has the unit, once it is whole.
        elif name == SCATTER:
            self.events.append(["scatter", self.freed])  # A unit is freed before its gradients are sent.
        return operator(*args, **(kwargs or {}))


def order() -> list[list[str]]:
    """What one rank did in the passes of a step."""
    model = tiny_model()
    shard(model)
    rows = tokens(rows=8)[dist.get_rank() :: dist.get_world_size()]
    with UnitOrder(model) as seen:
        model(input_ids=rows, labels=rows).loss.backward()
        seen.look()
    return seen.events


def main() -> None:
    for event in on_ranks(order, PROCESSES)[0]:
        print(*event)


if __name__ == "__main__":
    main()
