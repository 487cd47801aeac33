"""No shard is larger than asked for, the index names every weight once, and the weights come back."""

import json
from pathlib import Path

import pytest
import torch
from _big_models import tiny_model
from safetensors.torch import load_file

from snippets.big_models import sharded_checkpoint as snippet

LIMIT = 200_000


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("sharded")
    snippet.save(tiny_model(), path, "200KB")
    return path


def test_no_shard_holds_more_than_the_limit(folder: Path) -> None:
    shards = snippet.shards(folder)
    weights = sum(weight.nbytes for weight in tiny_model().parameters())
    assert len(shards) >= weights / LIMIT > 3
    for file in shards:
        assert 0 < sum(weight.nbytes for weight in load_file(folder / file).values()) <= LIMIT


def test_the_index_says_where_each_weight_is(folder: Path) -> None:
    shards = snippet.shards(folder)
    assert {file: set(names) for file, names in shards.items()} == {
        path.name: set(load_file(path)) for path in folder.glob("*.safetensors")
    }
    assert sorted(name for names in shards.values() for name in names) == sorted(tiny_model().state_dict())
    metadata = json.loads((folder / "model.safetensors.index.json").read_text())["metadata"]
    assert metadata["total_size"] == sum(weight.nbytes for weight in tiny_model().parameters())


def test_the_weights_come_back_in_bf16(folder: Path) -> None:
    loaded = snippet.load_anywhere(str(folder))
    weights = tiny_model().to(loaded.device, torch.bfloat16).state_dict()
    assert loaded.dtype == torch.bfloat16
    assert all(weight.equal(weights[name]) for name, weight in loaded.state_dict().items())


def test_what_exceeds_the_limits_is_on_disk(folder: Path) -> None:
    half = sum(weight.nbytes for weight in tiny_model().to(torch.bfloat16).parameters()) // 2
    devices = {str(device) for device in snippet.load_anywhere(str(folder), {"cpu": half}).hf_device_map.values()}
    assert devices == {"cpu", "disk"}


def test_a_small_model_is_one_file_by_default_and_never_a_pickle(tmp_path: Path) -> None:
    tiny_model().save_pretrained(tmp_path, safe_serialization=False)  # Ignored since transformers 5.
    assert [path.name for path in tmp_path.glob("*model*")] == ["model.safetensors"]
