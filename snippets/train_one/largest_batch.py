"""The largest batch of full-length samples that trains in bf16, searched downwards from one that is too large."""

from batch_size import memory_budget

from _tiny import tiny_checkpoint

# isort: split
# --8<-- [start:search]
import bitsandbytes as bnb
import torch
from accelerate.utils import find_executable_batch_size
from transformers import AutoModelForCausalLM


# Called without a batch size: it starts at 64, then takes 0.9 of it.
@find_executable_batch_size(starting_batch_size=64)
def largest_batch(batch_size, checkpoint, length, device="cuda"):
    # Made here, so that a failed try leaves nothing.
    model = AutoModelForCausalLM.from_pretrained(
        checkpoint, dtype=torch.float32
    ).to(device)
    model.activation_checkpointing_enable()
    model.train()
    optimizer = bnb.optim.AdamW8bit(model.parameters())
    # The state of the embedding stays in fp32, as in `Trainer`.
    manager = bnb.optim.GlobalOptimManager.get_instance()
    manager.register_module_override(
        model.get_input_embeddings(), "weight", {"optim_bits": 32}
    )
    shape = (batch_size, length)
    tokens = torch.randint(model.config.vocab_size, shape, device=device)
    # With accumulation, a pass also holds gradients and optimizer state.
    for _ in range(2):
        with torch.autocast(device, torch.bfloat16):
            loss = model(tokens, labels=tokens, use_cache=False).loss
        loss.backward()
        optimizer.step()
    return batch_size


# --8<-- [end:search]
def main() -> None:
    budget = 4_000_000
    accelerator = torch.accelerator.current_accelerator(check_available=True)
    with tiny_checkpoint() as checkpoint, memory_budget(budget):
        found = largest_batch(
            checkpoint=checkpoint, length=64, device=accelerator.type if accelerator else "cpu"
        )
    print(f"With {budget:,} bytes for activations: {found} samples of 64 tokens")


if __name__ == "__main__":
    main()
