"""A seeded search repeats itself, starts every trial anew, trains with what it proposed, and returns the best."""

import gc
import inspect
from collections.abc import Iterator
from pathlib import Path

import optuna
import pytest
from _hpo import tiny_model, tiny_trainer, token_accuracy
from transformers.trainer_utils import BestRun, default_compute_objective

from snippets.hpo import optuna_search as snippet

TRIALS = 4
Trial = tuple[float, int, float]


@pytest.fixture(autouse=True, scope="module")
def quiet_and_quick() -> Iterator[None]:
    """Trainer collects garbage three times a trial, a second each unless it passes the imported modules by."""
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    gc.freeze()
    yield
    gc.unfreeze()


def watched_search(output_dir: Path, seed: int = 0) -> tuple[BestRun, list[Trial], list[int]]:
    """The best run; for each trial the settings that Trainer used and the loss; the models made."""
    trainer, made, trials = tiny_trainer(str(output_dir)), [], []
    evaluate = trainer.evaluate

    def model_init(trial: optuna.Trial | None) -> object:
        made.append(trial.number if trial else -1)
        return tiny_model()

    def watched_evaluate(*args: object, **kwargs: object) -> dict[str, float]:
        metrics = evaluate(*args, **kwargs)
        trials.append((trainer.args.learning_rate, trainer.args.per_device_train_batch_size, metrics["eval_loss"]))
        return metrics

    trainer.model_init, trainer.evaluate = model_init, watched_evaluate
    return snippet.search(trainer, seed, TRIALS), trials, made


def test_a_seeded_search_repeats_itself_and_another_seed_does_not(tmp_path: Path) -> None:
    best, trials, _ = watched_search(tmp_path)
    again, same, _ = watched_search(tmp_path)
    assert (again, same) == (best, trials)
    assert watched_search(tmp_path, seed=1)[1] != trials


def test_the_best_trial_is_the_one_with_the_lowest_loss(tmp_path: Path) -> None:
    best, trials, made = watched_search(tmp_path)
    assert made == list(range(TRIALS))
    losses = [loss for _, _, loss in trials]
    assert best.objective == min(losses) < max(losses)
    assert trials[int(best.run_id)][:2] == tuple(best.hyperparameters.values())


def test_a_trial_is_a_training_run_with_its_settings(tmp_path: Path) -> None:
    best, _, _ = watched_search(tmp_path)
    trainer = tiny_trainer(str(tmp_path), **best.hyperparameters)
    trainer.train()
    assert trainer.evaluate()["eval_loss"] == pytest.approx(best.objective, rel=1e-4)


def test_of_two_objectives_the_runs_that_no_other_beats_are_left(tmp_path: Path) -> None:
    front = snippet.search_two(tiny_trainer(str(tmp_path)), trials=6)
    assert 1 < len(front) < 6
    for run in front:
        others = [other.objective for other in front if other is not run]
        assert not any(loss <= run.objective[0] and steps <= run.objective[1] for loss, steps in others)
    rows = {run.hyperparameters["per_device_train_batch_size"]: run.objective[1] for run in front}
    assert all(steps == 2 * 16 / size for size, steps in rows.items())


METRICS = {"eval_loss": 2.0, "eval_runtime": 9.0, "eval_steps_per_second": 9.0, "epoch": 3.0}


@pytest.mark.claim(
    "hpo_train#model-init",
    "transformers/trainer_utils.py::default_compute_objective",
)
def test_the_default_objective_is_the_loss_alone_and_the_sum_of_the_metrics_beside_others() -> None:
    assert default_compute_objective(METRICS) == 2.0
    assert default_compute_objective(METRICS | {"eval_accuracy": 0.9, "eval_f1": 0.8}) == pytest.approx(1.7)


def test_by_default_a_search_minimizes_the_sum_of_all_metrics(tmp_path: Path) -> None:
    trainer = tiny_trainer(str(tmp_path), compute_metrics=token_accuracy)
    best = trainer.hyperparameter_search(backend="optuna", hp_space=snippet.space, n_trials=1)
    assert best.objective == pytest.approx(1.0)  # accuracy + error, whatever the model has learned
    assert inspect.signature(trainer.hyperparameter_search).parameters["direction"].default == "minimize"


def test_a_search_for_accuracy_returns_the_most_accurate_trial(tmp_path: Path) -> None:
    trainer, seen = tiny_trainer(str(tmp_path), compute_metrics=token_accuracy), []
    evaluate = trainer.evaluate

    def watched_evaluate(*args: object, **kwargs: object) -> dict[str, float]:
        metrics = evaluate(*args, **kwargs)
        seen.append(metrics["eval_accuracy"])
        return metrics

    trainer.evaluate = watched_evaluate
    best = snippet.search_accuracy(trainer, trials=TRIALS)
    assert best.objective == max(seen) > min(seen)
