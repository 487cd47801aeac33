"""FlashAttention as a package: what transformers asks for before it lets a model use it."""

import torch
from transformers import AutoModelForCausalLM, LlamaConfig, PreTrainedModel
from transformers.utils import is_flash_attn_2_available

from _tiny import tiny_model


def choose(config: LlamaConfig, implementation: str = "flash_attention_2") -> PreTrainedModel:
    # --8<-- [start:choose]
    # fp32 is refused by the kernel: give the model a dtype.
    model = AutoModelForCausalLM.from_config(
        config, attn_implementation=implementation, dtype=torch.bfloat16
    )
    # --8<-- [end:choose]
    return model


def refusal(implementation: str) -> str:
    """Why this machine does not get the implementation, or nothing where it does."""
    # --8<-- [start:gate]
    try:
        choose(tiny_model().config, implementation)
    except ImportError as error:
        return str(error)
    return ""
    # --8<-- [end:gate]


def main() -> None:
    print(f"The package is there, and a GPU that it runs on: {is_flash_attn_2_available()}")
    for implementation in ("flash_attention_2", "flash_attention_3", "kernels-community/flash-attn2"):
        print(f"{implementation}: {refusal(implementation) or 'may be used'}")


if __name__ == "__main__":
    main()
