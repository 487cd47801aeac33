"""Without detection the gradient is nan and nothing is said; with it the operation and its line are named."""

import pytest
import torch

from snippets.debug import anomaly as snippet

pytestmark = pytest.mark.needs(device="cpu")


class Sound(torch.nn.Module):
    def forward(self, a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        return ((a - b).square().sum() + 1).sqrt()


def test_the_gradient_is_nan_and_nothing_is_said() -> None:
    assert snippet.gradient(snippet.Distance()).isnan().all()


def test_detection_names_the_operation_and_the_line() -> None:
    error, warning = snippet.detected(snippet.Distance())
    assert "PowBackward0" in error
    assert "nan" in error
    assert "return (a - b).square().sum().sqrt()" in warning
    assert "anomaly.py" in warning


def test_a_sound_model_passes() -> None:
    assert snippet.gradient(Sound()).isfinite().all()
    assert snippet.detected(Sound()) == ("", "")


@pytest.mark.claim("debugging#anomaly", "torch/autograd/anomaly_mode.py::detect_anomaly")
def test_a_gradient_that_is_infinite_but_a_number_passes() -> None:
    point = torch.zeros(1, requires_grad=True)
    with pytest.warns(UserWarning, match="Anomaly"), torch.autograd.detect_anomaly():
        point.sqrt().backward()
    assert point.grad.isinf().all()


def test_detection_ends_with_its_block() -> None:
    snippet.detected(snippet.Distance())
    assert not torch.is_anomaly_enabled()
