"""Expert parallelism: every process has some of the experts, and tokens travel to those that they were given to."""

from dataclasses import dataclass

import torch.distributed as dist
from _train_many import device, gradients, on_ranks, relative_difference, tiny_checkpoint, tokens
from torch.distributed.tensor.debug import CommDebugMode
from transformers import MixtralConfig, MixtralForCausalLM

# isort: split
# --8<-- [start:expert-parallel]
import torch
from transformers import AutoModelForCausalLM, PreTrainedModel
from transformers.distributed import DistributedConfig


def load_experts(checkpoint: str) -> PreTrainedModel:
    # Two processes with different samples; each has two of four experts.
    return AutoModelForCausalLM.from_pretrained(
        checkpoint,
        dtype=torch.float32,
        distributed_config=DistributedConfig(
            fsdp_size=2, ep_size=2, fsdp_mixed_precision=True
        ),
    )


# --8<-- [end:expert-parallel]
PROCESSES = 2


def tiny_mixtral() -> MixtralForCausalLM:
    """A Mixtral of two layers with four experts, two of them for each token; the same on every rank."""
    torch.manual_seed(0)
    sizes = {"hidden_size": 64, "intermediate_size": 128, "num_hidden_layers": 2, "num_attention_heads": 4}
    sizes |= {"num_key_value_heads": 2, "num_local_experts": 4, "num_experts_per_tok": 2}
    return MixtralForCausalLM(MixtralConfig(vocab_size=256, **sizes)).to(device())


@dataclass(frozen=True)
class Step:
    """What one rank saw of a step; `experts` counts those that it holds, for each weight."""

    experts: dict[str, int]
    exchanges: int
    difference: float


def step() -> Step:
    """One rank's part of a step on eight rows."""
    rows = tokens(rows=8)
    with tiny_checkpoint(tiny_mixtral()) as checkpoint:
        model = load_experts(checkpoint)
    batch = rows[dist.get_rank() :: dist.get_world_size()]
    with CommDebugMode() as communication:
        loss = model(input_ids=batch, labels=batch).loss
        loss.backward()
    one = tiny_mixtral()
    one(input_ids=rows, labels=rows).loss.backward()
    return Step(
        experts={name: len(p.to_local()) for name, p in model.named_parameters() if "experts" in name},
        exchanges=communication.get_comm_counts()[torch.ops.c10d_functional.all_to_all_single],
        difference=relative_difference(gradients(model), gradients(one)),
    )


def main() -> None:
    for rank, seen in enumerate(on_ranks(step, PROCESSES)):
        print(f"Rank {rank}: {seen.exchanges} exchanges of tokens; experts here:")
        for name, experts in seen.experts.items():
            print(f"  {name}: {experts} of 4")
        print(f"  difference from the gradients of one process with all rows: {seen.difference:.4f}")


if __name__ == "__main__":
    main()
