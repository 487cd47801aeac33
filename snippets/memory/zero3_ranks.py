"""ZeRO stage 3 over many ranks in one process: what each would hold, by a process group that sends nothing."""

from collections.abc import Callable, Iterable

import torch
import torch.distributed as dist
from techniques import bert_large
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.distributed.fsdp import fully_shard
from torch.distributed.tensor import DTensor
from torch.testing._internal.distributed.fake_pg import FakeStore
from transformers import PreTrainedModel


def local_bytes(tensors: Iterable[DTensor]) -> int:
    """Bytes of the parts of tensors that are on this rank."""
    return sum(tensor.to_local().nbytes for tensor in tensors)


def rank_bytes(build: Callable[[], PreTrainedModel], ranks: int) -> dict[str, float]:
    """Bytes on rank 0 between two steps, by kind, for each parameter of the whole model."""
    # --8<-- [start:group]
    # The backend "fake" is one rank of many: its collectives return at once.
    dist.init_process_group(
        "fake", rank=0, world_size=ranks, store=FakeStore()
    )
    mesh = dist.init_device_mesh("cpu", (ranks,))
    # --8<-- [end:group]
    try:
        # --8<-- [start:shard]
        with FakeTensorMode():
            model = build()
            for layer in model.bert.encoder.layer:
                fully_shard(layer, mesh=mesh)  # gathered one at a time
            fully_shard(model, mesh=mesh)

            optimizer = torch.optim.AdamW(model.parameters())
            tokens = torch.zeros(1, 8, dtype=torch.long)
            model(input_ids=tokens, labels=tokens).loss.backward()
            optimizer.step()
        # --8<-- [end:shard]
    finally:
        dist.destroy_process_group()
    states = [state for moments in optimizer.state.values() for state in moments.values() if state.dim()]
    held = {
        "weights": local_bytes(model.parameters()),
        "gradients": local_bytes(parameter.grad for parameter in model.parameters()),
        "optimizer": local_bytes(states),
    }
    parameters = sum(parameter.numel() for parameter in model.parameters())
    return {kind: size / parameters for kind, size in held.items()}


def main() -> None:
    print("bert-large, AdamW in fp32; bytes on one rank for each parameter of the model:")
    for ranks in (1, 8):
        held = rank_bytes(bert_large, ranks)
        print(f"  {ranks} ranks: {', '.join(f'{kind} {size:.3f}' for kind, size in held.items())}")


if __name__ == "__main__":
    main()
