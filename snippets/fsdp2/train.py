"""A Trainer that shards a model by FSDP: the whole program, from a checkpoint and texts to a checkpoint."""

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
import torch
from torch.distributed.fsdp import MixedPrecisionPolicy
from transformers import (
    AutoModelForCausalLM,
    AutoTokenizer,
    DataCollatorForSeq2Seq,
    Trainer,
    TrainingArguments,
)


def train(checkpoint, texts, output_dir, **more):
    tokenizer = AutoTokenizer.from_pretrained(checkpoint)
    tokenizer.pad_token = tokenizer.pad_token or tokenizer.eos_token
    samples = []
    for text in texts:
        # At most 2,048 tokens; shorter texts end with the end token.
        tokens = tokenizer(text + tokenizer.eos_token)["input_ids"][:2048]
        samples.append({"input_ids": tokens, "labels": tokens})

    # Without dtype=, the weights would have the checkpoint's type: bf16.
    model = AutoModelForCausalLM.from_pretrained(
        checkpoint, dtype=torch.float32
    )
    args = TrainingArguments(
        output_dir,
        fsdp=True,
        fsdp_config={"activation_checkpointing": True},
        bf16=True,
        per_device_train_batch_size=1,
        learning_rate=1e-5,
        **more,
    )
    # Otherwise bf16=True also averages the gradients in bf16.
    args.fsdp_plugin_args["mixed_precision_policy"] = MixedPrecisionPolicy(
        param_dtype=torch.bfloat16, reduce_dtype=torch.float32
    )
    trainer = Trainer(
        model,
        args,
        train_dataset=samples,
        data_collator=DataCollatorForSeq2Seq(tokenizer),
    )
    trainer.train()
    trainer.save_model()  # one whole checkpoint, for from_pretrained
    return trainer


# --8<-- [end:train]
PROCESSES = 2


def train_on_rank(folder: str, **more: object) -> Trainer:
    """One rank's part of the program, on CPUs where there is no GPU; Accelerate shards nothing there."""
    more["use_cpu"] = device().type == "cpu"
    with redirect_stdout(StringIO()):  # The log has timings.
        return train(f"{folder}/checkpoint", TEXTS, f"{folder}/out", **more)


def steps_of(folder: str) -> int:
    """The optimizer steps of a rank."""
    return train_on_rank(folder).state.global_step


def main() -> None:
    with TemporaryDirectory() as folder:
        save_checkpoint(Path(folder, "checkpoint"))
        steps = on_ranks(partial(steps_of, folder), PROCESSES)
        saved = AutoModelForCausalLM.from_pretrained(f"{folder}/out")
        parameters = sum(parameter.numel() for parameter in saved.parameters())
    print(f"Optimizer steps for {len(TEXTS)} samples in 3 epochs, on each rank: {steps}")
    print(f"Saved: {parameters:,} parameters, {saved.dtype}")


if __name__ == "__main__":
    main()
