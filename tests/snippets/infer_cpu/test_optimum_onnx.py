"""Optimum's export gives the model's logits for other shapes, and its 8-bit file is smaller and close."""

from pathlib import Path

import pytest
import torch

from snippets.infer_cpu import optimum_onnx as snippet

pytestmark = pytest.mark.env("onnx-legacy")


@pytest.fixture(scope="module")
def exported(tmp_path_factory: pytest.TempPathFactory) -> object:
    checkpoint: Path = tmp_path_factory.mktemp("checkpoint")
    snippet.tiny_model().save_pretrained(checkpoint)
    return snippet.export(checkpoint)


@pytest.mark.parametrize("shape", [(2, 16), (3, 24)])
def test_the_logits_are_the_models(exported: object, shape: tuple[int, int]) -> None:
    with torch.no_grad():
        expected = snippet.tiny_model()(**snippet.inputs(*shape)).logits
    assert snippet.relative_error(exported(**snippet.inputs(*shape)).logits, expected) < 1e-5


def test_the_quantized_file_is_smaller_and_its_logits_close(exported: object, tmp_path: Path) -> None:
    quantized = snippet.quantize(exported, tmp_path)
    assert quantized.model_path.stat().st_size < exported.model_path.stat().st_size / 2
    with torch.no_grad():
        expected = snippet.tiny_model()(**snippet.inputs()).logits
    assert 0.0001 < snippet.relative_error(quantized(**snippet.inputs()).logits, expected) < 0.1
