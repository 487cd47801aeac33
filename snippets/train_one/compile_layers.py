"""torch.compile, layer by layer: the same results, from one graph that all layers share."""

import torch
from torch import nn

# --8<-- [start:imports]
from transformers.modeling_layers import GradientCheckpointingLayer

# --8<-- [end:imports]
from _tiny import device, tiny_batch, tiny_model

LAYERS = 4


def compile_layers(model: nn.Module) -> None:
    # --8<-- [start:layers]
    for module in model.modules():
        # The class of a decoder layer, in whichever model.
        if isinstance(module, GradientCheckpointingLayer):
            module.compile()
    # --8<-- [end:layers]


def largest_difference() -> float:
    """The largest difference of the logits after compiling the layers from those before."""
    model, batch = tiny_model(num_hidden_layers=LAYERS).eval(), tiny_batch()
    with torch.no_grad():
        before = model(**batch, use_cache=False).logits
        compile_layers(model)
        difference = model(**batch, use_cache=False).logits - before
    return difference.abs().max().item()


def compiled_graphs() -> int:
    """How many graphs torch.compile has captured so far."""
    return torch._dynamo.utils.counters["stats"]["unique_graphs"]


def main() -> None:
    # inductor takes half a minute on a CPU; aot_eager captures the same graphs and runs them as they are.
    backend = "inductor" if torch.accelerator.is_available() else "aot_eager"
    with torch.compiler.set_stance("default", force_backend=backend):
        difference = largest_difference()
    print(f"{backend} on {device().type}: largest difference of the logits {difference:.4f}")
    print(f"{LAYERS} layers, {compiled_graphs()} graph")


if __name__ == "__main__":
    main()
