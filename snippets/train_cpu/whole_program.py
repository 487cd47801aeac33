"""A Trainer on a CPU, in bf16 where the CPU has instructions for it: the whole program, from texts to a checkpoint."""

import sys
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path
from tempfile import TemporaryDirectory

sys.path.append(str(Path(__file__).parent.parent / "_shared"))
from _tiny_texts import TEXTS, save_checkpoint

# isort: split
# --8<-- [start:train]
from pathlib import Path

import torch
from transformers import (
    AutoModelForCausalLM,
    AutoTokenizer,
    DataCollatorForSeq2Seq,
    Trainer,
    TrainingArguments,
)


def has_bf16():
    cpu = torch.cpu.get_capabilities()
    return cpu.get("avx512_bf16", False) or cpu.get("amx_bf16", False)


def train(checkpoint, texts, output_dir, **more):
    tokenizer = AutoTokenizer.from_pretrained(checkpoint)
    tokenizer.pad_token = tokenizer.pad_token or tokenizer.eos_token
    samples = []
    for text in texts:
        # At most 512 tokens; shorter texts end with the end token.
        tokens = tokenizer(text + tokenizer.eos_token)["input_ids"][:512]
        samples.append({"input_ids": tokens, "labels": tokens})

    settings = {
        "use_cpu": True,  # bf16=True alone raises an error on a CPU.
        "bf16": has_bf16(),
        "per_device_train_batch_size": 4,
        "learning_rate": 1e-5,
        "logging_steps": 10,
    }
    trainer = Trainer(
        # Without dtype=, the weights would have the checkpoint's type.
        AutoModelForCausalLM.from_pretrained(
            checkpoint, dtype=torch.float32
        ),
        TrainingArguments(output_dir, **settings | more),
        train_dataset=samples,
        data_collator=DataCollatorForSeq2Seq(tokenizer),
    )
    trainer.train()
    trainer.save_model()  # one whole checkpoint, for from_pretrained
    return trainer


# --8<-- [end:train]
def program() -> None:
    """The end of the file train.py."""
    # --8<-- [start:call]
    # One text per line.
    texts = Path("texts.txt").read_text("utf-8").splitlines()
    train("Qwen/Qwen3-0.6B", texts, "out")
    # --8<-- [end:call]


def main() -> None:
    with TemporaryDirectory() as folder:
        checkpoint = save_checkpoint(Path(folder, "checkpoint"))
        with redirect_stdout(StringIO()):  # The log has timings.
            trainer = train(checkpoint, TEXTS, f"{folder}/out", learning_rate=1e-3)
        saved = AutoModelForCausalLM.from_pretrained(f"{folder}/out")
    print(f"bf16: {trainer.args.bf16}; {trainer.state.global_step} steps for {len(TEXTS)} samples, three times")
    print(f"Saved: {saved.num_parameters():,} parameters, {saved.dtype}")


if __name__ == "__main__":
    main()
