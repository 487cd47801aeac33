"""TRL's trainers for answers, for preferences and for rewards: SFT, DPO and GRPO from one file of conversations."""

import json
import sys
from contextlib import redirect_stdout
from io import StringIO
from tempfile import TemporaryDirectory

from _tiny_chat import DATA, make_checkpoint

# isort: split
# --8<-- [start:imports]
import argparse
from pathlib import Path

import torch
from datasets import Dataset
from peft import LoraConfig
from transformers import AutoModelForCausalLM, AutoTokenizer
from transformers.trainer_utils import get_last_checkpoint
from trl import (
    DPOConfig,
    DPOTrainer,
    GRPOConfig,
    GRPOTrainer,
    SFTConfig,
    SFTTrainer,
)

# --8<-- [end:imports]


# --8<-- [start:sft]
# TRL applies the chat template; the loss is that of the completion.
def sft(model, conversations, args, **more):
    rows = [
        {"prompt": messages[:-1], "completion": messages[-1:]}
        for messages in conversations
    ]
    config = SFTConfig(max_length=1024, packing=True, **args)
    dataset = Dataset.from_list(rows)
    return SFTTrainer(model, config, train_dataset=dataset, **more)
# --8<-- [end:sft]


# --8<-- [start:dpo]
# A preference is a prompt with a better and a worse answer.
def dpo(model, conversations, args, **more):
    others = conversations[1:] + conversations[:1]
    rows = [
        {
            "prompt": messages[:-1],
            "chosen": messages[-1:],
            "rejected": other[-1:],  # here the answer to another prompt
        }
        for messages, other in zip(conversations, others, strict=True)
    ]
    config = DPOConfig(max_length=1024, beta=0.1, **args)
    dataset = Dataset.from_list(rows)
    return DPOTrainer(model, args=config, train_dataset=dataset, **more)
# --8<-- [end:dpo]


# --8<-- [start:grpo]
# The share of the expected words that the answer has, in place of a test.
def reward(completions, expected, **_):
    answers = [set(answer[0]["content"].split()) for answer in completions]
    wanted = [set(text.split()) for text in expected]
    pairs = zip(answers, wanted, strict=True)
    return [len(answer & words) / len(words) for answer, words in pairs]


def grpo(model, conversations, args, **more):
    rows = [
        {"prompt": messages[:-1], "expected": messages[-1]["content"]}
        for messages in conversations
    ]
    config = GRPOConfig(
        num_generations=4,  # answers to each prompt, compared
        max_completion_length=64,
        beta=0.0,  # above 0, a reference model is held as well
        **args,
    )
    dataset = Dataset.from_list(rows)
    return GRPOTrainer(
        model, reward, args=config, train_dataset=dataset, **more
    )
# --8<-- [end:grpo]


# --8<-- [start:train]
def train(method, checkpoint, conversations, output, **options):
    gpu = torch.accelerator.is_available()
    args = {
        "output_dir": output,
        "per_device_train_batch_size": 4,
        "gradient_accumulation_steps": 2,
        "learning_rate": {"sft": 2e-4, "dpo": 5e-6, "grpo": 1e-5}[method],
        "bf16": gpu,
        "use_cpu": not gpu,
        "save_steps": 10,
        "save_total_limit": 2,
        "report_to": "none",
    }
    tokenizer = AutoTokenizer.from_pretrained(checkpoint)
    model = AutoModelForCausalLM.from_pretrained(
        checkpoint, dtype=torch.bfloat16 if gpu else torch.float32
    )
    trainer = {"sft": sft, "dpo": dpo, "grpo": grpo}[method](
        model,
        conversations,
        args | options,
        processing_class=tokenizer,
        # With an adapter, DPO's reference is the model without it.
        peft_config=LoraConfig(r=16, target_modules="all-linear"),
    )
    last = get_last_checkpoint(output) if Path(output).is_dir() else None
    trainer.train(resume_from_checkpoint=last)
    trainer.save_model(f"{output}/adapter")
    return trainer
# --8<-- [end:train]


def read(file: Path | str) -> list[list[dict[str, str]]]:
    """The messages of each line."""
    return [json.loads(line)["messages"] for line in Path(file).read_text("utf-8").splitlines()]


def run(arguments: list[str]) -> None:
    """What a reader starts."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("output", help="folder for checkpoints and adapter")
    parser.add_argument("--method", choices=["sft", "dpo", "grpo"], required=True)
    parser.add_argument("--model", help="name or folder; without it, a tiny one is made")
    parser.add_argument("--data", default=DATA, help="a conversation in each line")
    options = parser.parse_args(arguments)
    checkpoint = options.model or make_checkpoint(Path(options.output, "base"))
    train(options.method, checkpoint, read(options.data), options.output)


def main() -> None:
    if len(sys.argv) > 1:
        run(sys.argv[1:])
        return
    torch.set_num_threads(1)
    with TemporaryDirectory() as folder:
        checkpoint = make_checkpoint(Path(folder, "base"))
        for method in ("sft", "dpo", "grpo"):
            options = {"max_steps": 4, "logging_steps": 4, "disable_tqdm": True}
            with redirect_stdout(StringIO()):  # The log has timings.
                trainer = train(method, checkpoint, read(DATA)[:32], f"{folder}/{method}", **options)
            names = {name for entry in trainer.state.log_history for name in entry}
            shown = sorted(names & {"loss", "rewards/margins", "rewards/reward/mean"})
            reference = getattr(trainer, "ref_model", None) is not None
            print(f"{method}: {trainer.state.global_step} steps, logs {', '.join(shown)}; reference model: {reference}")


if __name__ == "__main__":
    main()
