"""Disk offload: what fits in memory stays there, the rest is read from the checkpoint when its layer runs."""

from tempfile import TemporaryDirectory

import torch
from _big_models import tiny_model, tokens

# isort: split
# --8<-- [start:load]
from transformers import AutoModelForCausalLM, PreTrainedModel


def load(checkpoint: str, offload: str, memory: int) -> PreTrainedModel:
    return AutoModelForCausalLM.from_pretrained(
        checkpoint,
        device_map="auto",
        max_memory={"cpu": memory},  # With a GPU: {0: "10GiB", "cpu": ...}
        offload_folder=offload,
    )


# --8<-- [end:load]
def resident_bytes(model: PreTrainedModel) -> int:
    """Bytes of the weights that are in memory; those on disk are on the device "meta"."""
    return sum(weight.nbytes for weight in model.parameters() if not weight.is_meta)


def main() -> None:
    model = tiny_model()
    whole = resident_bytes(model)
    with TemporaryDirectory() as name:
        checkpoint, offload = f"{name}/checkpoint", f"{name}/offload"
        model.save_pretrained(checkpoint)
        plain = AutoModelForCausalLM.from_pretrained(checkpoint, device_map="auto")
        offloaded = load(checkpoint, offload, memory=whole // 2)
        for part, device in offloaded.hf_device_map.items():
            print(f"{part:24}{device}")
        with torch.no_grad():
            same = offloaded(tokens()).logits.equal(model(tokens()).logits)
    print(f"Without max_memory: {getattr(plain, 'hf_device_map', 'no device map')}")
    print(f"Bytes of weights in memory: {resident_bytes(offloaded):,} of {whole:,}")
    print(f"The logits are the same: {same}")


if __name__ == "__main__":
    main()
