"""Tensor parallelism: every process has a slice of each matrix, and two sums a layer put the results together."""

from collections.abc import Callable
from dataclasses import dataclass

import torch
from _plan import plan_of
from _train_many import (
    gradients,
    on_ranks,
    relative_difference,
    single_process_gradients,
    tiny_checkpoint,
    tiny_model,
    tokens,
    whole,
)
from torch.distributed.tensor import DTensor
from torch.distributed.tensor.debug import CommDebugMode
from transformers import AutoModelForCausalLM
from transformers.distributed import DistributedConfig

# isort: split
# --8<-- [start:torch]
import torch.distributed as dist
from torch.distributed.tensor.parallel import parallelize_module
from transformers import PreTrainedModel


def cut(model: PreTrainedModel) -> None:
    ranks = dist.get_world_size()
    # Each rank needs whole heads, of keys and values too.
    if model.config.num_key_value_heads % ranks:
        raise ValueError(f"{ranks} ranks cannot share the KV heads")
    mesh = dist.init_device_mesh(model.device.type, (ranks,))
    for layer in model.model.layers:
        parallelize_module(layer, mesh, plan_of(layer))


# --8<-- [end:torch]
PROCESSES = 2


@dataclass(frozen=True)
class Step:
    """What one rank saw of a step."""

    way: str
    local_shapes: dict[str, tuple[int, ...]]
    forward_sums: int
    backward_sums: int
    logits_difference: float
    gradients_difference: float


def load_cut(checkpoint: str) -> PreTrainedModel:
    """The model of a checkpoint, cut by the plan of its class."""
    config = DistributedConfig(tp_size=PROCESSES)
    return AutoModelForCausalLM.from_pretrained(checkpoint, dtype=torch.float32, distributed_config=config)


def rounded() -> PreTrainedModel:
    """The tiny model with the weights that its checkpoint in bf16 has, in fp32."""
    return tiny_model().bfloat16().float()


def by_transformers() -> PreTrainedModel:
    """The model from a checkpoint in bf16, of which each rank reads its part."""
    with tiny_checkpoint(tiny_model().bfloat16()) as checkpoint:
        return load_cut(checkpoint)


def by_torch() -> PreTrainedModel:
    """The model, cut by a plan that is written here."""
    model = rounded()
    cut(model)
    return model


def failures() -> dict[str, str]:
    """What happens where the KV heads do not divide by the ranks: while loading, while cutting, in the forward pass."""
    shape = {"num_key_value_heads": 1}
    with tiny_checkpoint(tiny_model(**shape)) as checkpoint:
        model = load_cut(checkpoint)
    found = {"loading": "nothing"}
    for name, run in (("forward", lambda: model(input_ids=tokens())), ("cut", lambda: cut(tiny_model(**shape)))):
        try:
            run()
        except (RuntimeError, ValueError) as error:
            found[name] = f"{type(error).__name__}: {error}"
    return found


def sums(communication: CommDebugMode) -> int:
    """The number of all-reduces that a block has made."""
    return communication.get_comm_counts()[torch.ops.c10d_functional.all_reduce]


def step(build: Callable[[], PreTrainedModel]) -> Step:
    """One rank's part of a step on eight rows, which are the same on every rank."""
    rows = tokens(rows=8)
    model = build()
    with CommDebugMode() as forward:
        output = model(input_ids=rows, labels=rows)
    with CommDebugMode() as backward:
        output.loss.backward()
    expected = rounded()(input_ids=rows).logits
    difference = relative_difference(gradients(model), single_process_gradients(rows, model=rounded()))
    return Step(
        way=build.__name__.replace("_", " ").capitalize(),
        local_shapes={name: local_shape(parameter) for name, parameter in model.named_parameters()},
        forward_sums=sums(forward),
        backward_sums=sums(backward),
        logits_difference=relative_difference({"logits": whole(output.logits)}, {"logits": expected}),
        gradients_difference=difference,
    )


def local_shape(tensor: torch.Tensor) -> tuple[int, ...]:
    """The shape of what this rank holds of a tensor."""
    return tuple((tensor.to_local() if isinstance(tensor, DTensor) else tensor).shape)


def steps() -> list[Step]:
    """One rank's part of the step, in each of the ways."""
    return [step(by_transformers), step(by_torch)]


def main() -> None:
    names = [f"model.layers.0.{name}.weight" for name in ("self_attn.q_proj", "self_attn.o_proj")]
    names += ["model.embed_tokens.weight"]
    weights = tiny_model().state_dict()
    for seen in on_ranks(steps, PROCESSES)[0]:
        print(f"{seen.way}, all-reduces: {seen.forward_sums} forward, {seen.backward_sums} backward")
        for name in names:
            full, local = (" x ".join(map(str, shape)) for shape in (weights[name].shape, seen.local_shapes[name]))
            print(f"  {name}: {local} of {full}")
        print(f"  difference from one process: logits {seen.logits_difference:.4f}", end=", ")
        print(f"gradients {seen.gradients_difference:.4f}")
    print("One head of keys and values on two ranks:")
    for where, what in on_ranks(failures, PROCESSES)[0].items():
        print(f"  {where}: {what}")


if __name__ == "__main__":
    main()
