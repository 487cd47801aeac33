"""A rank that is killed while a checkpoint is saved leaves none that a later run could take for whole."""

import shutil
from functools import partial
from pathlib import Path

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
