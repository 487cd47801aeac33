"""Each optimizer is the one of its name, learns, and gets the best of its learning rates."""

from math import nan
from pathlib import Path

import pytest
import torch

from snippets.train_one import optimizer_losses as snippet

KINDS = {
    "AdamW": "AdamW", "Schedule-free AdamW": "AdamWScheduleFree", "Muon": "MuonAndAdamW", "8-bit Adam": "AdamW",
    "GaLore": "AdamW", "APOLLO": "AdamW", "Adafactor": "Adafactor", "LOMO": "Lomo",
}  # fmt: skip
PACKAGES = {"8-bit Adam": "bitsandbytes", "GaLore": "galore_torch", "APOLLO": "apollo_torch", "LOMO": "lomo_optim"}


@pytest.fixture(autouse=True)
def few_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(snippet, "STEPS", 20)
    monkeypatch.setattr(snippet, "EVERY", 10)
    snippet.train.cache_clear()


@pytest.mark.parametrize("name", snippet.OPTIMIZERS)
def test_an_optimizer_is_the_one_of_its_name(name: str, tmp_path: Path) -> None:
    trainer = snippet.trainer_of(name, 0.003, 0, str(tmp_path))
    optimizer = trainer.optimizer or trainer.create_optimizer()
    assert type(optimizer).__name__ == KINDS[name]
    assert type(optimizer).__module__.partition(".")[0] == PACKAGES.get(name, type(optimizer).__module__.split(".")[0])
    assert all(group["lr"] == 0.003 for group in optimizer.param_groups if "lr" in group)


def test_the_held_out_text_is_not_learned(tmp_path: Path) -> None:
    trainer, rows = snippet.trainer_of("AdamW", 0.003, 0, str(tmp_path)), snippet.rows_of_text()
    assert len(trainer.train_dataset) == len(rows) - snippet.HELD_OUT
    assert torch.equal(trainer.train_dataset[-1]["input_ids"], rows[-snippet.HELD_OUT - 1])
    assert bytes(rows[0].tolist()).decode() == "".join(snippet.topics.values())[: snippet.LENGTH]


@pytest.mark.parametrize("name", ["AdamW", "Muon", "Schedule-free AdamW", "LOMO"])
def test_the_loss_falls_and_another_seed_has_another_order(name: str) -> None:
    lr = 1.0 if name == "LOMO" else 0.003
    one, other = snippet.train(name, lr, 0), snippet.train(name, lr, 1)
    assert len(one.curve) == 2
    assert one.curve[0] > max(one.curve[1], one.held_out)
    assert one.curve != other.curve


@pytest.mark.parametrize(("diverges_from", "best"), [(1, 0.1), (0.1, 0.03)])
def test_the_best_rate_has_worse_neighbours_and_no_seed_at_which_it_diverges(
    diverges_from: float, best: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    tried: set[float] = set()

    def train(name: str, lr: float, seed: int) -> snippet.Losses:
        tried.add(lr)
        return snippet.Losses([], nan if seed == 2 and lr > 0.99 * diverges_from else abs(lr - 0.1))

    monkeypatch.setattr(snippet, "train", train)
    assert snippet.best_rate("AdamW", -5) == pytest.approx(best)
    assert sorted(tried) == pytest.approx([0.001, 0.003, 0.01, 0.03, 0.1, 0.3])
