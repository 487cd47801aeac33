"""A run goes on where it was interrupted; with these arguments gradients are averaged in fp32."""

import shutil
from functools import partial
from pathlib import Path
from types import SimpleNamespace

import pytest
import torch
from _fsdp2 import tiny_model, tokens
from _ranks import on_ranks
from _tiny_texts import save_checkpoint
from accelerate.utils import FullyShardedDataParallelPlugin, fsdp2_prepare_model
from torch.utils._python_dispatch import TorchDispatchMode
from transformers import AutoModelForCausalLM, TrainingArguments

from snippets.fsdp2 import resumable as snippet

pytestmark = pytest.mark.needs(devices=2)


def test_a_resumed_run_ends_with_the_weights_of_one_that_was_not_interrupted(tmp_path: Path) -> None:
    before = AutoModelForCausalLM.from_pretrained(save_checkpoint(tmp_path / "checkpoint"), dtype=torch.float32)
    steps, whole = on_ranks(partial(snippet.epoch_on_rank, str(tmp_path)), 2)[0]
    assert steps == 40
    shutil.rmtree(tmp_path / "out" / "checkpoint-40")
    kept = tmp_path / "out" / "checkpoint-20" / "trainer_state.json"
    written = kept.stat().st_mtime_ns
    steps, resumed = on_ranks(partial(snippet.epoch_on_rank, str(tmp_path), resume=True), 2)[0]
    assert steps == 40
    assert kept.stat().st_mtime_ns == written  # A run from the beginning would write it again.
    torch.testing.assert_close(resumed, whole, rtol=0, atol=1e-7)
    assert (whole - torch.cat([each.flatten() for each in before.parameters()])).norm() > 0.01


def test_the_end_of_the_file_trains_on_the_lines_of_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "texts.txt").write_text("one\ntwo\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(snippet, "train", lambda *arguments: seen.append(arguments))
    seen: list[tuple[object, ...]] = []
    snippet.program()
    assert seen == [("Qwen/Qwen3-8B", ["one", "two"], "out")]


class Reduced(TorchDispatchMode):
    """The types of the tensors that reduce-scatters add, in their order."""

    def __init__(self) -> None:
        super().__init__()
        self.reduced: list[torch.dtype] = []

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        if func is torch.ops.c10d._reduce_scatter_base_.default:
            self.reduced.append(args[1].dtype)
        return func(*args, **(kwargs or {}))


def reduced_types(args: TrainingArguments, dtype: torch.dtype, precision: str) -> tuple[set[torch.dtype], torch.dtype]:
    """The type that gradients are added in, and that of the weights a rank holds, prepared as Accelerate does."""
    plugin = FullyShardedDataParallelPlugin(**args.fsdp_plugin_args)
    if precision != "no":
        plugin.set_mixed_precision(precision)  # as in Accelerate's state, which ignores FSDP on a CPU
    model = tiny_model().to(dtype)
    plugin.set_auto_wrap_policy(model)
    state = SimpleNamespace(fsdp_plugin=plugin)
    model = fsdp2_prepare_model(SimpleNamespace(state=state, mixed_precision=precision, is_main_process=False), model)
    rows = tokens(rows=2)
    with Reduced() as seen:
        model(input_ids=rows, labels=rows).loss.backward()
    return set(seen.reduced), next(model.parameters()).dtype


def types_of_all_settings(folder: str) -> list[tuple[set[torch.dtype], torch.dtype]]:
    plain = TrainingArguments(folder, fsdp=True, bf16=True, use_cpu=True)
    ours = snippet.resumable_arguments(folder, use_cpu=True)
    settings = [(plain, torch.float32, "bf16"), (ours, torch.float32, "bf16"), (ours, torch.bfloat16, "no")]
    return [reduced_types(*each) for each in (*settings, (ours, torch.bfloat16, "bf16"))]


@pytest.mark.claim(
    "fsdp2#fsdp", "accelerate/utils/dataclasses.py::FullyShardedDataParallelPlugin.set_mixed_precision",
    "accelerate/utils/fsdp_utils.py::fsdp2_prepare_model",
    "transformers/training_args.py::TrainingArguments._process_fsdp_args",
)
def test_accelerate_averages_in_fp32_with_the_policy_alone_and_converts_weights_with_bf16(tmp_path: Path) -> None:
    half, full = torch.bfloat16, torch.float32
    for plain, ours, without_bf16, with_bf16 in on_ranks(partial(types_of_all_settings, str(tmp_path)), 2):
        assert plain == ({half}, full)
        assert ours == ({full}, full)
        assert without_bf16 == ({full}, half)  # bf16 weights stay, as on the page about 70B
        assert with_bf16 == ({full}, full)
