"""What disk offload writes: weights that are converted while loading; all others are read from the checkpoint."""

from collections.abc import Callable
from pathlib import Path

import pytest
import torch
from _big_models import tiny_model
from transformers import MixtralConfig, MixtralForCausalLM, PreTrainedModel

from snippets.big_models.disk_offload import load


def mixture() -> PreTrainedModel:
    torch.manual_seed(0)
    sizes = {"vocab_size": 256, "hidden_size": 64, "intermediate_size": 128, "num_hidden_layers": 4}
    return MixtralForCausalLM(MixtralConfig(**sizes, num_attention_heads=4, num_key_value_heads=2, num_local_experts=4))


@pytest.mark.claim("big_models#offload", "transformers/integrations/accelerate.py::accelerate_disk_offload")
@pytest.mark.parametrize(("make", "written"), [(tiny_model, False), (mixture, True)])
def test_only_converted_weights_are_written(
    tmp_path: Path, make: Callable[[], PreTrainedModel], written: bool
) -> None:
    model = make()
    model.save_pretrained(tmp_path / "checkpoint")
    memory = sum(weight.nbytes for weight in model.parameters()) // 2
    offloaded = load(str(tmp_path / "checkpoint"), str(tmp_path / "offload"), memory)
    assert "disk" in offloaded.hf_device_map.values()
    names = [file.name for file in (tmp_path / "offload").iterdir()]
    assert bool(names) == written
    assert all("experts" in name for name in names)
