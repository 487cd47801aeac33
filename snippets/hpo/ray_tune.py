"""Ray Tune: trials side by side, on all the processors or machines that Ray has."""

import os
from tempfile import TemporaryDirectory

import ray
from _hpo import tiny_trainer

# isort: split
# --8<-- [start:space]
from ray import tune
from transformers import Trainer
from transformers.trainer_utils import BestRun


def space(trial: None) -> dict[str, object]:
    return {
        # Every value of a grid is tried; a distribution is sampled.
        "learning_rate": tune.grid_search([1e-5, 1e-4, 1e-3]),
        "per_device_train_batch_size": 4,
    }


# --8<-- [end:space]
# --8<-- [start:search]
def search(trainer: Trainer, storage: str, resources: dict) -> BestRun:
    return trainer.hyperparameter_search(
        backend="ray",
        hp_space=space,
        direction="minimize",
        n_trials=1,  # times the size of the grid
        # All that follows goes to ray.tune.run.
        resources_per_trial=resources,
        storage_path=storage,
        verbose=0,
    )


# --8<-- [end:search]
def start_ray() -> None:
    """A Ray of this run alone, whatever cluster the machine has, without its web page and the output of its workers."""
    # Ray starts its workers with a niceness of 15: they would wait for whatever else the machine runs.
    os.environ |= {"RAY_AIR_NEW_OUTPUT": "0", "RAY_worker_niceness": "0"}
    ray.init(address="local", num_cpus=2, include_dashboard=False, log_to_driver=False, logging_level="ERROR")


def main() -> None:
    start_ray()
    with TemporaryDirectory() as folder:
        best = search(tiny_trainer(folder), folder, {"cpu": 1})
        trials = best.run_summary.results_df
    ray.shutdown()
    for rate, loss in sorted(zip(trials["config/learning_rate"], trials["objective"], strict=True)):
        print(f"learning rate {rate:g}: loss {loss:.3f}")
    print(f"Best: learning rate {best.hyperparameters['learning_rate']:g}, loss {best.objective:.3f}")


if __name__ == "__main__":
    main()
