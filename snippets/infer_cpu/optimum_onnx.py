"""Optimum: ONNX Runtime behind the classes of transformers, the export before transformers had its own."""

import logging
from tempfile import TemporaryDirectory

import torch
from transformers import BertConfig, BertForSequenceClassification

# isort: split
# --8<-- [start:export]
from optimum.onnxruntime import (
    ORTModelForSequenceClassification,
    ORTQuantizer,
)
from optimum.onnxruntime.configuration import AutoQuantizationConfig


def export(checkpoint: str) -> ORTModelForSequenceClassification:
    return ORTModelForSequenceClassification.from_pretrained(
        checkpoint, export=True
    )


# --8<-- [end:export]
# --8<-- [start:quantize]
def quantize(
    model: ORTModelForSequenceClassification, folder: str
) -> ORTModelForSequenceClassification:
    config = AutoQuantizationConfig.avx512_vnni(
        is_static=False, per_channel=False
    )
    quantizer = ORTQuantizer.from_pretrained(model)
    quantizer.quantize(save_dir=folder, quantization_config=config)
    return ORTModelForSequenceClassification.from_pretrained(folder)


# --8<-- [end:quantize]
def tiny_model() -> BertForSequenceClassification:
    """A BERT of random weights in evaluation mode, the same at every call; nothing is downloaded."""
    torch.manual_seed(0)
    sizes = {"hidden_size": 64, "intermediate_size": 128, "num_hidden_layers": 2, "num_attention_heads": 4}
    return BertForSequenceClassification(BertConfig(vocab_size=256, **sizes)).eval()


def inputs(rows: int = 2, length: int = 16) -> dict[str, torch.Tensor]:
    tokens = torch.randint(256, (rows, length), generator=torch.Generator().manual_seed(0))
    return {
        "input_ids": tokens,
        "attention_mask": torch.ones_like(tokens),
        "token_type_ids": torch.zeros_like(tokens),
    }


def relative_error(ours: torch.Tensor, theirs: torch.Tensor) -> float:
    """The norm of the difference, divided by the norm of `theirs`."""
    return ((ours - theirs).norm() / theirs.norm()).item()


def main() -> None:
    logging.disable(logging.WARNING)
    model = tiny_model()
    with TemporaryDirectory() as folder, torch.no_grad():
        model.save_pretrained(f"{folder}/torch")
        exported = export(f"{folder}/torch")
        exported.save_pretrained(f"{folder}/onnx")
        quantized = quantize(exported, f"{folder}/quantized")
        expected = model(**inputs(3, 24)).logits
        for name, runtime in (("exported", exported), ("8-bit", quantized)):
            error = relative_error(runtime(**inputs(3, 24)).logits, expected)
            print(f"{name:9} relative error of the logits {error:.4f}, {runtime.model_path.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
