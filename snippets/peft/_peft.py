"""The tiny model and the batches that the snippets of this folder share, shaped like models of today."""

import torch
from torch import nn
from transformers import AutoModelForCausalLM, LlamaConfig, LlamaForCausalLM


def device() -> torch.device:
    """The accelerator of this machine, or the CPU where there is none."""
    return torch.accelerator.current_accelerator(check_available=True) or torch.device("cpu")


def tiny_model(dtype: torch.dtype = torch.bfloat16, **shape: int) -> LlamaForCausalLM:
    """A Llama of about 180 000 random weights: bf16 as checkpoints have it, and two query heads to a key-value head."""
    torch.manual_seed(0)
    heads = {"num_attention_heads": 4, "num_key_value_heads": 2, "pad_token_id": 0}
    sizes = {"hidden_size": 64, "intermediate_size": 128, "num_hidden_layers": 4} | shape
    config = LlamaConfig(vocab_size=256, **sizes, **heads)
    # `model.to(dtype)` would round the rotary frequencies too, which loading a checkpoint does not.
    return AutoModelForCausalLM.from_config(config, dtype=dtype).to(device())


def batches() -> list[dict[str, torch.Tensor]]:
    """Seven sequences of unequal lengths in batches of four, so that the last batch is smaller."""
    generator = torch.Generator().manual_seed(0)
    lengths = [16, 9, 12, 5, 14, 7, 16]
    found = []
    for start in range(0, len(lengths), 4):
        part = lengths[start : start + 4]
        tokens = torch.randint(1, 256, (len(part), max(part)), generator=generator)
        mask = (torch.arange(max(part)) < torch.tensor(part)[:, None]).long()
        batch = {"input_ids": tokens * mask, "attention_mask": mask, "labels": tokens.where(mask.bool(), -100)}
        found.append({name: tensor.to(device()) for name, tensor in batch.items()})
    return found


def kept_bytes(model: nn.Module, batch: dict[str, torch.Tensor]) -> int:
    """Bytes that a forward pass keeps for the backward pass, weights left out."""
    weights = {p.untyped_storage().data_ptr() for p in model.parameters()}
    kept: dict[int, int] = {}

    def pack(tensor: torch.Tensor) -> torch.Tensor:
        storage = tensor.untyped_storage()
        if storage.data_ptr() not in weights:
            kept[storage.data_ptr()] = storage.nbytes()
        return tensor

    with torch.autograd.graph.saved_tensors_hooks(pack, lambda tensor: tensor):
        output = model(**batch)
    assert output.loss.requires_grad
    return sum(kept.values())


@torch.inference_mode()
def logits(model: nn.Module) -> torch.Tensor:
    """The logits of the first batch in evaluation mode, padding left out, in fp32."""
    batch = batches()[0]
    output = model.eval()(input_ids=batch["input_ids"], attention_mask=batch["attention_mask"]).logits
    return output[batch["attention_mask"].bool()].float()


def relative_difference(ours: torch.Tensor, theirs: torch.Tensor) -> float:
    """The norm of the difference, divided by the norm of `theirs`."""
    return ((ours - theirs).norm() / theirs.norm()).item()
