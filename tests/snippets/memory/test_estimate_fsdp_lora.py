"""LoRA on several GPUs: what ranks share of it, and what is whole on each."""

from snippets.memory import estimate_fsdp_lora as snippet
from snippets.memory.estimate import MODELS, adapter, parameters


def test_ranks_share_frozen_weights_adapters_gradients_and_state() -> None:
    shape = MODELS["Llama 3.1 70B"]
    number = shape.layers * sum(rows * columns for rows, columns in adapter(shape, 16))
    two, eight = (snippet.training_of_fsdp_lora(shape, 1, 2048, checkpointing=True, accumulation=True, ranks=ranks)[1]
                  for ranks in (2, 8))
    assert eight["weights"] == (2 * parameters(shape) + 4 * number) / 8
    assert eight["optimizer"] == 2 * eight["gradients"] == 8 * number / 8
    for part in ("weights", "gradients", "optimizer"):
        assert two[part] == 4 * eight[part]
    assert (two["activations"], two["workspace"]) == (eight["activations"], eight["workspace"])


def test_without_a_flash_kernel_matrices_of_every_layer_count() -> None:
    shape = MODELS["Llama 3.2 1B"]
    kept = [sum(snippet.training_of_fsdp_lora(shape, 1, 4096, flash=flash)[1].values()) for flash in (False, True)]
    assert kept[0] - kept[1] > shape.layers * 4 * shape.heads * 4096**2
