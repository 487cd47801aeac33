"""Trainer logs a loss without nan while every gradient is; under detection the run stops and the line is named."""

from pathlib import Path

import pytest
import torch

from snippets.debug import anomaly as snippet

pytestmark = pytest.mark.needs(device="cpu")


def test_the_log_has_a_loss_while_every_gradient_is_nan(tmp_path: Path) -> None:
    (first, norm), (second, next_norm) = snippet.logged(snippet.distiller(str(tmp_path)))
    assert torch.tensor([norm, next_norm]).isnan().all()
    assert 5 < first < 6
    assert second == 0


def test_detection_names_the_operation_and_the_line(tmp_path: Path) -> None:
    error, warning = snippet.detected(snippet.distiller(str(tmp_path)))
    assert "PowBackward0" in error
    assert "nan" in error
    assert "distance = (outputs.logits - wanted).square().sum().sqrt()" in warning
    assert "anomaly.py" in warning


def test_a_run_without_the_fault_passes(tmp_path: Path) -> None:
    trainer = snippet.distiller(str(tmp_path))
    with torch.no_grad():
        for weight in trainer.teacher.parameters():
            weight.mul_(1.1)
    assert snippet.detected(trainer) == ("", "")
    assert trainer.state.global_step == 2


@pytest.mark.claim("debugging#anomaly", "torch/autograd/anomaly_mode.py::detect_anomaly")
def test_a_gradient_that_is_infinite_but_a_number_passes() -> None:
    point = torch.zeros(1, requires_grad=True)
    with pytest.warns(UserWarning, match="Anomaly"), torch.autograd.detect_anomaly():
        point.sqrt().backward()
    assert point.grad.isinf().all()


def test_detection_ends_with_the_run(tmp_path: Path) -> None:
    snippet.detected(snippet.distiller(str(tmp_path)))
    assert not torch.is_anomaly_enabled()


def test_it_goes_on_from_the_checkpoint_before_the_nan(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    trainer, calls = snippet.distiller(str(tmp_path)), []
    monkeypatch.setattr(trainer, "train", lambda **options: calls.append((options, torch.is_anomaly_enabled())))
    with pytest.warns(UserWarning, match="Anomaly"):
        snippet.train_detecting(trainer, "run/checkpoint-500")
    assert calls == [({"resume_from_checkpoint": "run/checkpoint-500"}, True)]
