"""Every value of the grid is tried, each as a training run of its own, and the best one is returned."""

import re
import subprocess
import sys
from pathlib import Path

import pytest
from _hpo import tiny_trainer

from snippets.hpo import ray_tune as snippet


def loss(output_dir: Path, rate: float) -> float:
    trainer = tiny_trainer(str(output_dir), learning_rate=rate, per_device_train_batch_size=4)
    trainer.train()
    return trainer.evaluate()["eval_loss"]


def test_the_grid_is_tried_and_the_best_is_returned(tmp_path: Path) -> None:
    """In a process of its own: a Trainer cannot be sent to Ray by a process that has trained before."""
    command = [sys.executable, snippet.__file__]
    printed = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True, timeout=1200).stdout
    tried = {float(rate): float(loss) for rate, loss in re.findall(r"^learning rate (\S+): loss (\S+)$", printed, re.M)}
    assert tried == pytest.approx({rate: loss(tmp_path, rate) for rate in (1e-5, 1e-4, 1e-3)}, abs=0.001)
    assert tried[1e-3] < tried[1e-4] - 0.3
    assert f"Best: learning rate 0.001, loss {tried[1e-3]:.3f}" in printed


def test_without_a_trial_the_space_is_the_grid() -> None:
    assert snippet.space(None)["learning_rate"] == {"grid_search": [1e-5, 1e-4, 1e-3]}
