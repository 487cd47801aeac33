"""The exported graph gives the model's logits on ONNX Runtime, for other shapes than it was exported with."""

import logging
from collections.abc import Iterator
from pathlib import Path

import onnxruntime
import pytest
import torch
from _infer_cpu import tiny_model, tokens
from transformers import PreTrainedModel
from transformers.exporters.base import ExportedModel
from transformers.exporters.exporter_onnx import OnnxConfig, OnnxExporter

from snippets.infer_cpu import onnx_export as snippet

pytestmark = pytest.mark.needs(device="cpu")


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
        logits = snippet.run(exported, tokens(*shape), torch.ones(shape, dtype=torch.long))
        torch.testing.assert_close(logits, model(tokens(*shape)).logits)


@pytest.fixture
def padded() -> dict[str, torch.Tensor]:
    """Samples of different lengths, padded on the left."""
    rows = tokens(3, 24)
    mask = torch.ones_like(rows)
    mask[1, :7] = mask[2, :3] = 0
    return {"rows": rows, "mask": mask}


def test_padding_changes_no_logits(
    model: PreTrainedModel, exported: ExportedModel, padded: dict[str, torch.Tensor], tmp_path: Path
) -> None:
    real = padded["mask"].bool()
    with torch.inference_mode():
        expected = model(padded["rows"], attention_mask=padded["mask"]).logits[real]
    torch.testing.assert_close(snippet.run(exported, **padded)[real], expected)
    torch.testing.assert_close(snippet.run_from_file(exported, str(tmp_path), **padded)[real], expected)


@pytest.mark.claim("perf_infer_cpu#onnx", "transformers/exporters/base.py::ExportedModel.__call__")
def test_an_input_that_it_was_not_exported_with_is_dropped(
    model: PreTrainedModel, padded: dict[str, torch.Tensor]
) -> None:
    unmasked = OnnxExporter().export(
        model, {"input_ids": tokens(), "use_cache": False}, config=OnnxConfig(dynamic=True)
    )
    assert [each.name for each in unmasked.program.graph.inputs] == ["input_ids"]
    with torch.inference_mode():
        torch.testing.assert_close(snippet.run(unmasked, **padded), model(padded["rows"]).logits)


def test_a_model_in_bf16_is_exported_and_does_not_run() -> None:
    exported = snippet.export(tiny_model(num_hidden_layers=1).bfloat16(), tokens())
    with pytest.raises(onnxruntime.capi.onnxruntime_pybind11_state.NotImplemented, match="Could not find an implement"):
        snippet.run(exported, tokens(), torch.ones_like(tokens()))


def test_the_file_needs_no_transformers(model: PreTrainedModel, exported: ExportedModel, tmp_path: Path) -> None:
    with torch.inference_mode():
        expected = model(tokens(3, 24)).logits
    mask = torch.ones(3, 24, dtype=torch.long)
    torch.testing.assert_close(snippet.run_from_file(exported, str(tmp_path), tokens(3, 24), mask), expected)
    assert (tmp_path / "model.onnx").exists()


def test_onnx_runtimes_own_operators_make_the_graph_smaller(
    model: PreTrainedModel, exported: ExportedModel, padded: dict[str, torch.Tensor]
) -> None:
    fused = snippet.export(model, tokens(), "cpu")
    assert snippet.operators(fused)["RotaryEmbedding"] == 2
    assert snippet.operators(fused).total() < snippet.operators(exported).total()
    real = padded["mask"].bool()
    with torch.inference_mode():
        expected = model(padded["rows"], attention_mask=padded["mask"]).logits[real]
    torch.testing.assert_close(snippet.run(fused, **padded)[real], expected)
