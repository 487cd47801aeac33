"""The program shards, averages gradients by tokens and in fp32, and saves a whole checkpoint."""

from functools import partial
from pathlib import Path

import pytest
import torch
from _ranks import on_ranks
from _tiny_texts import TEXTS, save_checkpoint
from torch.utils._python_dispatch import TorchDispatchMode
from transformers import AutoModelForCausalLM

from snippets.fsdp2 import train as snippet

pytestmark = pytest.mark.needs(devices=2)

LAYERS = 2


class Collectives(TorchDispatchMode):
    """The types of the tensors that all-gathers send and reduce-scatters add, in their order."""

    def __init__(self) -> None:
        super().__init__()
        self.gathered: list[torch.dtype] = []
        self.reduced: list[torch.dtype] = []

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        if func is torch.ops.c10d._allgather_base_.default:
            self.gathered.append(args[1].dtype)
        if func is torch.ops.c10d._reduce_scatter_base_.default:
            self.reduced.append(args[1].dtype)
        return func(*args, **(kwargs or {}))


def samples_of_an_epoch(folder: str) -> tuple[int, float, list[list[int]]]:
    """The optimizer steps of a rank, the share of the weights that it holds, and its samples."""
    trainer = snippet.train_on_rank(folder, num_train_epochs=1)
    return *snippet.seen_by_rank(trainer), [sample["input_ids"] for sample in trainer.train_dataset]


def test_the_ranks_share_weights_and_samples_and_save_a_trained_checkpoint(tmp_path: Path) -> None:
    before = AutoModelForCausalLM.from_pretrained(save_checkpoint(tmp_path / "checkpoint"), dtype=torch.float32)
    for steps, share, samples in on_ranks(partial(samples_of_an_epoch, str(tmp_path)), 2):
        assert steps == len(TEXTS) / 2
        assert share == pytest.approx(1 / 2, rel=0.02)  # A vocabulary of 257 does not divide.
        assert {sample[-1] for sample in samples} == {before.config.vocab_size - 1}  # the end token
    after = AutoModelForCausalLM.from_pretrained(tmp_path / "out")
    assert after.dtype == torch.float32
    trained = after.state_dict()
    assert all(not torch.equal(weight, trained[name]) for name, weight in before.state_dict().items())


UNEQUAL = ["one", "two " * 20]


def one_step(folder: str, **more: object) -> Collectives:
    """A step of plain gradient descent on two texts, and what it sends; then the weights are saved."""
    descent = {"optim": "sgd", "lr_scheduler_type": "constant", "max_grad_norm": 0}
    with Collectives() as seen:
        snippet.train_on_rank(folder, UNEQUAL, max_steps=1, **descent, **more)
    return seen


@pytest.mark.claim(
    "fsdp2#fsdp2", "transformers/distributed/fsdp.py::_get_fsdp_policy_kwargs",
    "transformers/trainer.py::Trainer._prepare_for_training",
)
def test_a_step_is_that_of_one_process_gathers_in_bf16_and_averages_in_fp32(tmp_path: Path) -> None:
    before = AutoModelForCausalLM.from_pretrained(save_checkpoint(tmp_path / "checkpoint"), dtype=torch.float32)
    moves = []
    for processes in (2, 1):  # One process takes both texts in turn, and computes in fp32.
        ranks = on_ranks(partial(one_step, str(tmp_path), gradient_accumulation_steps=3 - processes), processes)
        after = AutoModelForCausalLM.from_pretrained(tmp_path / "out").state_dict()
        moves.append(torch.cat([(after[name] - weight).flatten() for name, weight in before.state_dict().items()]))
        if processes == 2:
            for seen in ranks:
                half = [kind for kind in seen.gathered if kind == torch.bfloat16]
                assert len(half) == 2 * (LAYERS + 1) + 1  # The embedding and each layer twice, norm and head once.
                assert seen.reduced == [torch.float32] * (LAYERS + 2)
    assert (moves[0] - moves[1]).norm() < 0.02 * moves[1].norm()


def test_the_end_of_the_file_trains_on_the_lines_of_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "texts.txt").write_text("one\ntwo\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(snippet, "train", lambda *arguments: seen.append(arguments))
    seen: list[tuple[object, ...]] = []
    snippet.program()
    assert seen == [("Qwen/Qwen3-8B", ["one", "two"], "out")]
