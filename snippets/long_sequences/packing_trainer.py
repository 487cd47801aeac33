"""Packing in a Trainer: the collator makes one sequence of a batch, and the Trainer turns the cache off."""

from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path
from tempfile import TemporaryDirectory

from _long_sequences import LENGTHS, samples, tiny_model

# isort: split
# --8<-- [start:train]
import torch
from transformers import (
    AutoModelForCausalLM,
    DataCollatorWithFlattening,
    Trainer,
    TrainingArguments,
)


# A sample has `input_ids`; `labels`, with -100 for a prompt, are optional.
def train(
    checkpoint, samples, output_dir, attention="flash_attention_2"
):
    model = AutoModelForCausalLM.from_pretrained(
        checkpoint, dtype=torch.float32, attn_implementation=attention
    )
    args = TrainingArguments(
        output_dir,
        per_device_train_batch_size=8,
        bf16=True,
        learning_rate=1e-5,
        # Without an accelerator, bf16=True fails unless this is set.
        use_cpu=not torch.accelerator.is_available(),
    )
    collate = DataCollatorWithFlattening(return_flash_attn_kwargs=True)
    trainer = Trainer(
        model, args, train_dataset=samples, data_collator=collate
    )
    trainer.train()
    trainer.save_model()
    return trainer


# --8<-- [end:train]


def train_tiny(folder: str) -> Trainer:
    """The tiny model after training with SDPA, which any machine has."""
    checkpoint = str(Path(folder, "checkpoint"))
    tiny_model().save_pretrained(checkpoint)
    with redirect_stdout(StringIO()):  # The log has timings.
        return train(checkpoint, samples(), str(Path(folder, "out")), attention="sdpa")


def main() -> None:
    with TemporaryDirectory() as folder:
        trainer = train_tiny(folder)
        batch = next(iter(trainer.get_train_dataloader()))
    print(f"Samples of {', '.join(map(str, LENGTHS))} tokens, one batch: {list(batch['input_ids'].shape)}")
    print(f"The batch has: {', '.join(sorted(batch))}")
    print(f"The cache is on: {trainer.model.config.use_cache}")


if __name__ == "__main__":
    main()
