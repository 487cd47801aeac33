"""All weights of a model trained on texts in one program, with mixed precision and three methods that save memory."""

import sys
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path
from tempfile import TemporaryDirectory

sys.path.append(str(Path(__file__).parent.parent / "_shared"))
from _tiny_texts import TEXTS, save_checkpoint

# isort: split
# --8<-- [start:train]
import torch
from transformers import (
    AutoModelForCausalLM,
    AutoTokenizer,
    DataCollatorForSeq2Seq,
    Trainer,
    TrainingArguments,
)


def train_on_texts(checkpoint, texts, output_dir, **more):
    tokenizer = AutoTokenizer.from_pretrained(checkpoint)
    tokenizer.pad_token = tokenizer.pad_token or tokenizer.eos_token
    samples = []
    for text in texts:
        ids = tokenizer(text)["input_ids"] + [tokenizer.eos_token_id]
        samples.append({"input_ids": ids[:512], "labels": ids[:512]})

    # Without dtype=, the weights would have the checkpoint's type: bf16.
    model = AutoModelForCausalLM.from_pretrained(
        checkpoint, dtype=torch.float32
    )
    settings = {
        "bf16": True,
        "activation_checkpointing": True,
        "optim": "adamw_8bit",
        # Each optimizer step covers 8 x 8 samples.
        "per_device_train_batch_size": 8,
        "gradient_accumulation_steps": 8,
        "learning_rate": 1e-5,
        "logging_steps": 10,
        # Without an accelerator, bf16=True fails unless this is set.
        "use_cpu": not torch.accelerator.is_available(),
    }
    trainer = Trainer(
        model,
        TrainingArguments(output_dir, **settings | more),
        train_dataset=samples,
        data_collator=DataCollatorForSeq2Seq(tokenizer),
    )
    trainer.train()
    trainer.save_model()
    return trainer


# --8<-- [end:train]
def train_tiny(folder: Path) -> Trainer:
    """The program on a tiny checkpoint and 80 short texts."""
    checkpoint = save_checkpoint(folder / "checkpoint")
    with redirect_stdout(StringIO()):  # The log has timings.
        return train_on_texts(checkpoint, TEXTS, str(folder / "out"))


def main() -> None:
    torch.set_num_threads(1)
    with TemporaryDirectory() as folder:
        trainer = train_tiny(Path(folder))
        saved = sorted(file.name for file in Path(folder, "out").iterdir() if file.is_file())
    weight = trainer.model.model.layers[0].mlp.up_proj.weight
    state = trainer.optimizer.optimizer.state[weight]["state1"].dtype
    print(f"Weights {weight.dtype}, AdamW's state {state}")
    print(f"Layers are checkpointed: {trainer.model.is_activation_checkpointing}")
    print(f"Optimizer steps for {len(TEXTS)} samples in 3 epochs: {trainer.state.global_step}")
    print(f"Saved: {', '.join(saved)}")


if __name__ == "__main__":
    main()
