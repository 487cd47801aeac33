"""Each trial starts from the checkpoint, a second search continues the study, and the best settings are used."""

from pathlib import Path

import optuna
import pytest
import torch
from transformers import Trainer

from snippets.hpo import search as snippet

pytestmark = pytest.mark.usefixtures("quiet")


@pytest.fixture
def parts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[str, str]:
    """A checkpoint and a file of texts, in an empty folder."""
    monkeypatch.chdir(tmp_path)
    Path("texts.txt").write_text("".join(f"{n} and {n} are {2 * n}.\n\n" for n in range(8)))
    return snippet.make_checkpoint(Path("tiny")), "texts.txt"


def test_a_second_search_continues_and_the_best_settings_give_the_same_loss(parts: tuple[str, str]) -> None:
    for trials in (2, 4, 4):
        best = snippet.search(snippet.make_trainer(*parts), "tiny", trials)
        study = optuna.load_study(study_name="tiny", storage="sqlite:///search.db")
        assert len(study.trials) == trials
    assert best.objective == min(trial.value for trial in study.trials)
    trainer = snippet.make_trainer(*parts, **best.hyperparameters)
    assert trainer.args.learning_rate == best.hyperparameters["learning_rate"]
    trainer.train()
    assert trainer.evaluate()["eval_loss"] == pytest.approx(best.objective, rel=1e-4)


def test_a_trial_starts_from_the_checkpoint_in_fp32(parts: tuple[str, str]) -> None:
    trainer = snippet.make_trainer(*parts)
    first, second = (next(trainer.model_init().parameters()) for _ in range(2))
    assert first.dtype == torch.float32
    assert first is not second and torch.equal(first, second)


def test_some_texts_are_held_out_and_empty_lines_left_out(parts: tuple[str, str]) -> None:
    trainer: Trainer = snippet.make_trainer(*parts)
    assert (len(trainer.train_dataset), len(trainer.eval_dataset)) == (7, 1)
    assert trainer.eval_dataset[0] not in trainer.train_dataset


def test_the_best_settings_can_train_longer(parts: tuple[str, str]) -> None:
    trainer = snippet.make_trainer(*parts, epochs=3, learning_rate=1e-4)
    trainer.train()
    assert trainer.state.epoch == 3
