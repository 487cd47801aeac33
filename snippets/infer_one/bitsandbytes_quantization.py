"""bitsandbytes: linear layers of 8 or 4 bits a weight, quantized while the checkpoint is read."""

from tempfile import TemporaryDirectory

from _infer_one import device, prompt, tiny_model

# isort: split
# --8<-- [start:configurations]
import torch
from transformers import (
    AutoModelForCausalLM,
    BitsAndBytesConfig,
    PreTrainedModel,
)

CONFIGURATIONS = {
    "8-bit": BitsAndBytesConfig(load_in_8bit=True),
    "4-bit": BitsAndBytesConfig(
        load_in_4bit=True,
        bnb_4bit_quant_type="nf4",
        bnb_4bit_compute_dtype=torch.bfloat16,
    ),
}


# --8<-- [end:configurations]
# --8<-- [start:load]
def load(
    checkpoint: str, config: BitsAndBytesConfig, device: str = "cuda"
) -> PreTrainedModel:
    return AutoModelForCausalLM.from_pretrained(
        checkpoint,
        quantization_config=config,
        device_map=device,
    )


# --8<-- [end:load]


def large_enough_model() -> PreTrainedModel:
    """A model whose smallest matrix, that of two heads' keys, has the 32 outputs that a kernel for CPUs works on."""
    return tiny_model(hidden_size=128)


def linear_bytes(model: PreTrainedModel) -> int:
    """Bytes of the decoder layers' linear weights without their scales; the output layer is left as it is."""
    weights = [p for name, p in model.model.layers.named_parameters() if "_proj" in name]
    return sum(weight.nbytes for weight in weights)


def relative_error(ours: torch.Tensor, theirs: torch.Tensor) -> float:
    """The norm of the difference, divided by the norm of `theirs`."""
    return ((ours - theirs).norm() / theirs.norm()).item()


def main() -> None:
    model = large_enough_model()
    whole = linear_bytes(model)
    print(f"fp32:  {whole:,} bytes of linear weights")
    with TemporaryDirectory() as folder, torch.inference_mode():
        model.save_pretrained(folder)
        for name, config in CONFIGURATIONS.items():
            quantized = load(folder, config, device().type)
            error = relative_error(quantized(**prompt()).logits.float(), model(**prompt()).logits)
            print(f"{name}: {linear_bytes(quantized):,} bytes, relative error of the logits {error:.3f}")


if __name__ == "__main__":
    main()
