"""A batch job: answers to a file of prompts, sorted by length, written as they come, and continued after a kill."""

import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from _tiny_chat import DATA, make_checkpoint

# isort: split
# --8<-- [start:batch]
import json

import torch
from transformers import AutoModelForCausalLM, AutoTokenizer


# The numbers of the prompts that are answered; a line cut short is not.
def answered(output):
    done, whole = set(), 0
    if output.exists():
        for line in output.read_bytes().splitlines(keepends=True):
            if not line.endswith(b"\n"):
                break
            done.add(json.loads(line)["number"])
            whole += len(line)
        with output.open("r+b") as file:
            file.truncate(whole)
    return done


# Prompts of similar length share a batch, the longest first: if it fits,
# all do. Otherwise much of a batch would be padding.
def answer_all(checkpoint, prompts, output, batch_tokens=16384, new=128):
    tokenizer = AutoTokenizer.from_pretrained(
        checkpoint, padding_side="left"
    )
    # Llama 3.1 has no token for padding; the mask hides any.
    tokenizer.pad_token = tokenizer.pad_token or tokenizer.eos_token
    model = AutoModelForCausalLM.from_pretrained(
        checkpoint, dtype="auto", device_map="auto"
    )
    messages = [[{"role": "user", "content": prompt}] for prompt in prompts]
    inputs = tokenizer.apply_chat_template(
        messages, add_generation_prompt=True
    )["input_ids"]
    done = answered(output)
    waiting = [n for n in range(len(prompts)) if n not in done]
    waiting.sort(key=lambda n: -len(inputs[n]))
    while waiting:
        rows = max(1, batch_tokens // (len(inputs[waiting[0]]) + new))
        numbers, waiting = waiting[:rows], waiting[rows:]
        batch = tokenizer.pad(
            {"input_ids": [inputs[n] for n in numbers]}, return_tensors="pt"
        ).to(model.device)
        found = model.generate(**batch, max_new_tokens=new, do_sample=False)
        new_tokens = found[:, batch["input_ids"].shape[1] :]
        texts = tokenizer.batch_decode(
            new_tokens, skip_special_tokens=True
        )
        with output.open("a", encoding="utf-8") as file:
            for number, text in zip(numbers, texts, strict=True):
                row = {"number": number, "answer": text}
                file.write(json.dumps(row) + "\n")
# --8<-- [end:batch]


def read_prompts(file: Path | str) -> list[str]:
    """The first message of each line."""
    lines = Path(file).read_text("utf-8").splitlines()
    return [json.loads(line)["messages"][0]["content"] for line in lines]


def main() -> None:
    if len(sys.argv) == 4:
        checkpoint, prompts, output = sys.argv[1:]
        answer_all(checkpoint, Path(prompts).read_text("utf-8").splitlines(), Path(output))
        return
    torch.set_num_threads(1)
    with TemporaryDirectory() as folder:
        checkpoint = make_checkpoint(Path(folder, "base"))
        prompts, output = read_prompts(DATA)[:32], Path(folder, "answers.jsonl")
        answer_all(checkpoint, prompts, output, batch_tokens=256, new=8)
        whole = output.read_bytes()
        output.write_bytes(whole[: len(whole) // 2])
        kept = len(answered(output))
        answer_all(checkpoint, prompts, output, batch_tokens=256, new=8)
        print(f"Cut in the middle, {kept} of {len(prompts)} answers were kept")
        print(f"Continued, all are there: {len(answered(output)) == len(prompts)}")


if __name__ == "__main__":
    main()
