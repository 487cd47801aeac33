"""Each question gets the answer that it gets alone, and an answer that fails is not passed over."""

from pathlib import Path

import pytest
from transformers import AutoModelForCausalLM, AutoTokenizer, PreTrainedModel, PreTrainedTokenizerFast

from snippets.infer_one import answer_many as snippet


@pytest.fixture
def chat(tmp_path: Path) -> tuple[PreTrainedModel, PreTrainedTokenizerFast]:
    checkpoint = snippet.make_checkpoint(tmp_path)
    return AutoModelForCausalLM.from_pretrained(checkpoint), AutoTokenizer.from_pretrained(checkpoint)


def alone(model: PreTrainedModel, tokenizer: PreTrainedTokenizerFast, question: str) -> list[int]:
    """The tokens of the answer to one question by `generate`."""
    prompt = f"<|user|>{question}<|end|><|assistant|>"
    inputs = tokenizer(prompt, return_tensors="pt").to(model.device)
    return model.generate(**inputs, max_new_tokens=16, do_sample=False)[0, inputs["input_ids"].shape[1] :].tolist()


def test_the_answers_are_those_of_one_at_a_time(chat: tuple[PreTrainedModel, PreTrainedTokenizerFast]) -> None:
    expected = [chat[1].decode(alone(*chat, each), skip_special_tokens=True) for each in snippet.QUESTIONS]
    assert len(set(expected)) == len(snippet.QUESTIONS)
    assert snippet.answer_many(*chat, snippet.QUESTIONS, 16, snippet.POOL) == expected


def test_an_answer_ends_at_the_end_token(chat: tuple[PreTrainedModel, PreTrainedTokenizerFast]) -> None:
    model, tokenizer = chat
    whole = alone(model, tokenizer, snippet.QUESTIONS[0])
    model.generation_config.eos_token_id = end = whole[5]
    (said,) = snippet.answer_many(model, tokenizer, snippet.QUESTIONS[:1], 16, snippet.POOL)
    assert said == tokenizer.decode(whole[: whole.index(end) + 1], skip_special_tokens=True)


def test_a_question_that_exceeds_the_pool_is_an_error(chat: tuple[PreTrainedModel, PreTrainedTokenizerFast]) -> None:
    with pytest.raises(RuntimeError, match="not all questions were answered: "):
        snippet.answer_many(*chat, ["2 + 2?", "and " * 2100], 16, snippet.POOL)
