"""LoRA and QLoRA from texts to a merged model: an adapter on all linear layers, trained, saved and merged."""

import sys
from collections.abc import Callable
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path
from tempfile import TemporaryDirectory

sys.path.append(str(Path(__file__).parent.parent / "_shared"))
from _tiny_texts import TEXTS, save_checkpoint
from qlora import load_for_qlora, merge_as_trained

# isort: split
# --8<-- [start:finetune]
import gc

import torch
from peft import LoraConfig, get_peft_model
from transformers import (
    AutoModelForCausalLM,
    AutoTokenizer,
    DataCollatorForSeq2Seq,
    Trainer,
    TrainingArguments,
)


def train_adapter(model, checkpoint, texts, output_dir, length, **more):
    tokenizer = AutoTokenizer.from_pretrained(checkpoint)
    tokenizer.pad_token = tokenizer.pad_token or tokenizer.eos_token
    samples = []
    for text in texts:
        ids = tokenizer(text)["input_ids"] + [tokenizer.eos_token_id]
        ids = ids[:length]
        samples.append({"input_ids": ids, "labels": ids})

    settings = {
        "bf16": True,
        "activation_checkpointing": True,
        "per_device_train_batch_size": 8,
        "learning_rate": 2e-4,
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
    trainer.save_model()  # The adapter alone.
    return tokenizer


def finetune(checkpoint, texts, output_dir, length=512, **more):
    model = AutoModelForCausalLM.from_pretrained(
        checkpoint, dtype=torch.bfloat16
    )
    config = LoraConfig(
        r=16,  # the rank of the update
        lora_alpha=32,  # the update is multiplied by lora_alpha / r
        target_modules="all-linear",  # every linear layer but the head
        task_type="CAUSAL_LM",
    )
    model = get_peft_model(model, config)
    tokenizer = train_adapter(
        model, checkpoint, texts, output_dir, length, **more
    )
    merged = model.merge_and_unload()
    merged.save_pretrained(f"{output_dir}/merged")
    tokenizer.save_pretrained(f"{output_dir}/merged")


# --8<-- [end:finetune]


# --8<-- [start:qlora]
def finetune_qlora(checkpoint, texts, output_dir, length=512, **more):
    model = load_for_qlora(checkpoint)
    tokenizer = train_adapter(
        model, checkpoint, texts, output_dir, length, **more
    )
    del model
    gc.collect()  # The trainer and its model refer to each other.
    torch.cuda.empty_cache()
    merged = merge_as_trained(checkpoint, output_dir)
    merged.save_pretrained(f"{output_dir}/merged")
    tokenizer.save_pretrained(f"{output_dir}/merged")


# --8<-- [end:qlora]


def run_tiny(program: Callable[[str, list[str], str], None], folder: Path) -> tuple[Path, Path]:
    """The folders of a tiny checkpoint and of what a program made of it with 80 short texts."""
    checkpoint, output = folder / "checkpoint", folder / "out"
    save_checkpoint(checkpoint)
    with redirect_stdout(StringIO()):  # The log has timings.
        program(str(checkpoint), TEXTS, str(output))
    return checkpoint, output


def mean_loss(checkpoint: Path) -> float:
    """The loss of a model on the texts."""
    tokenizer = AutoTokenizer.from_pretrained(checkpoint)
    model = AutoModelForCausalLM.from_pretrained(checkpoint, dtype=torch.float32).eval()
    losses = []
    for text in TEXTS:
        tokens = torch.tensor([tokenizer(text)["input_ids"]])
        with torch.inference_mode():
            losses.append(model(input_ids=tokens, labels=tokens).loss)
    return torch.stack(losses).mean().item()


def main() -> None:
    torch.set_num_threads(1)
    for name, program in {"LoRA": finetune, "QLoRA": finetune_qlora}.items():
        with TemporaryDirectory() as folder:
            checkpoint, output = run_tiny(program, Path(folder))
            adapter = (output / "adapter_model.safetensors").stat().st_size
            merged = (output / "merged" / "model.safetensors").stat().st_size
            before, after = mean_loss(checkpoint), mean_loss(output / "merged")
        print(f"{name}: loss {before:.2f} before, {after:.2f} of the merged model; ", end="")
        print(f"adapter {adapter:,} bytes, merged model {merged:,}")


if __name__ == "__main__":
    main()
