"""A Trainer for a model that FSDP2 shards while it is loaded: the whole program, from texts to a checkpoint."""

import sys
from contextlib import redirect_stdout
from functools import partial
from io import StringIO
from pathlib import Path
from tempfile import TemporaryDirectory

sys.path.append(str(Path(__file__).parent.parent / "_shared"))
from _ranks import device, on_ranks
from _tiny_texts import TEXTS, save_checkpoint

# isort: split
# --8<-- [start:train]
import os
from pathlib import Path

import torch
from transformers import (
    AutoModelForCausalLM,
    AutoTokenizer,
    DataCollatorForSeq2Seq,
    Trainer,
    TrainingArguments,
)
from transformers.distributed import DistributedConfig


def train(checkpoint, texts, output_dir, **more):
    tokenizer = AutoTokenizer.from_pretrained(checkpoint)
    tokenizer.pad_token = tokenizer.pad_token or tokenizer.eos_token
    samples = []
    for text in texts:
        # At most 2,048 tokens; shorter texts end with the end token.
        tokens = tokenizer(text + tokenizer.eos_token)["input_ids"][:2048]
        samples.append({"input_ids": tokens, "labels": tokens})

    model = AutoModelForCausalLM.from_pretrained(
        checkpoint,
        # Otherwise a bf16 checkpoint is trained in bf16, AdamW's state too.
        dtype=torch.float32,
        # Each rank reads its part. Computed in bf16, averaged in fp32.
        distributed_config=DistributedConfig(
            fsdp_size=int(os.environ["WORLD_SIZE"]),  # all GPUs
            fsdp_mixed_precision=True,
        ),
    )
    settings = {
        "activation_checkpointing": True,
        "per_device_train_batch_size": 1,
        "learning_rate": 1e-5,
        "save_only_model": True,
    }
    trainer = Trainer(
        model,
        TrainingArguments(output_dir, **settings | more),
        train_dataset=samples,
        data_collator=DataCollatorForSeq2Seq(tokenizer),
    )
    trainer.train()
    trainer.save_model()  # one whole checkpoint, for from_pretrained
    return trainer


# --8<-- [end:train]
PROCESSES = 2


def program() -> None:
    """The end of the file train.py."""
    # --8<-- [start:call]
    # One text per line.
    texts = Path("texts.txt").read_text("utf-8").splitlines()
    train("Qwen/Qwen3-8B", texts, "out")
    # --8<-- [end:call]


def train_on_rank(folder: str, texts: list[str] = TEXTS, **more: object) -> Trainer:
    """One rank's part of the program, on CPUs where there is no GPU."""
    more["use_cpu"] = device().type == "cpu"
    with redirect_stdout(StringIO()):  # The log has timings.
        return train(f"{folder}/checkpoint", texts, f"{folder}/out", **more)


def seen_by_rank(trainer: Trainer) -> tuple[int, float]:
    """The optimizer steps of a rank, and the share of the weights that it holds."""
    held = sum(weight.to_local().numel() for weight in trainer.model.parameters())
    return trainer.state.global_step, held / trainer.model.num_parameters()


def epoch_on_rank(folder: str) -> tuple[int, float]:
    """What a rank has after one epoch."""
    return seen_by_rank(train_on_rank(folder, num_train_epochs=1))


def main() -> None:
    with TemporaryDirectory() as folder:
        save_checkpoint(Path(folder, "checkpoint"))
        seen = on_ranks(partial(epoch_on_rank, folder), PROCESSES)
        saved = AutoModelForCausalLM.from_pretrained(f"{folder}/out")
    for rank, (steps, share) in enumerate(seen):
        print(f"Rank {rank}: {steps} steps for {len(TEXTS)} samples, {share:.2f} of the weights")
    print(f"Saved: {saved.num_parameters():,} parameters, {saved.dtype}")


if __name__ == "__main__":
    main()
