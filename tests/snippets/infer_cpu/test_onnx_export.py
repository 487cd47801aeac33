"""The exported graph gives the model's logits on ONNX Runtime, for other shapes than it was exported with."""

import logging
from collections.abc import Iterator
from pathlib import Path

import pytest
import torch
from _infer_cpu import tiny_model, tokens
from transformers import PreTrainedModel
from transformers.exporters.base import ExportedModel

from snippets.infer_cpu import onnx_export as snippet


@pytest.fixture(scope="module", autouse=True)
def quiet() -> Iterator[None]:
    logging.disable(logging.WARNING)
    yield
    logging.disable(logging.NOTSET)


@pytest.fixture(scope="module")
def model() -> PreTrainedModel:
    return tiny_model(num_hidden_layers=1)


@pytest.fixture(scope="module")
def exported(model: PreTrainedModel) -> ExportedModel:
    return snippet.export(model, tokens())


@pytest.mark.parametrize("shape", [(2, 16), (3, 24), (1, 5)])
def test_the_logits_are_the_models(model: PreTrainedModel, exported: ExportedModel, shape: tuple[int, int]) -> None:
    with torch.inference_mode():
        torch.testing.assert_close(snippet.run(exported, tokens(*shape)), model(tokens(*shape)).logits)


def test_the_file_needs_no_transformers(model: PreTrainedModel, exported: ExportedModel, tmp_path: Path) -> None:
    with torch.inference_mode():
        expected = model(tokens(3, 24)).logits
    torch.testing.assert_close(snippet.run_from_file(exported, str(tmp_path), tokens(3, 24)), expected)
    assert (tmp_path / "model.onnx").exists()


def test_onnx_runtimes_own_operators_make_the_graph_smaller(model: PreTrainedModel, exported: ExportedModel) -> None:
    fused = snippet.export(model, tokens(), "cpu")
    assert snippet.operators(fused)["RotaryEmbedding"] == 2
    assert snippet.operators(fused).total() < snippet.operators(exported).total()
    with torch.inference_mode():
        torch.testing.assert_close(snippet.run(fused, tokens(3, 24)), model(tokens(3, 24)).logits)
