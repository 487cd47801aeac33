"""A rank that is killed while a checkpoint is saved leaves none that a later run could take for whole."""

import shutil
from functools import partial
from pathlib import Path
from types import SimpleNamespace

import pytest
import torch
from torch.distributed.elastic.multiprocessing.errors import ChildFailedError

from snippets.resume import distributed as snippet

pytestmark = pytest.mark.needs(devices=4)


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> torch.Tensor:
    return snippet.on_ranks(partial(snippet.on_rank, str(tmp_path_factory.mktemp("whole"))), 2)[0]


@pytest.fixture(scope="module")
def killed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a run whose rank 0 was killed when all ranks had written, and before the checkpoint was named."""
    folder = tmp_path_factory.mktemp("killed")
    with pytest.raises(ChildFailedError, match="Signal 9"):
        snippet.on_ranks(partial(snippet.on_rank, str(folder), killed_at=4), 2)
    return folder


def test_only_a_checkpoint_that_is_whole_has_its_name(killed: Path) -> None:
    assert sorted(path.name for path in killed.iterdir()) == ["step-00000002", "step-00000004.partial"]


@pytest.mark.parametrize("ranks", [4])
def test_the_run_goes_on_by_any_number_of_ranks(ranks: int, killed: Path, whole: torch.Tensor, tmp_path: Path) -> None:
    copy = shutil.copytree(killed, tmp_path / "copy")
    weights = snippet.on_ranks(partial(snippet.on_rank, str(copy)), ranks)[0]
    assert (weights - whole).abs().max() < 1e-5
    assert [path.name for path in sorted(copy.glob("step-????????"))][-1] == "step-00000006"


class Recorder(torch.nn.Linear):
    """A model that keeps the samples it is given, and whether it is in training mode."""

    seen: list[tuple[int, bool]]

    def forward(self, input_ids: torch.Tensor, labels: torch.Tensor) -> SimpleNamespace:
        self.seen += [(int(first), self.training) for first in input_ids[:, 0]]
        return SimpleNamespace(loss=self.weight.sum())


def alone(monkeypatch: pytest.MonkeyPatch, ranks: int) -> snippet.Run:
    """A run in evaluation mode, in a process that takes itself for the first of some ranks."""
    monkeypatch.setattr(snippet.dist, "get_rank", lambda: 0)
    monkeypatch.setattr(snippet.dist, "get_world_size", lambda: ranks)
    model = Recorder(1, 1).eval()
    model.seen = []
    optimizer = torch.optim.SGD(model.parameters())
    return snippet.Run(model, optimizer, torch.optim.lr_scheduler.ExponentialLR(optimizer, 0.8))


def test_after_the_last_whole_batch_the_dataset_starts_again(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    run = alone(monkeypatch, ranks=2)
    snippet.train(run, tmp_path, torch.arange(20).unsqueeze(1), steps=3, every=10)
    assert run.model.seen == [(row, True) for row in (0, 1, 2, 3, 8, 9, 10, 11, 0, 1, 2, 3)]


def test_ranks_that_do_not_divide_a_batch_are_refused(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="3 ranks do not divide 8 samples"):
        snippet.train(alone(monkeypatch, ranks=3), tmp_path, torch.arange(20), steps=1)
