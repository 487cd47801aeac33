"""What is timed is a training step of the technique that the row names."""

import pytest
import torch

from snippets.train_one import throughput as snippet

from _tiny import OperatorNames, device, linear_dtypes, tiny_batch, tiny_model

pytestmark = pytest.mark.measures


@pytest.mark.parametrize("name", snippet.techniques())
def test_a_measurement_takes_training_steps(name: str) -> None:
    with OperatorNames() as operators:
        assert snippet.rows_a_second(name, rows=2, steps=1) > 0
    assert {"_fused_adamw_", "embedding_dense_backward"} <= operators.names


def test_twice_the_time_is_half_the_throughput(monkeypatch: pytest.MonkeyPatch) -> None:
    """By a clock that the test sets: every reading is a second after the one before."""
    clock = iter(range(1000))
    name = "process_time" if device().type == "cpu" else "perf_counter"
    monkeypatch.setattr(snippet.time, name, lambda: next(clock))
    assert snippet.rows_a_second("fp32", rows=8) == 8


@pytest.mark.parametrize(("name", "dtype"), [("fp32", torch.float32), ("bf16 autocast", torch.bfloat16)])
def test_a_technique_computes_in_its_dtype(name: str, dtype: torch.dtype, monkeypatch: pytest.MonkeyPatch) -> None:
    build, precision = snippet.techniques()[name]
    model = build()
    dtypes = linear_dtypes(model)
    monkeypatch.setattr(snippet, "techniques", lambda: {name: (lambda: model, precision)})
    snippet.rows_a_second(name, rows=2, steps=1)
    assert dtypes == {dtype}


def test_checkpointing_is_on() -> None:
    assert snippet.checkpointed().is_activation_checkpointing


@pytest.mark.claim("perf_train_gpu_one#batch-size", "torch/optim/adamw.py")
def test_a_measurement_changes_the_weights() -> None:
    model = tiny_model()
    before = model.lm_head.weight.detach().clone()
    snippet.samples_per_second(model, tiny_batch(rows=2), steps=1)
    assert not torch.equal(model.lm_head.weight, before)
