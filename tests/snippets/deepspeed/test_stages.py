"""Each stage really runs under DeepSpeed's engine, and leaves a process the bytes that the ZeRO paper gives it."""

import importlib
import json
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from types import SimpleNamespace

import pytest
import torch
from _deepspeed import device, on_ranks, run, single_process_norm, tiny_dataset, tiny_model
from accelerate.state import AcceleratorState
from transformers import T5Config, T5ForConditionalGeneration, Trainer

from snippets.deepspeed import stages as snippet
from snippets.deepspeed.stages import Run

pytestmark = [pytest.mark.needs("deepspeed"), pytest.mark.needs(devices=2)]

# Bytes a parameter on each of two processes: bf16 weights and gradients, fp32 weights and two moments
# (ZeRO, arXiv:1910.02054, section 3). With two batches a step, stage 1 keeps whole gradients between them.
EXPECTED = {
    "stage0": (0, 2, 2, 12),
    "stage1": (1, 2, 2, 6),
    "stage2": (2, 2, 1, 6),
    "stage3": (3, 1, 1, 6),
    "stage3_offload": (3, 1, 0, 6),
}
# The norms' 576 weights are below the threshold of 10 x 64, so every process keeps them whole as well.
KEPT_WHOLE = 2 * 576 / 180800


@pytest.fixture(scope="module")
def ranks() -> list[dict[str, Run]]:
    return [{run.name: run for run in runs} for runs in on_ranks(snippet.runs, snippet.PROCESSES)]


def test_there_is_a_configuration_a_stage() -> None:
    assert [path.stem for path in snippet.CONFIGURATIONS] == list(EXPECTED)


def test_no_file_that_the_page_shows_has_the_setting_that_deepspeed_warns_of() -> None:
    for path in snippet.CONFIGURATIONS:
        assert "zero_force_ds_cpu_optimizer" not in path.read_text("utf-8")


@pytest.mark.parametrize("name", EXPECTED)
def test_a_process_holds_its_share(ranks: list[dict[str, Run]], name: str) -> None:
    stage, weights, gradients, optimizer = EXPECTED[name]
    for runs in ranks:
        run = runs[name]
        assert run.stage == stage
        assert run.weights == pytest.approx(weights + (KEPT_WHOLE if stage == 3 else 0))
        assert run.gradients == pytest.approx(gradients, rel=1e-3)  # The weight at the border is counted whole.
        assert run.optimizer == pytest.approx(optimizer)


@pytest.mark.parametrize("name", EXPECTED)
def test_the_gradients_are_as_long_as_those_of_one_process(ranks: list[dict[str, Run]], name: str) -> None:
    norm = single_process_norm(tiny_model())
    for runs in ranks:
        assert runs[name].gradient_norm == pytest.approx(norm, rel=1e-2)  # bf16 has three digits.


def reductions(stage: int, **settings: object) -> set[str]:
    """The collectives that reduced tensors in bf16 in a step, with the page's file and `settings` for ZeRO beside."""
    backend = importlib.import_module("deepspeed.comm.torch").TorchBackend
    config = json.loads(snippet.CONFIGURATIONS[stage].read_text("utf-8"))
    config["zero_optimization"] |= settings
    used: set[str] = set()

    def watched(name: str, original: Callable[..., object]) -> Callable[..., object]:
        def call(*args: object, **options: object) -> object:
            tensors = [each for each in (*args, *options.values()) if torch.is_tensor(each)]
            used.update(name for tensor in tensors if tensor.dtype == torch.bfloat16)
            return original(*args, **options)

        return call

    with TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        for name in ("all_reduce", "reduce", "reduce_scatter_tensor"):
            patch.setattr(backend, name, watched(name, getattr(backend, name)))
        file = Path(folder, f"stage{stage}.json")
        file.write_text(json.dumps(config), "utf-8")
        snippet.train(file)
    return used


def by_default_and_to_the_owner() -> list[set[str]]:
    """The same for stages 1 and 2 by default, and for stage 1 with the other setting."""
    return [reductions(1), reductions(2), reductions(1, use_multi_rank_bucket_allreduce=False)]


@pytest.mark.claim("deepspeed#choosing", "deepspeed/runtime/zero/config.py::DeepSpeedZeroConfig")
def test_stages_1_and_2_all_reduce_by_default() -> None:
    for seen in on_ranks(by_default_and_to_the_owner, snippet.PROCESSES):
        assert seen == [{"all_reduce"}, {"all_reduce"}, {"reduce"}]


def tiny_t5() -> T5ForConditionalGeneration:
    """A T5 of random weights without dropout, the same at every call; its loss is the mean of its own batch."""
    torch.manual_seed(0)
    sizes = {"d_model": 32, "d_kv": 8, "d_ff": 64, "num_layers": 1, "num_heads": 4, "dropout_rate": 0.0}
    return T5ForConditionalGeneration(T5Config(vocab_size=256, decoder_start_token_id=0, **sizes)).to(device())


def norms_of_t5() -> list[float]:
    """The gradients' norm of two processes with two batches each, as `Trainer` does it and with the setting."""
    norms = []
    for settings in ({}, {"accepts_loss_kwargs": False}):
        AcceleratorState._reset_state(reset_partial_state=False)
        model = tiny_t5()
        vars(model).update(settings)
        with TemporaryDirectory() as folder:
            config = snippet.without_compiler(snippet.CONFIGURATIONS[1])
            args = snippet.training_arguments(folder, config, use_cpu=device().type == "cpu")
            trainer = run(Trainer(model, args, train_dataset=tiny_dataset()), steps=1)
        norms.append(float(trainer.model_wrapped.get_global_grad_norm()))
    return norms


@pytest.mark.claim("deepspeed#what-goes-wrong", "transformers/trainer.py::Trainer.compute_loss")
def test_a_loss_that_reads_no_number_of_labels_is_multiplied_by_processes_and_batches() -> None:
    norm = single_process_norm(tiny_t5())
    for by_default, with_setting in on_ranks(norms_of_t5, snippet.PROCESSES):
        assert by_default == pytest.approx(4 * norm, rel=2e-2)
        assert with_setting == pytest.approx(norm, rel=2e-2)


def trained(folder: Path, stage: int, steps: int, resume: bool = False) -> int:
    """Train to a step, save there, and say which step it is; or resume from the universal checkpoint of step 1."""
    AcceleratorState._reset_state(reset_partial_state=False)
    config = snippet.without_compiler(snippet.CONFIGURATIONS[stage])
    if resume:
        config["checkpoint"] = {"load_universal": True}
    args = snippet.training_arguments(str(folder), config, use_cpu=device().type == "cpu")
    args.set_save(strategy="steps", steps=1)
    args.max_steps = steps
    trainer = Trainer(tiny_model(), args, train_dataset=tiny_dataset())
    trainer.train(resume_from_checkpoint=str(folder / "checkpoint-1") if resume else None)
    return trainer.state.global_step


def convert(checkpoint: Path, *flags: str) -> subprocess.CompletedProcess[str]:
    folders = ["--input_folder", str(checkpoint), "--output_folder", f"{checkpoint}_universal"]
    command = [sys.executable, "-m", "deepspeed.checkpoint.ds_to_universal", *flags, *folders]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.mark.claim("deepspeed#saving", "deepspeed/checkpoint/ds_to_universal.py::main")
def test_stage_2_resumes_on_another_number_of_processes_from_a_universal_checkpoint(tmp_path: Path) -> None:
    assert on_ranks(partial(trained, tmp_path, 2, 1), snippet.PROCESSES) == [1, 1]
    checkpoint = tmp_path / "checkpoint-1/global_step1"
    assert "Required universal_checkpoint_info state is missing" in convert(checkpoint).stderr
    converted = convert(checkpoint, "--inject_missing_state")
    assert converted.returncode == 0, converted.stderr
    assert on_ranks(partial(trained, tmp_path, 2, 2, resume=True), 1) == [2]


@pytest.mark.claim(
    "deepspeed#saving",
    "deepspeed/runtime/zero/stage3.py::DeepSpeedZeroOptimizer_Stage3.load_hp_checkpoint_state_from_checkpoint_dir_stage3",
)
def test_stage_3_gives_all_groups_the_settings_of_the_first_and_one_step_count(tmp_path: Path) -> None:
    """The loading method by itself, with a group of weights that decay and one of norms that do not."""
    optimizer_class = importlib.import_module("deepspeed.runtime.zero.stage3").DeepSpeedZeroOptimizer_Stage3
    weights = [torch.nn.Parameter(torch.ones(1)) for _ in range(2)]
    groups = [{"params": [weight], "weight_decay": decay} for weight, decay in zip(weights, (0.1, 0.0), strict=True)]
    optimizer = torch.optim.AdamW(groups)
    for weight in weights:
        weight.grad = torch.ones(1)
    optimizer.step()
    saved = {"optimizer_state_dict": optimizer.state_dict()}
    (tmp_path / "zero").mkdir()
    torch.save(saved, tmp_path / "zero/optimizer_state.pt")
    parts = [[torch.ones(1)] for _ in weights]
    engine = SimpleNamespace(
        optimizer=optimizer,
        fp16_groups=[[weight] for weight in weights],
        fp32_partitioned_groups_flat=weights,
        fp16_partitioned_groups=parts,
        fp16_partitioned_groups_flat=[torch.ones(1) for _ in weights],
        param_names=dict.fromkeys(weights, "weight"),
        swap_optimizer=False,
        load_hp_checkpoint_state=lambda folder, key, param: torch.ones(1),
        unflatten=lambda flat, parts: [flat],
        _load_global_state_stage3=lambda state: None,
    )
    assert [group["weight_decay"] for group in optimizer.param_groups] == [0.1, 0.0]
    optimizer_class.load_hp_checkpoint_state_from_checkpoint_dir_stage3(engine, str(tmp_path))
    assert [group["weight_decay"] for group in optimizer.param_groups] == [0.1, 0.1]
    first, second = (optimizer.state[weight]["step"] for weight in weights)
    assert first is second
