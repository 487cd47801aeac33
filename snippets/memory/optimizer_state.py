"""Optimizer state: the bytes that each optimizer keeps for a parameter of t5-3b, without t5-3b."""

from collections.abc import Callable, Iterator

import bitsandbytes as bnb
import torch
from peak import optimizer_state, t5_3b
from torch import nn
from torch._subclasses.fake_tensor import FakeTensorMode
from torchao.optim import AdamW4bit
from torchao.optim.subclass_4bit import get_qmap_signed, get_qmap_unsigned
from transformers import Adafactor

# The optimizer for a model's parameters.
OptimizerFor = Callable[[Iterator[nn.Parameter]], torch.optim.Optimizer]


def optimizers() -> dict[str, OptimizerFor]:
    # --8<-- [start:optimizers]
    return {
        "AdamW": lambda weights: torch.optim.AdamW(weights, fused=True),
        "AdamW, 8-bit (bitsandbytes)": bnb.optim.AdamW8bit,
        "AdamW, 4-bit (torchao)": AdamW4bit,
        # As Trainer makes it for optim="adafactor".
        "Adafactor": lambda weights: Adafactor(
            weights, lr=1e-3, scale_parameter=False, relative_step=False
        ),
    }
    # --8<-- [end:optimizers]


def bytes_per_parameter(build: Callable[[], nn.Module], optimizer_for: OptimizerFor) -> float:
    """Bytes of state for each parameter of a model on fake tensors; tables that parameters share count once."""
    get_qmap_signed(), get_qmap_unsigned()  # torchao keeps these two tables; they need real numbers.
    with torch.compiler.set_stance("force_eager"):  # torchao compiles its step, which fake tensors do not need.
        # --8<-- [start:state]
        with FakeTensorMode(allow_non_fake_inputs=True) as fake:
            model = build()
        # Not in the mode: bitsandbytes makes two tables of real numbers.
        optimizer = optimizer_for(model.parameters())
        with fake:
            for parameter in model.parameters():
                parameter.grad = torch.zeros_like(parameter)
            optimizer.step()

        storages = {
            state.untyped_storage()._cdata: state.untyped_storage().nbytes()
            for state in optimizer_state(optimizer)
        }
        parameters = sum(p.numel() for p in model.parameters())
        held = sum(storages.values()) / parameters
        # --8<-- [end:state]
    return held


def main() -> None:
    with FakeTensorMode():
        parameters = sum(parameter.numel() for parameter in t5_3b().parameters())
    print(f"t5-3b has {parameters:,} parameters; bytes of optimizer state for each:")
    for name, optimizer_for in optimizers().items():
        print(f"  {name:28}{bytes_per_parameter(t5_3b, optimizer_for):8.4f}")


if __name__ == "__main__":
    main()
