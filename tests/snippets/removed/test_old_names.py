"""The names of the page's table are refused, warned about or taken as the table says."""

import logging
import warnings
from dataclasses import fields

import pytest
from transformers import TrainingArguments
from transformers.training_args import OptimizerNames

from snippets.removed import old_names as snippet

WARNS = {"gradient_checkpointing=True", "torch_dtype='float32'", "tp_plan='auto'", "fsdp='full_shard", "'version': 1"}
TAKEN = {"low_cpu_mem_usage=True", "from_tf=True", "safe_serialization=False"}
SUCCESSORS = {
    "use_cpu", "eval_strategy", "fsdp", "ddp_backend", "torch_compile_backend", "per_device_train_batch_size",
    "train_sampling_strategy", "warmup_steps", "activation_checkpointing",
}


@pytest.fixture(scope="module")
def answers() -> dict[str, str]:
    logging.Logger.warning_once.cache_clear()  # transformers says some things once in a process
    return snippet.answers()


@pytest.mark.claim("removed#training-arguments", "transformers/training_args.py::TrainingArguments.__post_init__")
def test_every_old_name_gets_what_the_page_says(answers: dict[str, str]) -> None:
    expected = {
        call: "warns" if any(name in call for name in WARNS)
        else "taken" if any(name in call for name in TAKEN)
        else "refused"
        for call in answers
    }
    assert answers == expected
    assert len(answers) == sum(map(len, (snippet.TRAINING_ARGUMENTS, snippet.FROM_PRETRAINED, snippet.SAVE_PRETRAINED)))


def test_their_successors_are_known() -> None:
    assert {field.name for field in fields(TrainingArguments)} >= SUCCESSORS
    assert "adamw_torch_fused" in {name.value for name in OptimizerNames}


def test_an_answer_tells_the_three_apart() -> None:
    def refuse() -> None:
        raise TypeError

    assert snippet.answer(refuse) == "refused"
    assert snippet.answer(lambda: warnings.warn("old", FutureWarning, stacklevel=1)) == "warns"
    assert snippet.answer(lambda: logging.getLogger("transformers").warning("old")) == "warns"
    assert snippet.answer(lambda: None) == "taken"
