"""Optimizer state: the bytes that each optimizer keeps for a parameter of t5-3b, without t5-3b."""

# --8<-- [start:imports]
from functools import partial

import bitsandbytes as bnb
import torch
from torch._subclasses.fake_tensor import FakeTensorMode
from torchao.optim import AdamW4bit
from torchao.optim.subclass_4bit import get_qmap_signed, get_qmap_unsigned

# --8<-- [end:imports]
from peak import fused_adamw, optimizer_state, t5_3b
from techniques import adafactor

# --8<-- [start:optimizers]
optimizers = {
    "AdamW": fused_adamw,
    "AdamW, 8-bit (bitsandbytes)": bnb.optim.AdamW8bit,
    "AdamW, 4-bit (torchao)": AdamW4bit,
    # Blocks as Trainer makes them for optim="adamw_torch_4bit".
    "AdamW, 4-bit, blocks of 256": partial(AdamW4bit, block_size=256),
    # As Trainer makes it for optim="adafactor".
    "Adafactor": adafactor,
}
# --8<-- [end:optimizers]


# --8<-- [start:state]
def bytes_per_parameter(build, optimizer_for):
    # torchao keeps these two tables; they need real numbers.
    get_qmap_signed(), get_qmap_unsigned()
    with FakeTensorMode(allow_non_fake_inputs=True) as fake:
        model = build()
    # Not in the mode: bitsandbytes makes two tables of real numbers.
    optimizer = optimizer_for(model.parameters())
    # torchao compiles its step, which fake tensors do not need.
    with fake, torch.compiler.set_stance("force_eager"):
        for parameter in model.parameters():
            parameter.grad = torch.zeros_like(parameter)
        optimizer.step()

    # Tables that parameters share count once.
    storages = {
        state.untyped_storage()._cdata: state.untyped_storage().nbytes()
        for state in optimizer_state(optimizer)
    }
    parameters = sum(p.numel() for p in model.parameters())
    return sum(storages.values()) / parameters


# --8<-- [end:state]


def main() -> None:
    with FakeTensorMode():
        parameters = sum(parameter.numel() for parameter in t5_3b().parameters())
    print(f"t5-3b has {parameters:,} parameters; bytes of optimizer state for each:")
    for name, optimizer_for in optimizers.items():
        print(f"  {name:28}{bytes_per_parameter(t5_3b, optimizer_for):8.4f}")


if __name__ == "__main__":
    main()
