"""LoRA on several GPUs by formulas: what a rank of FSDP holds at the peak of a step, frozen weights split as well."""

from estimate import (
    MODELS,
    activations_of_adapted,
    adapter,
    backward_of_layer,
    frozen,
    fused,
    highest,
    parameters_of_layer,
    state_of,
)


# --8<-- [start:instants]
# FSDP casts the adapters to bf16 as it gathers them: they need no copies
# of their inputs. What is frozen has no gradients to reduce.
def instants_of_fsdp_lora(shape, batch, length, rank, checkpointing, fused):
    tokens, hidden = batch * length, shape.hidden
    query, _ = shape.widths()
    step = (shape, rank, length, False, fused)
    copies = 2 * (3 * hidden + query)
    layer = tokens * (activations_of_adapted(*step) - copies)
    stream = 2 * tokens * hidden
    kept = shape.layers * stream
    below, again = kept, layer  # until the last layer goes backward
    if not checkpointing:  # the first norm needs no gradient
        kept, again = shape.layers * layer - 2 * stream, 0
        below = kept - layer + 2 * stream
    end = tokens * (4 * hidden + 4)

    # Gathered whole: the tables all the time, up to three layers.
    adapters = sum(r * c for r, c in adapter(shape, rank))
    whole = 2 * (parameters_of_layer(shape) + adapters)
    rest = len(shape.tables()) * shape.vocabulary * hidden + hidden
    top = 2 * rest + whole
    stages = backward_of_layer(shape, tokens, length, "bf16", fused)
    return {
        "gather": (0, 0, 2 * top),
        "loss": (0, kept + end, 12 * tokens * shape.vocabulary + top),
        "last norm": (0, kept, 24 * tokens * hidden + top),
        "layer": (0, below, top + 2 * whole),
        "last layer": max(
            (
                (0, kept + again - freed, work + top + whole)
                for _, freed, work in stages
            ),
            key=sum,
        ),
        "optimizer": (4 * shape.layers * adapters, 0, 2 * rest),
    }
# --8<-- [end:instants]


# --8<-- [start:training]
def training_of_fsdp_lora(
    shape,
    batch,
    length,
    rank=16,
    checkpointing=False,
    accumulation=False,
    optimizer="adamw",
    ranks=8,
    flash=True,
):
    step = (batch, length, rank, checkpointing)
    fast = fused(shape, "bf16", flash)
    matrices = adapter(shape, rank)
    number = shape.layers * sum(r * c for r, c in matrices)
    state = sum(state_of(optimizer, r, c, 4) for r, c in matrices)
    weights = frozen(shape, quantized=False) + 4 * number
    kept = 4 * number if accumulation else 0
    fixed = 4 * length * shape.head_size + 16 * batch * length
    found = instants_of_fsdp_lora(shape, *step, fast)
    return highest({
        name: {
            "weights": weights / ranks,
            "gradients": max(kept, gradients) / ranks,
            "optimizer": shape.layers * state / ranks,
            "activations": activations + fixed,
            "workspace": workspace,
        }
        for name, (gradients, activations, workspace) in found.items()
    })
# --8<-- [end:training]


def main() -> None:
    print("GB at the peak on each GPU, LoRA with AdamW and checkpointing, 1 x 2048")
    print(f"{'GPUs':16}" + "".join(f"{ranks:>8}" for ranks in (2, 4, 8)))
    for name in ("Llama 3.1 8B", "Qwen3 32B", "Llama 3.1 70B"):
        held = (training_of_fsdp_lora(MODELS[name], 1, 2048, checkpointing=True, ranks=ranks)[1] for ranks in (2, 4, 8))
        print(f"{name:16}" + "".join(f"{sum(each.values()) / 1e9:8.2f}" for each in held))


if __name__ == "__main__":
    main()
