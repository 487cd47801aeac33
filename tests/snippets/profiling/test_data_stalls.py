"""The share counts the time until a batch is there, from the second on, and nothing else."""

from collections.abc import Iterator

import pytest
import torch
from _profiling import tiny_model

from snippets.profiling import data_stalls as snippet

pytestmark = pytest.mark.measures


def test_the_share_is_the_time_before_each_batch_but_the_first(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [0.0]

    def loader() -> Iterator[dict[str, torch.Tensor]]:
        for wait in (30.0, 3.0, 1.0):  # At first, the workers start.
            now[0] += wait
            yield {"input_ids": torch.ones(1, 4, dtype=torch.long), "labels": torch.ones(1, 4, dtype=torch.long)}

    def working(*_: object, **__: object) -> None:
        now[0] += 6.0

    model = tiny_model()
    model.register_forward_hook(working)
    monkeypatch.setattr(snippet, "perf_counter", lambda: now[0])
    assert snippet.waiting_share(model, loader()) == pytest.approx((3 + 1) / (6 + 3 + 6 + 1 + 6))
    assert all(weight.grad is None for weight in model.parameters())


def test_the_last_batch_is_smaller() -> None:
    loader = torch.utils.data.DataLoader(snippet.SlowSamples(count=5, seconds=0), batch_size=4)
    assert [len(batch["input_ids"]) for batch in loader] == [4, 1]


def test_the_products_are_in_the_type_of_the_training() -> None:
    types = set()
    model = tiny_model()
    model.lm_head.register_forward_hook(lambda module, inputs, output: types.add(output.dtype))
    row = torch.ones(1, 4, dtype=torch.long)
    snippet.waiting_share(model, [{"input_ids": row, "labels": row}] * 2, torch.bfloat16)
    assert types == {torch.bfloat16}
