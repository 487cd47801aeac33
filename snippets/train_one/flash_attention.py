"""FlashAttention as a package: what transformers asks for before it lets a model use it."""

import torch
from transformers import AutoModelForCausalLM, LlamaConfig, PreTrainedModel
from transformers.utils import is_flash_attn_2_available

from _tiny import tiny_model


def load(checkpoint: str) -> PreTrainedModel:
    # --8<-- [start:choose]
    # The weights stay in fp32; under autocast the kernel gets bf16.
    model = AutoModelForCausalLM.from_pretrained(
        checkpoint,
        dtype=torch.float32,
        attn_implementation="flash_attention_2",
    )
    # --8<-- [end:choose]
    return model


def missing(config: LlamaConfig, implementation: str) -> str:
    """Why this machine cannot use an implementation; nothing if it can."""
    try:
        AutoModelForCausalLM.from_config(config, attn_implementation=implementation)
    except ImportError as error:
        return str(error)
    return ""


def main() -> None:
    print(f"The package is there, and a GPU that it runs on: {is_flash_attn_2_available()}")
    for implementation in ("flash_attention_2", "flash_attention_3", "kernels-community/flash-attn2"):
        print(f"{implementation}: {missing(tiny_model().config, implementation) or 'may be used'}")


if __name__ == "__main__":
    main()
