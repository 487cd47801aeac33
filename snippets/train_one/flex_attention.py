"""Flex attention: a mask as a Python function, compiled into one kernel that skips what it hides."""

import torch

# --8<-- [start:imports]
from torch.nn.attention.flex_attention import (
    create_block_mask,
    flex_attention,
)

# --8<-- [end:imports]
from transformers import AutoModelForCausalLM, LlamaConfig, PreTrainedModel

from _tiny import device, tiny_batch, tiny_model


def choose(config: LlamaConfig) -> PreTrainedModel:
    """The tiny model with flex attention."""
    torch.manual_seed(0)
    # --8<-- [start:choose]
    model = AutoModelForCausalLM.from_config(
        config, attn_implementation="flex_attention"
    )
    # --8<-- [end:choose]
    return model.to(device())


# --8<-- [start:mask]
# A token sees itself and the 255 tokens before it.
def window(batch, head, query, key):
    return (query >= key) & (query - key < 256)


def window_mask(length, device):
    return create_block_mask(
        window, B=None, H=None, Q_LEN=length, KV_LEN=length, device=device
    )


# --8<-- [end:mask]


# --8<-- [start:attend]
def attend(query, key, value, mask):
    return torch.compile(flex_attention)(
        query, key, value, block_mask=mask
    )


# --8<-- [end:attend]


def dense_mask(length: int) -> torch.Tensor:
    """The same mask as a matrix, for SDPA."""
    positions = torch.arange(length, device=device())
    return window(0, 0, positions[:, None], positions[None])


def backward_error() -> str:
    """What a backward pass says, or nothing where it works."""
    try:
        choose(tiny_model().config)(**tiny_batch()).loss.backward()
    except NotImplementedError as error:
        return str(error)
    return ""


def main() -> None:
    config, tokens = tiny_model().config, tiny_batch()["input_ids"]
    with torch.compiler.set_stance("force_eager"), torch.no_grad():  # The tiny model alone would compile for long.
        difference = choose(config)(tokens).logits - tiny_model()(tokens).logits
        print(f"Largest difference of the logits, flex attention and SDPA: {difference.abs().max():.4f}")
        print(f"Blocks that the window skips: {window_mask(1024, device()).sparsity():.0f} % at 1024 tokens, ", end="")
        print(f"{window_mask(4096, device()).sparsity():.0f} % at 4096")
    with torch.compiler.set_stance("force_eager"):
        print(f"Backward pass on {device().type}: {backward_error() or 'works'}")


if __name__ == "__main__":
    main()
