"""Packing in a Trainer: the collator makes one sequence of a batch, and the Trainer turns the cache off."""

import sys
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path
from tempfile import TemporaryDirectory

sys.path.append(str(Path(__file__).parent.parent / "_shared"))
from _tiny_texts import save_checkpoint

# isort: split
# --8<-- [start:train]
import torch
from transformers import (
    AutoModelForCausalLM,
    AutoTokenizer,
    DataCollatorWithFlattening,
    Trainer,
    TrainingArguments,
)


def train(
    checkpoint, texts, output_dir, attention="flash_attention_2", **more
):
    tokenizer = AutoTokenizer.from_pretrained(checkpoint)
    samples = []
    for text in texts:
        # At most 2,048 tokens; shorter texts end with the end token.
        tokens = tokenizer(text + tokenizer.eos_token)["input_ids"][:2048]
        samples.append({"input_ids": tokens})  # All tokens are learned.

    model = AutoModelForCausalLM.from_pretrained(
        checkpoint, dtype=torch.float32, attn_implementation=attention
    )
    settings = {
        "bf16": True,
        "activation_checkpointing": True,
        "per_device_train_batch_size": 8,
        "learning_rate": 1e-5,
        "logging_steps": 10,
        # Without an accelerator, bf16=True fails unless this is set.
        "use_cpu": not torch.accelerator.is_available(),
    }
    trainer = Trainer(
        model,
        TrainingArguments(output_dir, **settings | more),
        train_dataset=samples,
        data_collator=DataCollatorWithFlattening(
            return_flash_attn_kwargs=True
        ),
        processing_class=tokenizer,  # Saved beside the model.
    )
    trainer.train()
    trainer.save_model()
    return trainer


# --8<-- [end:train]


TEXTS = ["Packing.", "One", "No padding here", "lasts", "long"]  # a token a letter, and the end token


def train_tiny(folder: str) -> Trainer:
    """The tiny model after training with SDPA, which any machine has."""
    checkpoint = save_checkpoint(Path(folder, "checkpoint"))
    with redirect_stdout(StringIO()):  # The log has timings.
        return train(checkpoint, TEXTS, str(Path(folder, "out")), attention="sdpa")


def main() -> None:
    with TemporaryDirectory() as folder:
        trainer = train_tiny(folder)
        batch = next(iter(trainer.get_train_dataloader()))
    lengths = ", ".join(str(len(each["input_ids"])) for each in trainer.train_dataset)
    print(f"Samples of {lengths} tokens, one batch: {list(batch['input_ids'].shape)}")
    print(f"The batch has: {', '.join(sorted(batch))}")
    print(f"The cache is on: {trainer.model.config.use_cache}")


if __name__ == "__main__":
    main()
