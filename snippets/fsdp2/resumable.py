"""A Trainer whose model Accelerate shards, so that a run can be resumed: the whole program."""

import shutil
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
from pathlib import Path

import torch
from torch.distributed.fsdp import MixedPrecisionPolicy
from transformers import (
    AutoModelForCausalLM,
    AutoTokenizer,
    DataCollatorForSeq2Seq,
    Trainer,
    TrainingArguments,
)


def resumable_arguments(output_dir, **more):
    settings = {
        "fsdp": True,
        "fsdp_config": {"activation_checkpointing": True},
        "bf16": True,
        "per_device_train_batch_size": 1,
        "learning_rate": 1e-5,
        "logging_steps": 10,
    }
    args = TrainingArguments(output_dir, **settings | more)
    # Otherwise bf16=True also averages the gradients in bf16.
    args.fsdp_plugin_args["mixed_precision_policy"] = MixedPrecisionPolicy(
        param_dtype=torch.bfloat16, reduce_dtype=torch.float32
    )
    return args


def train(checkpoint, texts, output_dir, resume=False, **more):
    tokenizer = AutoTokenizer.from_pretrained(checkpoint)
    tokenizer.pad_token = tokenizer.pad_token or tokenizer.eos_token
    samples = []
    for text in texts:
        # At most 2,048 tokens; shorter texts end with the end token.
        tokens = tokenizer(text + tokenizer.eos_token)["input_ids"][:2048]
        samples.append({"input_ids": tokens, "labels": tokens})

    trainer = Trainer(
        # Every process holds all of it, until Accelerate shards it.
        AutoModelForCausalLM.from_pretrained(
            checkpoint, dtype=torch.float32
        ),
        resumable_arguments(output_dir, **more),
        train_dataset=samples,
        data_collator=DataCollatorForSeq2Seq(tokenizer),
    )
    trainer.train(resume_from_checkpoint=resume)
    trainer.save_model()  # one whole checkpoint, for from_pretrained
    return trainer


# --8<-- [end:train]
PROCESSES = 2


def program() -> None:
    """The end of the file train.py."""
    # --8<-- [start:call]
    # One text per line. After an interruption, pass resume=True.
    texts = Path("texts.txt").read_text("utf-8").splitlines()
    train("Qwen/Qwen3-8B", texts, "out")
    # --8<-- [end:call]


def epoch_on_rank(folder: str, resume: bool = False) -> tuple[int, torch.Tensor]:
    """The last step of one rank's epoch with a checkpoint every 20 steps, and its weights in one row."""
    more = {"num_train_epochs": 1, "save_steps": 20, "use_cpu": device().type == "cpu"}
    with redirect_stdout(StringIO()):  # The log has timings.
        trainer = train(f"{folder}/checkpoint", TEXTS, f"{folder}/out", resume, **more)
    weights = torch.cat([each.detach().flatten().cpu() for each in trainer.model.parameters()])
    return trainer.state.global_step, weights


def main() -> None:
    with TemporaryDirectory() as folder:
        save_checkpoint(Path(folder, "checkpoint"))
        steps, whole = on_ranks(partial(epoch_on_rank, folder), PROCESSES)[0]
        print(f"{steps} steps, with a checkpoint every 20")
        shutil.rmtree(Path(folder, "out", f"checkpoint-{steps}"))
        steps, resumed = on_ranks(partial(epoch_on_rank, folder, resume=True), PROCESSES)[0]
        same = torch.allclose(whole, resumed, rtol=0, atol=1e-7)
        print(f"Resumed from step 20 to step {steps}: the same weights: {same}")


if __name__ == "__main__":
    main()
