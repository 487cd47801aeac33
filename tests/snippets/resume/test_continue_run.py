"""A killed run goes on at its newest checkpoint, and ends where a run ends that was not killed."""

import shutil
from functools import partial
from pathlib import Path

import pytest
import torch
from torch.distributed.elastic.multiprocessing.errors import ChildFailedError

from snippets.resume import continue_run as snippet


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> torch.Tensor:
    """The weights of a run that was not killed."""
    return snippet.on_ranks(partial(snippet.train, str(tmp_path_factory.mktemp("whole"))), 1)[0]


@pytest.fixture(scope="module")
def killed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a run that was killed after step 5, with checkpoints of the steps 2 and 4."""
    folder = tmp_path_factory.mktemp("killed")
    with pytest.raises(ChildFailedError, match="Signal 9"):
        snippet.on_ranks(partial(snippet.train, str(folder), killed_at=5), 1)
    return folder


def weights_after(folder: Path) -> tuple[torch.Tensor, int]:
    """The weights when the run has gone on to its end, and the steps that it took for that."""
    model, steps = snippet.tiny_model(), []
    model.register_forward_pre_hook(lambda *_: steps.append(1))
    trainer = snippet.continue_run(model, snippet.tiny_dataset(rows=32), output_dir=str(folder), **snippet.OPTIONS)
    assert trainer.state.global_step == 6
    return snippet.weights(trainer.model), len(steps)


def test_the_steps_after_the_newest_checkpoint_are_taken_again(
    killed: Path, whole: torch.Tensor, tmp_path: Path
) -> None:
    assert sorted(path.name for path in killed.iterdir()) == ["checkpoint-2", "checkpoint-4"]
    weights, steps = weights_after(shutil.copytree(killed, tmp_path / "copy"))
    assert steps == 2
    assert torch.equal(weights, whole)


@pytest.mark.claim("resume#resume", "transformers/trainer.py::Trainer._load_optimizer_and_scheduler")
@pytest.mark.parametrize("name", ["optimizer.pt", "scheduler.pt"])
def test_without_one_of_its_two_states_the_optimizer_begins_anew(
    name: str, killed: Path, whole: torch.Tensor, tmp_path: Path
) -> None:
    copy = shutil.copytree(killed, tmp_path / "copy")
    (copy / "checkpoint-4" / name).unlink()
    weights, steps = weights_after(copy)
    assert steps == 2
    assert not torch.allclose(weights, whole, atol=1e-4)


@pytest.mark.claim("resume#resume", "transformers/trainer.py::Trainer.train")
def test_a_run_without_a_checkpoint_does_not_begin(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="No valid checkpoint found in output directory"):
        weights_after(tmp_path)
