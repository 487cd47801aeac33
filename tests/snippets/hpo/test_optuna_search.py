"""A seeded search repeats itself, starts every trial anew, trains with what it proposed, and returns the best."""

import inspect
from pathlib import Path
from threading import Barrier, Lock

import optuna
import pytest
from _hpo import quiet_arguments, tiny_dataset, tiny_model, tiny_trainer, token_accuracy
from transformers import LlamaForCausalLM, Trainer
from transformers.trainer_utils import BestRun, HPSearchBackend, default_compute_objective
from transformers.training_args import ParallelMode, TrainingArguments

from snippets.hpo import optuna_search as snippet

pytestmark = pytest.mark.usefixtures("quiet")

TRIALS = 4
Trial = tuple[float, int, float]


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


@pytest.mark.claim("hpo_train#model-init", "transformers/trainer_utils.py::default_compute_objective")
def test_the_time_that_an_evaluation_before_training_reports_takes_the_place_of_the_loss(tmp_path: Path) -> None:
    trainer = tiny_trainer(str(tmp_path))
    trainer.evaluate()
    metrics = trainer.evaluate()
    assert default_compute_objective(dict(metrics)) == metrics["eval_model_preparation_time"] != metrics["eval_loss"]


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


@pytest.mark.claim("hpo_train#best", "transformers/trainer.py::Trainer._hp_search_setup")
def test_after_a_search_the_trainer_has_the_settings_of_the_last_trial_and_a_new_one_the_best(tmp_path: Path) -> None:
    trainer = tiny_trainer(str(tmp_path))
    best = snippet.search(trainer, trials=TRIALS)
    assert int(best.run_id) < TRIALS - 1
    assert trainer.args.learning_rate != best.hyperparameters["learning_rate"]
    parts = {"model_init": tiny_model, "train_dataset": tiny_dataset()}
    trained = snippet.train_best(best, quiet_arguments(str(tmp_path)), **parts)
    assert trained.evaluate(tiny_dataset())["eval_loss"] == pytest.approx(best.objective, rel=1e-4)


@pytest.mark.claim("hpo_train#best", "transformers/trainer.py::Trainer.call_model_init")
def test_the_best_setting_of_the_model_reaches_model_init_once_more(tmp_path: Path) -> None:
    ranks: list[int] = []

    def model_init(trial: optuna.Trial | None) -> LlamaForCausalLM:
        ranks.append(trial.suggest_categorical("rank", [4, 8]) if trial else 0)
        return tiny_model()

    trainer = tiny_trainer(str(tmp_path), max_steps=1)
    trainer.model_init = model_init
    space = snippet.space
    best = trainer.hyperparameter_search(backend="optuna", n_trials=2, hp_space=space, direction="minimize")
    arguments, data = quiet_arguments(str(tmp_path)) | {"max_steps": 1}, {"train_dataset": tiny_dataset()}
    with pytest.raises(TypeError, match="rank"):
        TrainingArguments(**(arguments | best.hyperparameters))
    ranks.clear()
    trained = snippet.train_best(best, arguments, model_init, **data)
    assert ranks == [best.hyperparameters["rank"]] * 2
    assert trained.args.learning_rate == best.hyperparameters["learning_rate"]
    ranks.clear()
    Trainer(model_init=model_init, args=trained.args, **data).train()
    assert ranks == [0, 0]


@pytest.mark.claim("hpo_train#model-init", "transformers/trainer.py::Trainer.__init__")
@pytest.mark.parametrize(("name", "values", "differ"), [
    ("label_smoothing_factor", [0.0, 0.5], False),
    ("neftune_noise_alpha", [0.1, 50.0], False),
    ("bf16", [True, False], False),
    ("lr_scheduler_type", ["constant", "linear"], True),
])
def test_an_argument_that_trainer_reads_at_its_creation_changes_no_trial(
    name: str, values: list[object], differ: bool, tmp_path: Path
) -> None:
    trainer, losses = tiny_trainer(str(tmp_path), learning_rate=1e-2, use_cpu=True), set[float]()

    def objective(metrics: dict[str, float]) -> float:
        losses.add(metrics["eval_loss"])
        return metrics["eval_loss"]

    best = trainer.hyperparameter_search(
        backend="optuna", hp_space=lambda trial: {name: trial.suggest_categorical(name, values)}, n_trials=2,
        direction="minimize", compute_objective=objective, pruner=optuna.pruners.NopPruner(),
        sampler=optuna.samplers.GridSampler({name: values}),
    )
    assert best.hyperparameters[name] in values
    assert len(losses) == 1 + differ


@pytest.mark.parametrize(("before", "used"), [({}, 0), ({"warmup_steps": 0.0}, 0.25)])
@pytest.mark.claim("hpo_train#model-init", "transformers/trainer.py::Trainer._hp_search_setup")
def test_a_proposed_value_gets_the_type_that_the_argument_has(
    before: dict[str, float], used: float, tmp_path: Path
) -> None:
    trainer = tiny_trainer(str(tmp_path), max_steps=1, **before)

    def space(trial: optuna.Trial) -> dict[str, float]:
        return {"warmup_steps": trial.suggest_float("warmup_steps", 0.25, 0.25)}

    best = trainer.hyperparameter_search(backend="optuna", n_trials=1, hp_space=space)
    assert best.hyperparameters == {"warmup_steps": 0.25}
    assert trainer.args.warmup_steps == used


def test_a_name_that_no_argument_has_is_left_out_without_an_error(tmp_path: Path) -> None:
    trainer = tiny_trainer(str(tmp_path), max_steps=1)
    space = {"warmup_ratio": 0.1}
    trainer.hyperparameter_search(backend="optuna", n_trials=1, hp_space=lambda trial: space)
    assert not hasattr(trainer.args, "warmup_ratio")


@pytest.mark.parametrize("pruner", [None, optuna.pruners.NopPruner()])
def test_with_evaluations_during_training_the_default_pruner_stops_trials(
    pruner: optuna.pruners.BasePruner | None, tmp_path: Path
) -> None:
    """The sixth trial is the first that is compared with the median of those before."""
    trainer = tiny_trainer(str(tmp_path), max_steps=2, eval_strategy="steps", eval_steps=1)
    rates = [1e-2] * 5 + [1e-6]
    trainer.hyperparameter_search(
        backend="optuna", n_trials=6, hp_space=lambda trial: {"learning_rate": rates[trial.number]}, pruner=pruner
    )
    assert trainer.state.global_step == (2 if pruner else 1)


@pytest.mark.claim("hpo_train#pruning", "transformers/integrations/integration_utils.py::run_hp_search_optuna")
@pytest.mark.claim("hpo_train#pruning", "transformers/trainer.py::Trainer._report_to_hp_search")
def test_only_the_process_that_has_the_study_stops_at_a_pruned_trial(tmp_path: Path) -> None:
    """The others get a FixedTrial, train on, and wait in the next operation of all processes."""
    trainer = tiny_trainer(str(tmp_path))
    trainer.hp_search_backend, trainer.compute_objective = HPSearchBackend.OPTUNA, default_compute_objective
    study = optuna.create_study(pruner=optuna.pruners.ThresholdPruner(upper=0))
    with pytest.raises(optuna.TrialPruned):
        trainer._report_to_hp_search(study.ask(), 1, {"eval_loss": 1.0})
    trainer._report_to_hp_search(optuna.trial.FixedTrial({}), 1, {"eval_loss": 1.0})


@pytest.mark.claim("hpo_train#optuna", "transformers/integrations/integration_utils.py::run_hp_search_optuna")
def test_trials_of_several_jobs_share_one_trainer_and_its_settings(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two trials meet after both have set their rate: one of them trains with the other's."""
    trainer, together, one_at_a_time, used = tiny_trainer(str(tmp_path)), Barrier(2, timeout=60), Lock(), {}
    rates = [1e-2, 1e-3]

    def train(trial: optuna.Trial, **kwargs: object) -> None:
        with one_at_a_time:
            trainer._hp_search_setup(trial)
        together.wait()
        used[trial.number] = trainer.args.learning_rate

    monkeypatch.setattr(trainer, "train", train)
    monkeypatch.setattr(trainer, "evaluate", lambda: {"eval_loss": 1.0})
    trainer.hyperparameter_search(
        backend="optuna", n_trials=2, n_jobs=2, hp_space=lambda trial: {"learning_rate": rates[trial.number]}
    )
    assert used[0] == used[1]


@pytest.mark.claim("hpo_train#pruning", "transformers/integrations/integration_utils.py::run_hp_search_optuna")
def test_a_timeout_ends_the_first_process_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    waited: list[int] = []
    monkeypatch.setattr("torch.distributed.broadcast_object_list", lambda objects, src: waited.append(src))
    for process, trials in ((0, 0), (1, 5)):
        trainer = tiny_trainer(str(tmp_path))
        monkeypatch.setattr(TrainingArguments, "process_index", process)
        monkeypatch.setattr(TrainingArguments, "parallel_mode", ParallelMode.DISTRIBUTED)
        monkeypatch.setattr(trainer, "train", lambda **kwargs: None)
        monkeypatch.setattr(trainer, "evaluate", lambda: {"eval_loss": 1.0})
        waited.clear()
        two_aims = {"direction": ["minimize", "minimize"]}  # So that a search without a result is no error.
        trainer.hyperparameter_search(backend="optuna", n_trials=5, timeout=0, hp_space=lambda trial: {}, **two_aims)
        assert len(waited) == trials


def test_each_trial_leaves_a_checkpoint_unless_none_is_saved(tmp_path: Path) -> None:
    for folder, settings in ((tmp_path / "saved", {"save_strategy": "steps"}), (tmp_path / "none", {})):
        trainer = tiny_trainer(str(folder), max_steps=1, **settings)
        trainer.hyperparameter_search(backend="optuna", n_trials=2, hp_space=lambda trial: {})
    assert sorted(file.parent.parent.name for file in tmp_path.rglob("optimizer.pt")) == ["run-0", "run-1"]


@pytest.mark.claim("hpo_train#pitfalls", "transformers/trainer.py::Trainer._hp_search_setup")
def test_a_batch_size_set_in_a_trainer_counts_for_a_search_alone(tmp_path: Path) -> None:
    for search, used in ((False, 8), (True, 2)):
        trainer = tiny_trainer(str(tmp_path), max_steps=1)
        trainer.args.per_device_train_batch_size = 2
        if search:
            trainer.hyperparameter_search(backend="optuna", n_trials=1, hp_space=lambda trial: {})
        else:
            trainer.train()
        assert trainer.state.train_batch_size == used


def test_a_trial_is_judged_by_its_last_evaluation_and_not_by_its_best(tmp_path: Path) -> None:
    saved = {"load_best_model_at_end": True, "save_strategy": "steps", "save_steps": 1, "save_only_model": True}
    trainer = tiny_trainer(str(tmp_path), max_steps=3, eval_strategy="steps", eval_steps=1, **saved)
    evaluate, losses = trainer.evaluate, iter([2.0, 1.0, 3.0])

    def watched_evaluate(*args: object, **kwargs: object) -> dict[str, float]:
        return evaluate(*args, **kwargs) | {"eval_loss": next(losses)}

    trainer.evaluate = watched_evaluate
    best = trainer.hyperparameter_search(backend="optuna", n_trials=1, hp_space=lambda trial: {})
    assert trainer.state.best_metric == 1.0
    assert best.objective == 3.0
