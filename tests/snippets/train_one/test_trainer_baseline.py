"""The plain Trainer run learns, and gives the same losses each time."""

from pathlib import Path

from snippets.train_one import trainer_baseline as snippet

from _tiny import run, tiny_dataset


def test_the_loss_falls() -> None:
    losses = snippet.losses(steps=20)
    assert len(losses) == 20
    assert losses[-1] < losses[0] - 0.5


def test_two_runs_are_the_same() -> None:
    assert snippet.losses(steps=3) == snippet.losses(steps=3)


def test_an_epoch_reads_every_row_once(tmp_path: Path) -> None:
    trainer, read = snippet.build(str(tmp_path)), []

    def watched(model: object, args: object, inputs: dict[str, object]) -> None:
        read.extend(inputs["input_ids"].tolist())

    trainer.model.register_forward_pre_hook(watched, with_kwargs=True)
    rows = [row["input_ids"].tolist() for row in tiny_dataset()]
    run(trainer, steps=len(rows) // 4)
    assert sorted(read) == sorted(rows)
