"""ONNX: transformers' own exporter writes the graph, ONNX Runtime runs it."""

import logging
import sys
from collections import Counter
from contextlib import redirect_stdout
from pathlib import Path
from tempfile import TemporaryDirectory

from _infer_cpu import tiny_model, tokens

# isort: split
# --8<-- [start:export]
import onnxruntime
import torch
from transformers import PreTrainedModel
from transformers.exporters.base import ExportedModel
from transformers.exporters.exporter_onnx import OnnxConfig, OnnxExporter


def export(
    model: PreTrainedModel, rows: torch.Tensor, fusions: str | None = None
) -> ExportedModel:
    config = OnnxConfig(
        dynamic=True,  # any number of rows and tokens
        ort_fusions=fusions,  # "cpu": ONNX Runtime's own operators
    )
    inputs = {
        "input_ids": rows,
        "attention_mask": torch.ones_like(rows),
        "use_cache": False,
    }
    return OnnxExporter().export(model, inputs, config=config)


# --8<-- [end:export]
# --8<-- [start:run]
def run(
    exported: ExportedModel, rows: torch.Tensor, mask: torch.Tensor
) -> torch.Tensor:  # on ONNX Runtime
    return exported(input_ids=rows, attention_mask=mask).logits


# --8<-- [end:run]
# --8<-- [start:file]
def run_from_file(
    exported: ExportedModel,
    folder: str,
    rows: torch.Tensor,
    mask: torch.Tensor,
) -> torch.Tensor:
    exported.save_pretrained(folder)
    session = onnxruntime.InferenceSession(f"{folder}/model.onnx")
    inputs = {"input_ids": rows.numpy(), "attention_mask": mask.numpy()}
    (logits,) = session.run(["logits"], inputs)
    return torch.from_numpy(logits)


# --8<-- [end:file]
def operators(exported: ExportedModel) -> Counter[str]:
    """How many nodes of the graph there are of each operator."""
    return Counter(node.op_type for node in exported.program.graph)


def main() -> None:
    logging.disable(logging.WARNING)  # The exporter names every operator of torchvision that is not there.
    model, other = tiny_model(num_hidden_layers=2), tokens(3, 24)
    mask = torch.ones_like(other)
    mask[1, :5] = 0  # The second sample is shorter.
    with torch.inference_mode():
        expected = model(other, attention_mask=mask).logits
    with redirect_stdout(sys.stderr):  # The exporter tells what it is doing, and cannot be asked not to.
        exported, fused = export(model, tokens()), export(model, tokens(), "cpu")
    with TemporaryDirectory() as folder:
        difference = (run_from_file(exported, folder, other, mask) - expected)[mask.bool()].abs().max()
        print(f"Files: {', '.join(sorted(path.name for path in Path(folder).iterdir()))}")
    print(f"Exported from 2 x 16 tokens, run with 3 x 24, padded: largest difference of the logits {difference:.4f}")
    difference = (run(fused, other, mask) - expected)[mask.bool()].abs().max()
    print(f"Nodes: {operators(exported).total()}; with ONNX Runtime's own operators ", end="")
    print(f"{operators(fused).total()}, largest difference {difference:.4f}")


if __name__ == "__main__":
    main()
