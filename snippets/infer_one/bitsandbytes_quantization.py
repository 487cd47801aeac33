"""bitsandbytes: linear layers of 8 or 4 bits a weight, quantized while the checkpoint is read."""

from pathlib import Path
from tempfile import TemporaryDirectory

import torch
from _infer_one import device, prompt, tiny_model
from transformers import AutoModelForCausalLM, BitsAndBytesConfig, PreTrainedModel


def configurations() -> dict[str, BitsAndBytesConfig]:
    # --8<-- [start:configurations]
    return {
        "8-bit": BitsAndBytesConfig(load_in_8bit=True),
        "4-bit": BitsAndBytesConfig(
            load_in_4bit=True,
            bnb_4bit_quant_type="nf4",
            bnb_4bit_compute_dtype=torch.bfloat16,
        ),
    }
    # --8<-- [end:configurations]


def load(checkpoint: Path, config: BitsAndBytesConfig) -> PreTrainedModel:
    # --8<-- [start:load]
    model = AutoModelForCausalLM.from_pretrained(
        checkpoint,
        quantization_config=config,
        device_map=device().type,
    )
    # --8<-- [end:load]
    return model


def linear_bytes(model: PreTrainedModel) -> int:
    """Bytes of the decoder layers' linear weights without their scales; the output layer is left as it is."""
    weights = [p for name, p in model.model.layers.named_parameters() if "_proj" in name]
    return sum(weight.nbytes for weight in weights)


def relative_error(ours: torch.Tensor, theirs: torch.Tensor) -> float:
    """The norm of the difference, divided by the norm of `theirs`."""
    return ((ours - theirs).norm() / theirs.norm()).item()


def main() -> None:
    model = tiny_model()
    whole = linear_bytes(model)
    print(f"fp32:  {whole:,} bytes of linear weights")
    with TemporaryDirectory() as folder, torch.inference_mode():
        model.save_pretrained(folder)
        for name, config in configurations().items():
            quantized = load(Path(folder), config)
            error = relative_error(quantized(**prompt()).logits.float(), model(**prompt()).logits)
            print(f"{name}: {linear_bytes(quantized):,} bytes, relative error of the logits {error:.3f}")


if __name__ == "__main__":
    main()
