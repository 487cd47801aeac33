"""A checkpoint counts only if every rank has written its files and each of them is still there in full."""

from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest
from torch.distributed.elastic.multiprocessing.errors import ChildFailedError
from transformers import TrainerState
from transformers.trainer_utils import get_last_checkpoint

from snippets.resume import whole_checkpoint as snippet

pytestmark = pytest.mark.needs(devices=2)

RANDOM = ["rng_state_0.pth", "rng_state_1.pth"]
FILES = ["model.safetensors", "optimizer.pt", "scheduler.pt", "trainer_state.json", *RANDOM]


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("run")
    snippet.on_ranks(partial(snippet.train, str(folder)), 2)
    return folder


def halve(path: Path) -> None:
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


def empty(path: Path) -> None:
    path.write_bytes(b"")


@pytest.mark.parametrize("spoil", [Path.unlink, halve, empty])
@pytest.mark.parametrize("name", [*FILES, snippet.LIST])
def test_a_checkpoint_without_one_of_its_files_is_left_out(
    name: str, spoil: Callable[[Path], None], run: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = run / "checkpoint-6" / name
    kept = file.read_bytes()
    spoil(file)
    assert snippet.last_checkpoint(run) == str(run / "checkpoint-4")
    assert "checkpoint-6 is incomplete and left out" in capsys.readouterr().out
    file.write_bytes(kept)
    assert snippet.last_checkpoint(run) == str(run / "checkpoint-6")


def test_a_file_in_a_folder_of_the_checkpoint_counts_and_one_that_came_later_does_not(tmp_path: Path) -> None:
    checkpoint = tmp_path / "checkpoint-2"
    shard = checkpoint / "global_step2/zero_pp_rank_1.pt"
    shard.parent.mkdir(parents=True)
    shard.write_bytes(b"state")
    args = snippet.TrainingArguments(output_dir=str(tmp_path), use_cpu=True)
    state = TrainerState(global_step=2, is_world_process_zero=True)
    for _ in range(2):  # A second list of the same folder does not list the first.
        snippet.ListFiles().on_save(args, state, None)
    (checkpoint / "later.txt").write_text("later")
    assert snippet.is_whole(checkpoint)
    empty(shard)
    assert not snippet.is_whole(checkpoint)


def test_a_rank_killed_after_the_first_was_done_leaves_a_checkpoint_that_trainer_would_take(tmp_path: Path) -> None:
    with pytest.raises(ChildFailedError):
        snippet.on_ranks(partial(snippet.train, str(tmp_path), killed_in="checkpoint-4"), 2)
    assert (tmp_path / "checkpoint-4/trainer_state.json").exists()
    assert get_last_checkpoint(str(tmp_path)) == str(tmp_path / "checkpoint-4")
    assert snippet.last_checkpoint(tmp_path) == str(tmp_path / "checkpoint-2")


def test_an_empty_folder_has_none(tmp_path: Path) -> None:
    assert snippet.last_checkpoint(tmp_path / "new") is None


def test_a_folder_without_a_step_is_passed_over(tmp_path: Path) -> None:
    (tmp_path / "checkpoint-best").mkdir()
    assert snippet.last_checkpoint(tmp_path) is None
