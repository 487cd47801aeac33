"""FlashAttention as a package: what transformers asks for before it lets a model use it."""

import torch
from transformers import AutoModelForCausalLM
from transformers.utils import is_flash_attn_2_available

from _tiny import tiny_model


# --8<-- [start:choose]
# The weights stay in fp32; under autocast the kernel gets bf16.
def load(config, implementation="flash_attention_2"):
    return AutoModelForCausalLM.from_config(
        config, attn_implementation=implementation, dtype=torch.float32
    )


# --8<-- [end:choose]


# --8<-- [start:gate]
# Why this machine cannot use an implementation; nothing if it can.
def missing(config, implementation):
    try:
        load(config, implementation)
    except ImportError as error:
        return str(error)
    return ""


# --8<-- [end:gate]


def main() -> None:
    print(f"The package is there, and a GPU that it runs on: {is_flash_attn_2_available()}")
    for implementation in ("flash_attention_2", "flash_attention_3", "kernels-community/flash-attn2"):
        print(f"{implementation}: {missing(tiny_model().config, implementation) or 'may be used'}")


if __name__ == "__main__":
    main()
