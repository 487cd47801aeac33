"""Optuna: trials one after another, each proposed by what the ones before it showed."""

import io
from contextlib import redirect_stdout
from tempfile import TemporaryDirectory

from _hpo import quiet_arguments, tiny_dataset, tiny_model, tiny_trainer, token_accuracy

# isort: split
# --8<-- [start:space]
from collections.abc import Callable

import optuna
from transformers import Trainer, TrainingArguments
from transformers.trainer_utils import BestRun


def space(trial: optuna.Trial) -> dict[str, float]:
    return {
        "learning_rate": trial.suggest_float(
            "learning_rate", 1e-5, 1e-1, log=True
        ),
        "per_device_train_batch_size": trial.suggest_categorical(
            "per_device_train_batch_size", [2, 4, 8]
        ),
    }


# --8<-- [end:space]
# --8<-- [start:search]
def search(trainer: Trainer, seed: int = 0, trials: int = 8) -> BestRun:
    return trainer.hyperparameter_search(
        backend="optuna",
        hp_space=space,
        direction="minimize",
        n_trials=trials,
        # Goes to optuna.create_study: the same trials at every run.
        sampler=optuna.samplers.TPESampler(seed=seed),
        # Else the median of earlier trials ends a trial early.
        pruner=optuna.pruners.NopPruner(),
    )


# --8<-- [end:search]
# --8<-- [start:accuracy]
def accuracy(metrics: dict[str, float]) -> float:
    return metrics["eval_accuracy"]


def search_accuracy(trainer: Trainer, trials: int = 8) -> BestRun:
    return trainer.hyperparameter_search(
        backend="optuna",
        hp_space=space,
        compute_objective=accuracy,  # else the sum of all metrics
        direction="maximize",  # the default is "minimize"
        n_trials=trials,
        sampler=optuna.samplers.TPESampler(seed=0),
        pruner=optuna.pruners.NopPruner(),
    )


# --8<-- [end:accuracy]
# --8<-- [start:two]
def search_two(trainer: Trainer, trials: int = 8) -> list[BestRun]:
    def loss_and_steps(metrics: dict[str, float]) -> list[float]:
        return [metrics["eval_loss"], trainer.state.global_step]

    return trainer.hyperparameter_search(
        backend="optuna",
        hp_space=space,
        compute_objective=loss_and_steps,
        direction=["minimize", "minimize"],
        n_trials=trials,
        sampler=optuna.samplers.NSGAIISampler(seed=0),
    )


# --8<-- [end:two]
# --8<-- [start:best]
def train_best(
    best: BestRun, arguments: dict, model_init: Callable, **parts: object
) -> Trainer:
    names = TrainingArguments.__dataclass_fields__
    settings = {k: v for k, v in best.hyperparameters.items() if k in names}
    # New arguments: those of the old Trainer are the last trial's.
    args = TrainingArguments(**(arguments | settings))
    # Suggests the best settings once more.
    trial = optuna.trial.FixedTrial(best.hyperparameters)
    trainer = Trainer(
        args=args, model_init=lambda: model_init(trial), **parts
    )
    trainer.train()
    return trainer


# --8<-- [end:best]
def main() -> None:
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    with TemporaryDirectory() as output_dir:
        trainer = tiny_trainer(output_dir)
        best = search(trainer)
        with redirect_stdout(io.StringIO()):  # what Trainer logs
            trained = train_best(
                best, quiet_arguments(output_dir), model_init=tiny_model, train_dataset=tiny_dataset()
            )
            loss = trained.evaluate(tiny_dataset())["eval_loss"]
        front = search_two(tiny_trainer(output_dir))
        accurate = search_accuracy(tiny_trainer(output_dir, compute_metrics=token_accuracy), trials=4)
    rate, rows = best.hyperparameters["learning_rate"], best.hyperparameters["per_device_train_batch_size"]
    print(f"Best of 8 trials: number {best.run_id}, loss {best.objective:.3f}, ", end="")
    print(f"learning rate {rate:.4f}, {rows} rows a batch")
    print(f"After it, the Trainer that searched has the learning rate {trainer.args.learning_rate:.4f}")
    print(f"A new one with the best settings: loss {loss:.3f}")
    print(f"Best of 4 by accuracy: number {accurate.run_id}, {accurate.objective:.3f}")
    for run in sorted(front, key=lambda run: run.objective[1]):
        loss, steps = run.objective
        print(f"On the Pareto front: {steps:.0f} steps, loss {loss:.3f}")


if __name__ == "__main__":
    main()
