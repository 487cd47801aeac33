"""The plain Trainer run that the techniques of the page start from."""

from tempfile import TemporaryDirectory

from transformers import Trainer, TrainingArguments

from _tiny import run, tiny_dataset, tiny_model


def build(output_dir: str) -> Trainer:
    model, dataset = tiny_model(), tiny_dataset()
    # --8<-- [start:trainer]
    args = TrainingArguments(
        output_dir=output_dir,
        per_device_train_batch_size=4,
        learning_rate=1e-3,
        logging_steps=1,
    )
    trainer = Trainer(model, args, train_dataset=dataset)
    # --8<-- [end:trainer]
    return trainer


def losses(steps: int) -> list[float]:
    """The loss of every step."""
    with TemporaryDirectory() as output_dir:
        trainer = run(build(output_dir), steps)
    return [entry["loss"] for entry in trainer.state.log_history if "loss" in entry]


def main() -> None:
    seen = losses(steps=20)
    print(f"Loss at step 1: {seen[0]:.2f}, at step {len(seen)}: {seen[-1]:.2f}")


if __name__ == "__main__":
    main()
