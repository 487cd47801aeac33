"""A batch job answers every prompt as one prompt alone would be answered, and goes on where it was cut."""

import json
from pathlib import Path

import pytest
import torch
from transformers import AutoModelForCausalLM, AutoTokenizer

from snippets.recipes import batch as snippet

PROMPTS = snippet.read_prompts(snippet.DATA)[:12]
SMALL = {"batch_tokens": 160, "new": 6}


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> str:
    return snippet.make_checkpoint(tmp_path_factory.mktemp("base"))


def rows(output: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in output.read_text("utf-8").splitlines()]


def test_a_tokenizer_without_a_token_for_padding_gives_the_same_answers(base: str, tmp_path: Path) -> None:
    tokenizer, bare = AutoTokenizer.from_pretrained(base), tmp_path / "bare"
    AutoModelForCausalLM.from_pretrained(base).save_pretrained(bare)
    tokenizer.pad_token = None
    tokenizer.save_pretrained(bare)
    for folder in (base, bare):
        snippet.answer_all(str(folder), PROMPTS, tmp_path / f"{Path(folder).name}.jsonl", **SMALL)
    with_pad, without = (tmp_path / f"{Path(folder).name}.jsonl" for folder in (base, bare))
    assert rows(with_pad) == rows(without)


def test_every_prompt_is_answered_once_and_the_longest_come_first(base: str, tmp_path: Path) -> None:
    output = tmp_path / "answers.jsonl"
    snippet.answer_all(base, PROMPTS, output, **SMALL)
    numbers = [row["number"] for row in rows(output)]
    assert sorted(numbers) == list(range(len(PROMPTS)))
    tokenizer = AutoTokenizer.from_pretrained(base)
    lengths = [len(tokenizer(PROMPTS[number])["input_ids"]) for number in numbers]
    assert lengths == sorted(lengths, reverse=True)


def test_an_answer_does_not_depend_on_its_batch(base: str, tmp_path: Path) -> None:
    # In fp32, for bf16 rounds another batch otherwise.
    model = AutoModelForCausalLM.from_pretrained(base, dtype=torch.float32)
    for folder in ("wide", "alone"):
        model.save_pretrained(tmp_path / folder)
        AutoTokenizer.from_pretrained(base).save_pretrained(tmp_path / folder)
    snippet.answer_all(str(tmp_path / "wide"), PROMPTS, tmp_path / "wide.jsonl", **SMALL)
    snippet.answer_all(str(tmp_path / "alone"), PROMPTS, tmp_path / "alone.jsonl", batch_tokens=1, new=6)
    assert rows(tmp_path / "wide.jsonl") == rows(tmp_path / "alone.jsonl")


def test_a_job_that_was_cut_answers_what_is_missing(base: str, tmp_path: Path) -> None:
    output = tmp_path / "answers.jsonl"
    snippet.answer_all(base, PROMPTS, output, **SMALL)
    whole = output.read_bytes()
    lines = whole.splitlines(keepends=True)
    output.write_bytes(b"".join(lines[:5]) + lines[5][:-3])
    assert snippet.answered(output) == {json.loads(line)["number"] for line in lines[:5]}
    assert output.read_bytes() == b"".join(lines[:5])
    snippet.answer_all(base, PROMPTS, output, **SMALL)
    assert sorted(row["number"] for row in rows(output)) == list(range(len(PROMPTS)))
    assert output.read_bytes().startswith(b"".join(lines[:5]))
