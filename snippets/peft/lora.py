"""LoRA: the weights are frozen, and every linear layer gets two small matrices beside it that are trained."""

from pathlib import Path
from tempfile import TemporaryDirectory

from _peft import batches, device, kept_bytes, logits, relative_difference, tiny_model

# isort: split
# --8<-- [start:imports]
from collections import Counter

from peft.tuners.lora import LoraLayer

# --8<-- [end:imports]
# isort: split
# --8<-- [start:add]
import torch
from peft import LoraConfig, PeftModel, get_peft_model
from transformers import AutoModelForCausalLM, PreTrainedModel


def add_lora(model: PreTrainedModel) -> PeftModel:
    config = LoraConfig(
        r=16,  # the rank of the update
        lora_alpha=32,  # the update is multiplied by lora_alpha / r
        target_modules="all-linear",  # every linear layer but the head
        task_type="CAUSAL_LM",
    )
    return get_peft_model(model, config)
# --8<-- [end:add]


# --8<-- [start:train]
def train(model: PeftModel, batches: list, lr: float = 2e-4) -> None:
    adapter = [p for p in model.parameters() if p.requires_grad]
    optimizer = torch.optim.AdamW(adapter, lr=lr)
    model.train()
    for batch in batches:
        # Without it, layers keep their inputs in fp32 as well.
        with torch.autocast(model.device.type, dtype=torch.bfloat16):
            loss = model(**batch).loss
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
# --8<-- [end:train]


# --8<-- [start:load]
def load(checkpoint: str, adapter: str) -> PeftModel:
    base = AutoModelForCausalLM.from_pretrained(checkpoint)
    # To train on, add `is_trainable=True`: the default freezes the adapter.
    return PeftModel.from_pretrained(base, adapter)
# --8<-- [end:load]


# --8<-- [start:merge]
def merge(checkpoint: str, adapter: str, merged: str) -> None:
    model = load(checkpoint, adapter)
    model.merge_and_unload().save_pretrained(merged)
# --8<-- [end:merge]


# --8<-- [start:check]
# What is added to a weight that layers share would change all of them.
def shared_layers(model: PeftModel) -> list[str]:
    held = [p for m in model.modules() for p in m.parameters(recurse=False)]
    holders = Counter(map(id, held))
    return [
        name
        for name, layer in model.named_modules()
        if isinstance(layer, LoraLayer)
        and holders[id(getattr(layer.get_base_layer(), "weight", None))] > 1
    ]
# --8<-- [end:check]


def file_bytes(folder: Path) -> int:
    """Bytes of the weights in a folder."""
    return sum(file.stat().st_size for file in folder.glob("*.safetensors"))


def kept_with(adapter: bool, autocast: bool) -> int:
    """Bytes that a pass over 4 x 128 tokens keeps, of a model that is wide beside the rank."""
    model = tiny_model(hidden_size=256, intermediate_size=512)
    model = (add_lora(model) if adapter else model).train()
    ids = torch.randint(1, 256, (4, 128), generator=torch.Generator().manual_seed(0)).to(device())
    with torch.autocast(device().type, dtype=torch.bfloat16, enabled=autocast):
        return kept_bytes(model, {"input_ids": ids, "labels": ids})


def main() -> None:
    before = logits(tiny_model())
    model = add_lora(tiny_model())
    trained, total = model.get_nb_trainable_parameters()
    print(f"Trained: {trained:,} of {total:,} parameters")
    print(f"The logits before training are the base model's: {torch.equal(logits(model), before)}")
    train(model, batches() * 20, lr=2e-3)
    frozen = [p for p in model.parameters() if not p.requires_grad]
    unchanged = all(torch.equal(old, new) for old, new in zip(tiny_model().parameters(), frozen, strict=True))
    print(f"The base weights after training are the same:    {unchanged}")
    after = logits(model)
    with TemporaryDirectory() as folder:
        checkpoint, adapter, merged = (Path(folder, name) for name in ("checkpoint", "adapter", "merged"))
        tiny_model().save_pretrained(checkpoint)
        model.save_pretrained(adapter)
        print(f"Files: checkpoint {file_bytes(checkpoint):,} bytes, adapter {file_bytes(adapter):,} bytes")
        loaded = load(str(checkpoint), str(adapter)).to(device())
        print(f"The loaded adapter gives the same logits:        {torch.equal(logits(loaded), after)}")
        merge(str(checkpoint), str(adapter), str(merged))
        error = relative_difference(logits(AutoModelForCausalLM.from_pretrained(merged).to(device())), after)
    print(f"Kept for the backward pass: the base {kept_with(adapter=False, autocast=False):,} bytes, ", end="")
    print(f"with LoRA {kept_with(adapter=True, autocast=False):,}, ", end="")
    print(f"with LoRA under autocast {kept_with(adapter=True, autocast=True):,}")
    print(f"Training changed the logits by {relative_difference(before, after):.2f}, merging in bf16 by {error:.2f}")


if __name__ == "__main__":
    main()
