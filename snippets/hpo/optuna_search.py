"""Optuna: trials one after another, each proposed by what the ones before it showed."""

from tempfile import TemporaryDirectory

import optuna
from _hpo import tiny_trainer
from transformers import Trainer
from transformers.trainer_utils import BestRun


# --8<-- [start:space]
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
def search(trainer: Trainer, seed: int = 0, trials: int = 8) -> BestRun:
    # --8<-- [start:search]
    best = trainer.hyperparameter_search(
        backend="optuna",
        hp_space=space,
        direction="minimize",
        n_trials=trials,
        # Goes to optuna.create_study: the same trials at every run.
        sampler=optuna.samplers.TPESampler(seed=seed),
    )
    # --8<-- [end:search]
    return best


def search_two(trainer: Trainer, trials: int = 8) -> list[BestRun]:
    """The trials that no other one beats in both: the loss, and the number of optimizer steps."""

    # --8<-- [start:two]
    def loss_and_steps(metrics: dict[str, float]) -> list[float]:
        return [metrics["eval_loss"], trainer.state.global_step]

    front = trainer.hyperparameter_search(
        backend="optuna",
        hp_space=space,
        compute_objective=loss_and_steps,
        direction=["minimize", "minimize"],
        n_trials=trials,
        sampler=optuna.samplers.NSGAIISampler(seed=0),
    )
    # --8<-- [end:two]
    return front


def main() -> None:
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    with TemporaryDirectory() as output_dir:
        best = search(tiny_trainer(output_dir))
        front = search_two(tiny_trainer(output_dir))
    rate, rows = best.hyperparameters["learning_rate"], best.hyperparameters["per_device_train_batch_size"]
    print(f"Best of 8 trials: number {best.run_id}, loss {best.objective:.3f}, ", end="")
    print(f"learning rate {rate:.4f}, {rows} rows a batch")
    for run in sorted(front, key=lambda run: run.objective[1]):
        loss, steps = run.objective
        print(f"Not beaten in both: {steps:.0f} steps, loss {loss:.3f}")


if __name__ == "__main__":
    main()
