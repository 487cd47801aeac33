"""A Trainer with DeepSpeed: the whole program, from a checkpoint and texts to a checkpoint."""

from functools import partial
from tempfile import TemporaryDirectory

from _deepspeed import device, on_ranks
from _tiny_texts import TEXTS, save_checkpoint

# isort: split
# --8<-- [start:train]
from pathlib import Path

from transformers import (
    AutoModelForCausalLM,
    AutoTokenizer,
    DataCollatorForSeq2Seq,
    Trainer,
    TrainingArguments,
)


def train(checkpoint, texts, output_dir, config, **more):
    tokenizer = AutoTokenizer.from_pretrained(checkpoint)
    tokenizer.pad_token = tokenizer.pad_token or tokenizer.eos_token
    samples = []
    for text in texts:
        # At most 2,048 tokens; shorter texts end with the end token.
        tokens = tokenizer(text + tokenizer.eos_token)["input_ids"][:2048]
        samples.append({"input_ids": tokens, "labels": tokens})

    settings = {
        "deepspeed": config,
        "bf16": True,
        "activation_checkpointing": True,
        "per_device_train_batch_size": 1,
        "learning_rate": 1e-5,
    }
    # Before the model, so that stage 3 splits the weights as they load.
    args = TrainingArguments(output_dir, **settings | more)
    trainer = Trainer(
        AutoModelForCausalLM.from_pretrained(checkpoint),
        args,
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
    train("Qwen/Qwen3-8B", texts, "out", "stage3.json")
    # --8<-- [end:call]


def train_on_rank(folder: str, stage: int) -> Trainer:
    """One rank's part of four steps with the file of a stage, on CPUs where there is no GPU."""
    from deepspeed import init_distributed

    more: dict[str, object] = {"max_steps": 4}
    if device().type == "cpu":
        more["use_cpu"] = True
        init_distributed("gloo")  # Accelerate does so on a GPU.
    config = str(Path(__file__).with_name(f"stage{stage}.json"))
    return train(f"{folder}/checkpoint", TEXTS, f"{folder}/out", config, **more)


def outcome(folder: str, stage: int) -> tuple[int, int, int]:
    """The stage that a rank ran, its optimizer steps, and the elements of the weights that it held."""
    trainer = train_on_rank(folder, stage)
    held = sum(getattr(p, "ds_tensor", p).numel() for p in trainer.model.parameters())
    return trainer.model_wrapped.zero_optimization_stage(), trainer.state.global_step, held


def main() -> None:
    for stage in (2, 3):
        with TemporaryDirectory() as folder:
            save_checkpoint(Path(folder, "checkpoint"))
            ran, steps, held = on_ranks(partial(outcome, folder, stage), PROCESSES)[0]
            saved = AutoModelForCausalLM.from_pretrained(f"{folder}/out")
        print(f"Stage {ran} on {PROCESSES} processes, {steps} optimizer steps: {held:,} weights on each")
        print(f"  saved: {saved.num_parameters():,} weights in {saved.dtype}")


if __name__ == "__main__":
    main()
