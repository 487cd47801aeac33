"""TRL's trainers for answers, for preferences and for rewards: SFT, DPO and GRPO from a file of rows."""

import sys
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path
from tempfile import TemporaryDirectory

sys.path.append(str(Path(__file__).parent.parent / "resume"))
from _tiny_chat import DATA, make_checkpoint

# isort: split
# --8<-- [start:imports]
import argparse
import json
from pathlib import Path

import torch
from datasets import Dataset
from peft import LoraConfig
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import (
    DPOConfig,
    DPOTrainer,
    GRPOConfig,
    GRPOTrainer,
    SFTConfig,
    SFTTrainer,
)
from whole_checkpoint import ListFiles, last_checkpoint

# --8<-- [end:imports]


# --8<-- [start:read]
COLUMNS = {
    "sft": ["messages"],
    "dpo": ["prompt", "chosen", "rejected"],
    "grpo": ["messages"],
}


def read(file, method):
    rows = []
    lines = Path(file).read_text(encoding="utf-8").splitlines()
    for number, line in enumerate(lines, 1):
        try:
            row = json.loads(line)
            rows.append({name: row[name] for name in COLUMNS[method]})
        except (ValueError, KeyError, TypeError) as error:
            need = ", ".join(COLUMNS[method])
            raise SystemExit(
                f"--data {file}:{number} is no row for --method {method},"
                f" which needs {need}: {error!r}"
            ) from None
    return rows
# --8<-- [end:read]


# --8<-- [start:sft]
# TRL applies the chat template; the loss is that of the completion.
def sft(model, rows, args, **more):
    answers = [
        {"prompt": row["messages"][:-1], "completion": row["messages"][-1:]}
        for row in rows
    ]
    settings = {"max_length": 1024, "packing": True}
    config = SFTConfig(**settings | args)
    dataset = Dataset.from_list(answers)
    return SFTTrainer(model, config, train_dataset=dataset, **more)
# --8<-- [end:sft]


# --8<-- [start:dpo]
# A row is a pair: prompt, chosen, rejected.
def dpo(model, rows, args, **more):
    settings = {"max_length": 1024, "beta": 0.1}
    config = DPOConfig(**settings | args)
    dataset = Dataset.from_list(rows)
    return DPOTrainer(model, args=config, train_dataset=dataset, **more)
# --8<-- [end:dpo]


# --8<-- [start:grpo]
# The share of the given answer's words: replace it by your own check.
def word_overlap(completions, expected, **_):
    answers = [set(answer[0]["content"].split()) for answer in completions]
    wanted = [set(text.split()) for text in expected]
    pairs = zip(answers, wanted, strict=True)
    return [len(answer & words) / len(words) for answer, words in pairs]


def grpo(model, rows, args, **more):
    prompts = [
        {
            "prompt": row["messages"][:-1],
            "expected": row["messages"][-1]["content"],
        }
        for row in rows
    ]
    settings = {
        "num_generations": 4,  # answers to each prompt, compared
        "max_completion_length": 64,
        "beta": 0.0,  # above 0, a reference model is held as well
    }
    config = GRPOConfig(**settings | args)
    dataset = Dataset.from_list(prompts)
    return GRPOTrainer(
        model, word_overlap, args=config, train_dataset=dataset, **more
    )
# --8<-- [end:grpo]


# --8<-- [start:train]
def train(method, checkpoint, rows, output, **options):
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
        rows,
        args | options,
        processing_class=tokenizer,
        # With an adapter, DPO's reference is the model without it.
        peft_config=LoraConfig(
            r=16, lora_alpha=32, target_modules="all-linear"
        ),
        callbacks=[ListFiles()],
    )
    if method == "sft":
        labels = trainer.train_dataset[0]["labels"]
        learned = tokenizer.decode([n for n in labels if n != -100])
        print(f"The first sample teaches: {learned}")
    trainer.train(resume_from_checkpoint=last_checkpoint(output))
    trainer.save_model(f"{output}/adapter")
    if torch.cuda.is_available():
        print(f"Peak: {torch.cuda.max_memory_allocated() / 1e9:.1f} GB")
    return trainer
# --8<-- [end:train]


def example(method: str) -> list[dict[str, object]]:
    """Rows that show that the loop runs. DPO's worse answer is that to another prompt, so it learns no preference."""
    rows = read(DATA, "sft")
    if method != "dpo":
        return rows
    talks = [row["messages"] for row in rows]
    others = talks[1:] + talks[:1]
    return [
        {"prompt": talk[:-1], "chosen": talk[-1:], "rejected": other[-1:]}
        for talk, other in zip(talks, others, strict=True)
    ]


def run(arguments: list[str]) -> None:
    """What a reader starts."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("output", help="folder; each method has its own inside, for checkpoints and adapter")
    parser.add_argument("--method", choices=list(COLUMNS), required=True)
    parser.add_argument("--model", help="name or folder; without it, a tiny one is made")
    parser.add_argument("--data", help="a row in each line; without it, examples")
    parser.add_argument("--epochs", type=float, default=3)
    parser.add_argument("--lr", type=float, help="learning rate; by default that of the method")
    options = parser.parse_args(arguments)
    rows = read(options.data, options.method) if options.data else example(options.method)
    checkpoint = options.model or make_checkpoint(Path(options.output, "base"))
    more = {"num_train_epochs": options.epochs} | ({"learning_rate": options.lr} if options.lr else {})
    train(options.method, checkpoint, rows, str(Path(options.output, options.method)), **more)


def main() -> None:
    if len(sys.argv) > 1:
        run(sys.argv[1:])
        return
    torch.set_num_threads(1)
    with TemporaryDirectory() as folder:
        checkpoint = make_checkpoint(Path(folder, "base"))
        for method in COLUMNS:
            options = {"max_steps": 4, "logging_steps": 4, "disable_tqdm": True}
            with redirect_stdout(StringIO()):  # The log has timings.
                trainer = train(method, checkpoint, example(method)[:32], f"{folder}/{method}", **options)
            names = {name for entry in trainer.state.log_history for name in entry}
            shown = sorted(names & {"loss", "rewards/margins", "rewards/word_overlap/mean"})
            reference = getattr(trainer, "ref_model", None) is not None
            print(f"{method}: {trainer.state.global_step} steps, logs {', '.join(shown)}; reference model: {reference}")


if __name__ == "__main__":
    main()
