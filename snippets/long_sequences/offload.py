"""Activation offloading: what the backward pass will read waits in the CPU's memory."""

from _long_sequences import device, tiny_model

# isort: split
# --8<-- [start:offload]
import torch
from torch import nn
from torch.autograd.graph import saved_tensors_hooks
from transformers import PreTrainedModel


def offload(
    model: nn.Module, smallest: int = 1 << 20
) -> saved_tensors_hooks:
    weights = {p.untyped_storage().data_ptr() for p in model.parameters()}

    def pack(tensor: torch.Tensor) -> object:
        weight = tensor.untyped_storage().data_ptr() in weights
        if weight or tensor.nbytes < smallest:
            return tensor
        return tensor.device, tensor.to("cpu")

    def unpack(packed: object) -> torch.Tensor:
        if torch.is_tensor(packed):
            return packed
        device, tensor = packed
        return tensor.to(device)

    return saved_tensors_hooks(pack, unpack)


def step(model: PreTrainedModel, tokens: torch.Tensor) -> None:
    model.train()  # Otherwise, dropout and checkpointing are off.
    with offload(model):
        logits = model(input_ids=tokens, use_cache=False).logits
    # What the loss saves is as large as the logits, and is read first.
    loss = model.loss_function(
        logits, labels=tokens, vocab_size=logits.shape[-1]
    )
    loss.backward()
# --8<-- [end:offload]


def tokens(length: int = 512) -> torch.Tensor:
    """One long row of random token ids."""
    return torch.randint(1, 256, (1, length), generator=torch.Generator().manual_seed(0)).to(device())


def moved_bytes(model: nn.Module, smallest: int = 1) -> int:
    """Bytes that a step moves to the CPU's memory, on a machine that has another one."""
    sizes: list[int] = []
    hooks = offload(model.train(), smallest)
    pack = hooks.pack_hook

    def counted(tensor: torch.Tensor) -> object:
        packed = pack(tensor)
        sizes.append(tensor.nbytes if isinstance(packed, tuple) else 0)
        return packed

    hooks.pack_hook = counted
    with hooks:
        model(input_ids=tokens(), use_cache=False)
    return sum(sizes)


def saved_weights(model: nn.Module) -> int:
    """Bytes of weights among the tensors saved for the backward pass, which `save_on_cpu` would move too."""
    weights = {p.untyped_storage().data_ptr() for p in model.parameters()}
    sizes: list[int] = []

    def pack(tensor: torch.Tensor) -> torch.Tensor:
        if tensor.untyped_storage().data_ptr() in weights:
            sizes.append(tensor.nbytes)
        return tensor

    with saved_tensors_hooks(pack, lambda tensor: tensor):
        model.train()(input_ids=tokens(), labels=tokens(), use_cache=False)
    return sum(sizes)


def main() -> None:
    model = tiny_model()
    print(f"Bytes of activations that a step moves: {moved_bytes(model):>12,}")
    print(f"The weights that save_on_cpu moves too: {saved_weights(model):>12,}")
    model.activation_checkpointing_enable()
    print(f"With checkpointing:                     {moved_bytes(model):>12,}")


if __name__ == "__main__":
    main()
