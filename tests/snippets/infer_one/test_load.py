"""What the page's functions get: a model in bf16, and the prompt that the chat template makes of a question."""

from pathlib import Path

import pytest
import torch

from snippets.infer_one import load as snippet


@pytest.fixture
def checkpoint(tmp_path: Path) -> str:
    return snippet.make_checkpoint(tmp_path)


def test_the_model_is_in_bf16_and_the_question_is_a_prompt(checkpoint: str) -> None:
    model, tokenizer, inputs = snippet.prepare(checkpoint, "2 + 2?")
    assert {parameter.dtype for parameter in model.parameters()} == {torch.bfloat16}
    assert tokenizer.decode(inputs["input_ids"][0]) == "<|user|>2 + 2?<|end|><|assistant|>"
    assert inputs["attention_mask"].all()


def test_an_answer_is_the_text_after_the_prompt(checkpoint: str) -> None:
    model, tokenizer, inputs = snippet.prepare(checkpoint, "2 + 2?")
    caches: list[type] = []
    model.register_forward_hook(lambda _, given, options, output: caches.append(type(options["past_key_values"])),
                                with_kwargs=True)
    said = snippet.answer(model, tokenizer, inputs, 4)
    whole = model.generate(**inputs, max_new_tokens=4)
    assert said == tokenizer.decode(whole[0, inputs["input_ids"].shape[1]:], skip_special_tokens=True)
    assert caches[0].__name__ == "StaticCache"
