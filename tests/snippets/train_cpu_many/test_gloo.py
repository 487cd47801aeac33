"""Two CPU processes that gloo connects train as one: in bf16, with the gradients of all rows."""

import os
from contextlib import redirect_stdout
from functools import partial
from io import StringIO
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
import torch
from _ranks import on_ranks
from _tiny_texts import TEXTS, save_checkpoint
from _train_cpu_many import run, single_process_norm, tiny_dataset, tiny_model
from transformers import AutoModelForCausalLM, Trainer, TrainingArguments

from snippets.train_cpu_many import gloo as snippet
from snippets.train_cpu_many.gloo import Step

pytestmark = pytest.mark.needs(devices=2)


@pytest.fixture(scope="module")
def ranks() -> list[Step]:
    return snippet.by_torchrun()


def test_the_processes_are_one_group_by_gloo(ranks: list[Step]) -> None:
    assert [(step.rank, step.processes) for step in ranks] == [(0, 2), (1, 2)]
    assert {(step.backend, step.wrapped) for step in ranks} == {("gloo", "DistributedDataParallel")}


def test_every_process_keeps_to_cores_of_its_own(ranks: list[Step]) -> None:
    half = len(os.sched_getaffinity(0)) // 2
    assert [len(step.cores) for step in ranks] == [half, half]
    assert not {*ranks[0].cores} & {*ranks[1].cores}


def test_the_linear_layers_compute_in_bf16_where_the_cpu_has_it(ranks: list[Step]) -> None:
    assert {step.linear_dtype for step in ranks} == {"torch.bfloat16" if snippet.has_bf16() else "torch.float32"}


def test_the_weights_of_a_checkpoint_in_bf16_are_trained_in_fp32(ranks: list[Step]) -> None:
    assert {step.weight_dtype for step in ranks} == {"torch.float32"}


def test_by_default_a_checkpoint_in_bf16_is_loaded_and_trained_in_bf16(tmp_path: Path) -> None:
    tiny_model().bfloat16().save_pretrained(tmp_path)
    model = AutoModelForCausalLM.from_pretrained(tmp_path)
    assert model.dtype == torch.bfloat16
    args = TrainingArguments(str(tmp_path), use_cpu=True, bf16=True)
    trainer = Trainer(model, args, train_dataset=tiny_dataset())
    run(trainer)
    states = [state["exp_avg"] for state in trainer.optimizer.state.values()]
    assert {state.dtype for state in states} == {torch.bfloat16}


@pytest.mark.skipif(torch.accelerator.is_available(), reason="shows what happens where there is no accelerator")
@pytest.mark.claim(
    "perf_train_cpu_many#gloo",
    "transformers/training_args.py::TrainingArguments.__post_init__",
)
def test_without_use_cpu_bf16_is_an_error_on_a_cpu(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="You need to assign use_cpu"):
        TrainingArguments(str(tmp_path), bf16=True)


def train_without_use_cpu() -> tuple[int, str, float]:
    """The processes that a rank counts, what Trainer wraps its model in, and the norm of its gradients."""
    with TemporaryDirectory() as folder:
        args = TrainingArguments(folder, per_device_train_batch_size=4, ddp_backend="gloo")
        trainer = Trainer(tiny_model(), args, train_dataset=tiny_dataset())
        norm = run(trainer)
    return args.world_size, type(trainer.model_wrapped).__name__, norm


@pytest.mark.skipif(torch.accelerator.is_available(), reason="shows what happens where there is no accelerator")
@pytest.mark.claim("perf_train_cpu_many#gloo", "accelerate/state.py::PartialState._prepare_backend")
def test_without_use_cpu_the_processes_train_alone_and_no_error_says_so() -> None:
    seen = on_ranks(train_without_use_cpu, 2)
    assert [step[:2] for step in seen] == [(2, "LlamaForCausalLM")] * 2
    assert seen[0][2] != pytest.approx(seen[1][2], rel=1e-3)  # Each has the gradients of its own rows.


def test_every_process_has_the_gradients_of_all_rows(ranks: list[Step]) -> None:
    assert ranks[0].gradient_norm == ranks[1].gradient_norm
    norm = single_process_norm(tiny_model())
    assert ranks[0].gradient_norm == pytest.approx(norm, rel=1e-2)  # bf16 has three digits.


def trained(folder: str) -> tuple[int, list[float]]:
    """The optimizer steps of a rank, and its weights."""
    with redirect_stdout(StringIO()):  # The log has timings.
        trainer = snippet.train(f"{folder}/checkpoint", TEXTS[:8], f"{folder}/out")
    return trainer.state.global_step, [weight.sum().item() for weight in trainer.model.parameters()]


def test_the_program_trains_one_model_on_texts_and_saves_it(tmp_path: Path) -> None:
    before = AutoModelForCausalLM.from_pretrained(save_checkpoint(tmp_path / "checkpoint"), dtype=torch.float32)
    first, second = on_ranks(partial(trained, str(tmp_path)), 2)
    assert first == second
    assert first[0] == 3  # three epochs of 8 texts, 4 for each of two processes
    after = AutoModelForCausalLM.from_pretrained(tmp_path / "out")
    assert after.dtype == torch.float32
    changed = [not torch.equal(*pair) for pair in zip(before.parameters(), after.parameters(), strict=True)]
    assert all(changed)


def test_the_end_of_the_file_binds_and_trains_on_the_lines_of_a_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "texts.txt").write_text("one\ntwo\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    seen: list[object] = []
    monkeypatch.setattr(snippet, "bind", lambda: seen.append("bound"))
    monkeypatch.setattr(snippet, "train", lambda *arguments: seen.append(arguments))
    snippet.program()
    assert seen == ["bound", ("Qwen/Qwen3-0.6B", ["one", "two"], "out")]
