"""Plain, foreach and fused AdamW take the same step, each by operators of its own, with 8 bytes of state."""

from pathlib import Path

import pytest
from transformers import Trainer, TrainingArguments

from snippets.train_one import optimizers as snippet

from _tiny import OperatorNames, relative_difference, run, tiny_dataset, tiny_model


@pytest.mark.parametrize("name", ["foreach", "fused"])
def test_the_step_is_that_of_the_plain_loop(name: str) -> None:
    plain, _, _ = snippet.step("plain")
    start = {name: parameter.detach() for name, parameter in tiny_model().named_parameters()}
    weights, _, _ = snippet.step(name)
    assert relative_difference(weights, start) > 1e-3
    assert relative_difference(weights, plain) < 1e-6


def test_each_variant_runs_its_own_operators() -> None:
    operators = {name: snippet.step(name, steps=1)[1] for name in ("plain", "foreach", "fused")}
    assert not any("foreach" in name or "fused" in name for name in operators["plain"])
    assert any(name.startswith("_foreach_") for name in operators["foreach"])
    assert {name for name in operators["fused"] if "adam" in name} == {"_fused_adamw_"}


@pytest.mark.parametrize("name", ["plain", "foreach", "fused"])
def test_the_state_takes_two_fp32_numbers_a_parameter(name: str) -> None:
    assert snippet.step(name, steps=1)[2] == 8


def trainer_operators(output_dir: Path, optim: str) -> set[str]:
    args = snippet.training_arguments(str(output_dir))
    args.optim = optim
    with OperatorNames() as operators:
        run(Trainer(tiny_model(), args, train_dataset=tiny_dataset()), steps=1)
    return operators.names


def test_trainer_takes_the_fused_step(tmp_path: Path) -> None:
    assert snippet.training_arguments(str(tmp_path)).optim == "adamw_torch_fused"
    assert "_fused_adamw_" in trainer_operators(tmp_path, "adamw_torch_fused")
    assert "_fused_adamw_" not in trainer_operators(tmp_path, "adamw_torch")


@pytest.mark.claim("train_optimizers#adamw", "transformers/training_args.py::TrainingArguments.optim")
def test_fused_is_the_default_and_adamw_hf_is_gone(tmp_path: Path) -> None:
    assert TrainingArguments(output_dir=str(tmp_path)).optim == "adamw_torch_fused"
    with pytest.raises(ValueError, match="adamw_hf"):
        TrainingArguments(output_dir=str(tmp_path), optim="adamw_hf")
