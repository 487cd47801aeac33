"""DoRA: LoRA changes the direction of each weight's rows, and a trained vector holds their length."""

from _peft import logits, relative_difference, tiny_model
from torch.utils.flop_counter import FlopCounterMode

# isort: split
# --8<-- [start:add]
from peft import LoraConfig, PeftModel, get_peft_model
from transformers import PreTrainedModel


def add_dora(model: PreTrainedModel, use_dora: bool = True) -> PeftModel:
    config = LoraConfig(
        r=8,
        lora_alpha=16,
        target_modules="all-linear",
        use_dora=use_dora,
        task_type="CAUSAL_LM",
    )
    return get_peft_model(model, config)
# --8<-- [end:add]


def forward_flops(model: PreTrainedModel) -> int:
    """Floating-point operations of matrix products in a forward pass of the first batch."""
    with FlopCounterMode(display=False) as counter:
        logits(model)
    return counter.get_total_flops()


def main() -> None:
    base = forward_flops(tiny_model())
    before = logits(tiny_model())
    for name, use_dora in {"LoRA": False, "DoRA": True}.items():
        model = add_dora(tiny_model(), use_dora)
        trained, _ = model.get_nb_trainable_parameters()
        start = relative_difference(logits(model), before)
        flops = forward_flops(model) / base
        merged = forward_flops(model.merge_and_unload()) / base
        print(f"{name}: {trained:,} parameters, logits before training differ by {start:.3f}")
        print(f"      operations of a forward pass: {flops:.2f} of the base model's; merged: {merged:.2f}")


if __name__ == "__main__":
    main()
