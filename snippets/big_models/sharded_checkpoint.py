"""Sharded checkpoints: weights in several files, none larger than asked for, and an index of what is where."""

from tempfile import TemporaryDirectory

from _big_models import tiny_model

# isort: split
# --8<-- [start:imports]
import json
from pathlib import Path

# --8<-- [end:imports]
# isort: split
# --8<-- [start:load]
import torch
from transformers import AutoModelForCausalLM, PreTrainedModel


def load_anywhere(
    checkpoint: str, limits: dict[int | str, str] | None = None
) -> PreTrainedModel:
    return AutoModelForCausalLM.from_pretrained(
        checkpoint,
        dtype=torch.bfloat16,
        device_map="auto",
        max_memory=limits,
    )


# --8<-- [end:load]
# --8<-- [start:save]
def save(
    model: PreTrainedModel, folder: str, largest: str = "5GB"
) -> None:
    model.save_pretrained(folder, max_shard_size=largest)


# --8<-- [end:save]
# --8<-- [start:index]
# For every file the names of its weights.
def shards(folder: Path) -> dict[str, list[str]]:
    names = (folder / "model.safetensors.index.json").read_text()
    index = json.loads(names)
    files: dict[str, list[str]] = {}
    for weight, file in index["weight_map"].items():
        files.setdefault(file, []).append(weight)
    return files


# --8<-- [end:index]
def main() -> None:
    model = tiny_model()
    with TemporaryDirectory() as name:
        folder = Path(name)
        model.save_pretrained(folder / "whole")
        save(model, folder / "sharded", "200KB")
        print(f"Default: {', '.join(file.name for file in sorted((folder / 'whole').glob('model*')))}")
        for file, weights in sorted(shards(folder / "sharded").items()):
            size = (folder / "sharded" / file).stat().st_size
            print(f"{file}: {len(weights):2} weights, {size:,} bytes")
        loaded = load_anywhere(folder / "sharded")
    rounded = model.to(loaded.device, loaded.dtype).state_dict()
    same = all(weight.equal(rounded[name]) for name, weight in loaded.state_dict().items())
    print(f"Loaded again in {loaded.dtype}, all weights are the same: {same}")


if __name__ == "__main__":
    main()
