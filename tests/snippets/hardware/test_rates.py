"""The rates are operations and bytes over the time of the fastest call."""

import pytest
import torch

from snippets.hardware import rates as snippet

pytestmark = pytest.mark.measures


def test_the_time_is_that_of_the_fastest_call(monkeypatch: pytest.MonkeyPatch) -> None:
    durations = [100.0, 3.0, 1.0, 2.0]
    clock = iter(tick for index, taken in enumerate(durations) for tick in (1000.0 * index, 1000.0 * index + taken))
    name = "process_time" if snippet.device().type == "cpu" else "perf_counter"
    monkeypatch.setattr(snippet.time, name, lambda: next(clock))
    calls: list[int] = []
    assert snippet.seconds(lambda: calls.append(1), repeats=4) == 1.0
    assert len(calls) == 4


def test_a_product_of_matrices_is_two_operations_for_each_of_n_cubed(monkeypatch: pytest.MonkeyPatch) -> None:
    products: list[torch.Tensor] = []
    monkeypatch.setattr(snippet, "seconds", lambda work: products.append(work()) or 0.5)
    assert snippet.matmul_rate(8, torch.bfloat16) == 2 * 8**3 / 0.5
    assert products[0].dtype == torch.bfloat16
    assert products[0].shape == (8, 8)
    assert products[0].unique().numel() > 8  # of random numbers


def test_a_copy_reads_and_writes(monkeypatch: pytest.MonkeyPatch) -> None:
    copies: list[torch.Tensor] = []
    monkeypatch.setattr(snippet, "seconds", lambda work: copies.append(work()) or 0.25)
    assert snippet.copy_rate(1000) == 2 * 1000 / 0.25
    assert copies[0].nbytes == 1000
    assert copies[0].unique().numel() > 200  # random bytes


def test_rates_are_given_with_two_digits() -> None:
    assert [snippet.two_digits(number) for number in (0.4321, 41.7, 123_456)] == ["0.43", "42", "120,000"]
