"""The plain Trainer run learns, and gives the same losses each time."""

from snippets.train_one import trainer_baseline as snippet


def test_the_loss_falls() -> None:
    losses = snippet.losses(steps=20)
    assert len(losses) == 20
    assert losses[-1] < losses[0] - 0.5


def test_two_runs_are_the_same() -> None:
    assert snippet.losses(steps=3) == snippet.losses(steps=3)
