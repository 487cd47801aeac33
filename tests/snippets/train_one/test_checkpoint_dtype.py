"""On a checkpoint in bf16, weights and Adam's state are bf16 without a word; only dtype= trains every weight."""

import warnings
from pathlib import Path

import pytest
import torch
from transformers import AutoModelForCausalLM

from snippets.train_one import checkpoint_dtype as snippet

from _tiny import tiny_checkpoint, tiny_dataset


def dtypes(trained: object) -> tuple[set[torch.dtype], set[torch.dtype]]:
    """Of the weights, and of Adam's moments."""
    states = trained.optimizer.optimizer.state.values()
    moments = {state[name].dtype for state in states for name in ("exp_avg", "exp_avg_sq")}
    return {parameter.dtype for parameter in trained.model.parameters()}, moments


def test_the_default_load_keeps_bf16_and_most_weights_do_not_change() -> None:
    trained, share = snippet.train(steps=20)
    assert dtypes(trained) == ({torch.bfloat16}, {torch.bfloat16})
    assert 0.05 < share < 0.3


def test_with_dtype_weights_and_state_are_fp32_and_all_weights_change() -> None:
    trained, share = snippet.train(steps=20, dtype=torch.float32)
    assert dtypes(trained) == ({torch.float32}, {torch.float32})
    assert share > 0.9


def test_no_warning_is_given_of_the_default_load(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    with tiny_checkpoint() as checkpoint, warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        snippet.trainer(checkpoint, str(tmp_path), tiny_dataset())
    said = [str(warning.message) for warning in caught] + caplog.messages
    assert not [message for message in said if "bfloat16" in message or "bf16" in message or "dtype" in message]


@pytest.mark.claim("low_precision#mixed-precision", "transformers/modeling_utils.py::_get_dtype")
def test_the_default_is_the_type_that_is_stored() -> None:
    with tiny_checkpoint() as checkpoint:
        assert AutoModelForCausalLM.from_pretrained(checkpoint).dtype == torch.bfloat16
        assert AutoModelForCausalLM.from_pretrained(checkpoint, dtype="auto").dtype == torch.bfloat16


def test_the_share_counts_every_weight_alike() -> None:
    before = {"a": torch.zeros(3), "b": torch.zeros(1)}
    assert snippet.changed(before, {"a": torch.tensor([0.0, 1.0, 0.0]), "b": torch.ones(1)}) == 0.5
