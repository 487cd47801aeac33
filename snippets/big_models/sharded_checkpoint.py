"""Sharded checkpoints: weights in several files, none larger than asked for, and an index of what is where."""

from tempfile import TemporaryDirectory

from _big_models import tiny_model

# isort: split
# --8<-- [start:save]
import json
from pathlib import Path

from transformers import AutoModelForCausalLM, PreTrainedModel


def save(model: PreTrainedModel, folder: Path) -> None:
    # Without max_shard_size a shard has up to 50 GB.
    model.save_pretrained(folder, max_shard_size="200KB")


# --8<-- [end:save]
# --8<-- [start:load]
def load(folder: Path) -> PreTrainedModel:
    return AutoModelForCausalLM.from_pretrained(folder)


# --8<-- [end:load]
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
        save(model, folder / "sharded")
        print(f"Default: {', '.join(file.name for file in sorted((folder / 'whole').glob('model*')))}")
        for file, weights in sorted(shards(folder / "sharded").items()):
            size = (folder / "sharded" / file).stat().st_size
            print(f"{file}: {len(weights):2} weights, {size:,} bytes")
        loaded = load(folder / "sharded").state_dict()
    same = all(weight.equal(loaded[name]) for name, weight in model.state_dict().items())
    print(f"Loaded again, all weights are the same: {same}")


if __name__ == "__main__":
    main()
