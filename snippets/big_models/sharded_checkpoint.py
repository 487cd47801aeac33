"""Sharded checkpoints: weights in several files, none larger than asked for, and an index of what is where."""

import json
from pathlib import Path
from tempfile import TemporaryDirectory

from _big_models import tiny_model
from transformers import AutoModelForCausalLM, PreTrainedModel


def save(model: PreTrainedModel, folder: Path) -> None:
    # --8<-- [start:save]
    # Without max_shard_size a shard has up to 50 GB.
    model.save_pretrained(folder, max_shard_size="200KB")
    # --8<-- [end:save]


def load(folder: Path) -> PreTrainedModel:
    # --8<-- [start:load]
    model = AutoModelForCausalLM.from_pretrained(folder)
    # --8<-- [end:load]
    return model


def shards(folder: Path) -> dict[str, list[str]]:
    """For every file the names of its weights."""
    # --8<-- [start:index]
    index = json.loads((folder / "model.safetensors.index.json").read_text())
    files: dict[str, list[str]] = {}
    for weight, file in index["weight_map"].items():
        files.setdefault(file, []).append(weight)
    # --8<-- [end:index]
    return files


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
