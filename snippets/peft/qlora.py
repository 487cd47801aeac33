"""QLoRA: the frozen weights are stored in 4 bits, and LoRA's matrices beside them are trained."""

from pathlib import Path
from tempfile import TemporaryDirectory

import bitsandbytes as bnb
from _peft import batches, device, logits, relative_difference, tiny_model

# isort: split
# --8<-- [start:load]
import torch
from peft import (
    LoraConfig,
    PeftModel,
    get_peft_model,
    prepare_model_for_kbit_training,
)
from transformers import (
    AutoModelForCausalLM,
    BitsAndBytesConfig,
    PreTrainedModel,
)


def load_in_4bit(checkpoint: str, device_map: str) -> PreTrainedModel:
    quantization = BitsAndBytesConfig(
        load_in_4bit=True,
        bnb_4bit_quant_type="nf4",
        bnb_4bit_use_double_quant=True,
        bnb_4bit_compute_dtype=torch.bfloat16,  # the default is fp32
    )
    return AutoModelForCausalLM.from_pretrained(
        checkpoint, quantization_config=quantization, device_map=device_map
    )


def load_for_qlora(checkpoint: str, device_map: str = "auto") -> PeftModel:
    model = load_in_4bit(checkpoint, device_map)
    # Freezes all weights, casts 16-bit ones to fp32, checkpoints layers.
    model = prepare_model_for_kbit_training(
        model, gradient_checkpointing_kwargs={"use_reentrant": False}
    )
    config = LoraConfig(
        r=16,
        lora_alpha=32,
        target_modules="all-linear",
        task_type="CAUSAL_LM",
    )
    return get_peft_model(model, config)
# --8<-- [end:load]


# --8<-- [start:merge]
def merge_as_trained(
    checkpoint: str, adapter: str, device_map: str = "auto"
) -> PreTrainedModel:
    base = load_in_4bit(checkpoint, device_map).dequantize()
    return PeftModel.from_pretrained(base, adapter).merge_and_unload()
# --8<-- [end:merge]


def train(model: PeftModel, steps: int, lr: float = 2e-3) -> None:
    """Train the adapter on the tiny batches, again and again."""
    optimizer = torch.optim.AdamW([p for p in model.parameters() if p.requires_grad], lr=lr)
    model.train()
    for step in range(steps):
        with torch.autocast(device().type, dtype=torch.bfloat16):
            loss = model(**batches()[step % 2]).loss
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()


def weight_bits(model: PeftModel) -> float:
    """Bits of storage per frozen linear weight, the scales of its blocks counted."""
    layers = [module for module in model.modules() if isinstance(module, bnb.nn.Linear4bit)]
    scales = [layer.weight.quant_state.as_dict(packed=True) for layer in layers]
    extra = sum(tensor.nbytes for state in scales for name, tensor in state.items() if "absmax" in name)
    weights = sum(layer.in_features * layer.out_features for layer in layers)
    return 8 * (sum(layer.weight.nbytes for layer in layers) + extra) / weights


def merge_into_checkpoint(checkpoint: str, adapter: str) -> PreTrainedModel:
    """The adapter merged into the checkpoint that was never quantized."""
    base = AutoModelForCausalLM.from_pretrained(checkpoint, dtype=torch.float32)
    return PeftModel.from_pretrained(base.to(device()), adapter).merge_and_unload()


def merge_into_4_bits(checkpoint: str, adapter: str) -> PreTrainedModel:
    """The adapter merged into weights that are quantized again; evaluated before, a CPU may have repacked them."""
    base = load_in_4bit(checkpoint, device().type)
    return PeftModel.from_pretrained(base, adapter).merge_and_unload()


def main() -> None:
    with TemporaryDirectory() as folder:
        checkpoint, adapter = (str(Path(folder, name)) for name in ("checkpoint", "adapter"))
        tiny_model().save_pretrained(checkpoint)
        model = load_for_qlora(checkpoint, device().type)
        print(f"Bits per frozen linear weight: {weight_bits(model):.2f}")
        base = model.get_base_model()
        types = {name: str(base.get_submodule(name).weight.dtype) for name in ("model.embed_tokens", "lm_head")}
        print(f"Not quantized: {types}")
        train(model, steps=20)
        trained = logits(model)
        model.save_pretrained(adapter)
        merged = {
            "4-bit weights": lambda: merge_into_4_bits(checkpoint, adapter),
            "checkpoint": lambda: merge_into_checkpoint(checkpoint, adapter),
            "dequantized weights": lambda: merge_as_trained(checkpoint, adapter, device().type),
        }
        for name, merge in reversed(merged.items()):
            difference = relative_difference(logits(merge()), trained)
            print(f"Merged into the {name + ':':<20} logits differ by {difference:.3f}")


if __name__ == "__main__":
    main()
