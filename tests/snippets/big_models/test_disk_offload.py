"""Weights beyond the limit stay on disk, the logits are those of the whole model, and the map says what is where."""

from pathlib import Path

import pytest
import torch
from _big_models import tiny_model, tokens
from transformers import AutoModelForCausalLM

from snippets.big_models import disk_offload as snippet


@pytest.fixture(scope="module")
def checkpoint(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("checkpoint")
    tiny_model().save_pretrained(path)
    return path


@pytest.mark.parametrize("memory", [400_000, 600_000])
def test_no_more_than_the_limit_is_in_memory(checkpoint: Path, tmp_path: Path, memory: int) -> None:
    offloaded, whole = snippet.load(checkpoint, tmp_path, memory), tiny_model()
    assert 0 < snippet.resident_bytes(offloaded) <= memory < snippet.resident_bytes(whole)
    assert set(offloaded.hf_device_map.values()) == {"cpu", "disk"}
    for name, weight in offloaded.named_parameters():
        part = max((part for part in offloaded.hf_device_map if name.startswith(part)), key=len)
        assert weight.is_meta == (offloaded.hf_device_map[part] == "disk")


def test_the_logits_are_those_of_the_whole_model_and_the_weights_go_again(checkpoint: Path, tmp_path: Path) -> None:
    offloaded = snippet.load(checkpoint, tmp_path, memory=400_000)
    before = snippet.resident_bytes(offloaded)
    with torch.no_grad():
        assert offloaded(tokens()).logits.equal(tiny_model()(tokens()).logits)
    assert snippet.resident_bytes(offloaded) == before


@pytest.mark.skipif(torch.accelerator.is_available(), reason="shows what happens where there is no accelerator")
def test_without_a_limit_a_cpu_keeps_all(checkpoint: Path) -> None:
    model = AutoModelForCausalLM.from_pretrained(checkpoint, device_map="auto")
    assert not hasattr(model, "hf_device_map")
    assert snippet.resident_bytes(model) == snippet.resident_bytes(tiny_model())
