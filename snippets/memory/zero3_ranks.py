"""ZeRO stage 3 over many ranks in one process: what each would hold, by a process group that sends nothing."""

# --8<-- [start:imports]
import torch
import torch.distributed as dist
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.distributed.fsdp import fully_shard
from torch.testing._internal.distributed.fake_pg import FakeStore

# --8<-- [end:imports]
from techniques import bert_large


# --8<-- [start:shard]
# Bytes of the parts of tensors that are on this rank.
def local_bytes(tensors):
    return sum(tensor.to_local().nbytes for tensor in tensors)


# Bytes on rank 0 between two steps, for each parameter, by kind.
def bytes_on_rank(build, ranks):
    # The backend "fake" is one rank of many.
    # Its collectives return at once.
    dist.init_process_group(
        "fake", rank=0, world_size=ranks, store=FakeStore()
    )
    mesh = dist.init_device_mesh("cpu", (ranks,))
    with FakeTensorMode():
        model = build()
        for layer in model.bert.encoder.layer:
            fully_shard(layer, mesh=mesh)  # gathered one at a time
        fully_shard(model, mesh=mesh)

        optimizer = torch.optim.AdamW(model.parameters())
        tokens = torch.zeros(1, 8, dtype=torch.long)
        model(input_ids=tokens, labels=tokens).loss.backward()
        optimizer.step()

    moments = [
        state[name]
        for state in optimizer.state.values()
        for name in ("exp_avg", "exp_avg_sq")
    ]
    held = {
        "weights": local_bytes(model.parameters()),
        "gradients": local_bytes(p.grad for p in model.parameters()),
        "optimizer": local_bytes(moments),
    }
    dist.destroy_process_group()
    parameters = sum(p.numel() for p in model.parameters())
    return {kind: size / parameters for kind, size in held.items()}


# --8<-- [end:shard]


def main() -> None:
    print("bert-large, AdamW in fp32; bytes on one rank for each parameter of the model:")
    for ranks in (1, 8):
        held = bytes_on_rank(bert_large, ranks)
        print(f"  {ranks} ranks: {', '.join(f'{kind} {size:.3f}' for kind, size in held.items())}")


if __name__ == "__main__":
    main()
