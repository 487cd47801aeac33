"""What the page's functions get: a model in bf16, and the prompt that the chat template makes of a question."""

from pathlib import Path

import torch
from _infer_one import device
from transformers import AutoTokenizer

from snippets.infer_one import load as snippet


def test_the_model_is_in_bf16_and_answers_the_question(tmp_path: Path) -> None:
    checkpoint = snippet.make_checkpoint(tmp_path)
    model, inputs = snippet.load(checkpoint, "2 + 2?", device().type)
    assert {parameter.dtype for parameter in model.parameters()} == {torch.bfloat16}
    prompt = AutoTokenizer.from_pretrained(checkpoint).decode(inputs["input_ids"][0])
    assert prompt == "<|user|>2 + 2?<|end|><|assistant|>"
    assert inputs["attention_mask"].all()
    assert model.generate(**inputs, max_new_tokens=2).shape[1] > inputs["input_ids"].shape[1]
