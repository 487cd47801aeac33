"""The program trains on every rank, saves a whole checkpoint, and averages gradients in fp32."""

from functools import partial
from pathlib import Path
from types import SimpleNamespace

import pytest
import torch
from _fsdp2 import tiny_model, tokens
from _ranks import on_ranks
from _tiny_texts import TEXTS, save_checkpoint
from accelerate.utils import FullyShardedDataParallelPlugin, fsdp2_prepare_model
from torch.utils._python_dispatch import TorchDispatchMode
from transformers import AutoModelForCausalLM, TrainingArguments

from snippets.fsdp2 import train as snippet

pytestmark = pytest.mark.needs(devices=2)


def dataset_of(folder: str) -> tuple[int, list[list[int]]]:
    """The optimizer steps of a rank, and its samples."""
    trainer = snippet.train_on_rank(folder)
    return trainer.state.global_step, [sample["input_ids"] for sample in trainer.train_dataset]


def test_the_ranks_share_the_samples_and_save_a_trained_checkpoint(tmp_path: Path) -> None:
    before = AutoModelForCausalLM.from_pretrained(save_checkpoint(tmp_path / "checkpoint"), dtype=torch.float32)
    for steps, samples in on_ranks(partial(dataset_of, str(tmp_path)), 2):
        assert steps == 3 * len(TEXTS) / 2
        assert {sample[-1] for sample in samples} == {before.config.vocab_size - 1}  # the end token
    after = AutoModelForCausalLM.from_pretrained(tmp_path / "out")
    assert after.dtype == torch.float32
    trained = after.state_dict()
    assert all(not torch.equal(weight, trained[name]) for name, weight in before.state_dict().items())


class ReducedTypes(TorchDispatchMode):
    """The types of the tensors that reduce-scatters add."""

    def __init__(self) -> None:
        super().__init__()
        self.types: set[torch.dtype] = set()

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        if func is torch.ops.c10d._reduce_scatter_base_.default:
            self.types.add(args[1].dtype)
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
    with ReducedTypes() as seen:
        model(input_ids=rows, labels=rows).loss.backward()
    return seen.types, next(model.parameters()).dtype


def types_of_all_settings(folder: str) -> list[tuple[set[torch.dtype], torch.dtype]]:
    plain = TrainingArguments(folder, fsdp=True, bf16=True, use_cpu=True)
    ours = snippet.train_on_rank(folder, max_steps=1).args
    settings = [(plain, torch.float32, "bf16"), (ours, torch.float32, "bf16"), (ours, torch.bfloat16, "no")]
    return [reduced_types(*each) for each in (*settings, (ours, torch.bfloat16, "bf16"))]


@pytest.mark.claim(
    "fsdp2#fsdp", "accelerate/utils/dataclasses.py::FullyShardedDataParallelPlugin.set_mixed_precision",
    "accelerate/utils/fsdp_utils.py::fsdp2_prepare_model",
    "transformers/training_args.py::TrainingArguments._process_fsdp_args",
)
def test_trainer_averages_in_fp32_with_the_policy_alone_and_converts_weights_with_bf16(tmp_path: Path) -> None:
    half, full = torch.bfloat16, torch.float32
    save_checkpoint(tmp_path / "checkpoint")
    for plain, ours, without_bf16, with_bf16 in on_ranks(partial(types_of_all_settings, str(tmp_path)), 2):
        assert plain == ({half}, full)
        assert ours == ({full}, full)
        assert without_bf16 == ({full}, half)  # bf16 weights stay, as on the page about 70B
        assert with_bf16 == ({full}, full)
