"""The type of a checkpoint: bf16 by default, in which small updates are rounded away; fp32 trains every weight."""

from tempfile import TemporaryDirectory

# --8<-- [start:imports]
import torch
from transformers import AutoModelForCausalLM, Trainer, TrainingArguments

# --8<-- [end:imports]
from _tiny import run, tiny_checkpoint, tiny_dataset


# --8<-- [start:load]
def trainer(checkpoint, output_dir, dataset, **load):
    model = AutoModelForCausalLM.from_pretrained(checkpoint, **load)
    args = TrainingArguments(
        output_dir=output_dir,
        bf16=True,
        use_cpu=not torch.accelerator.is_available(),
        learning_rate=1e-5,
        lr_scheduler_type="constant",
    )
    return Trainer(model, args, train_dataset=dataset)


# --8<-- [end:load]


# --8<-- [start:changed]
# The share of the weights that are no longer what they were.
def changed(before, after):
    different = sum((before[name] != after[name]).sum() for name in before)
    return (different / sum(each.numel() for each in before.values())).item()


# --8<-- [end:changed]


def train(steps: int = 20, **load: object) -> tuple[Trainer, float]:
    """Trainer after some steps, and the share of the weights that have changed."""
    with tiny_checkpoint() as checkpoint, TemporaryDirectory() as output_dir:
        # Every word is there, so that every row of the embedding has a gradient.
        rows = [row | {"labels": row["input_ids"]} for row in tiny_dataset(rows=64, length=32)]
        ready = trainer(checkpoint, output_dir, rows, **load)
        before = {name: weight.detach().cpu().clone() for name, weight in ready.model.named_parameters()}
        run(ready, steps)
        return ready, changed(before, {name: weight.cpu() for name, weight in ready.model.named_parameters()})


def main() -> None:
    print("Trainer(bf16=True) on a checkpoint in bf16, 20 steps at a learning rate of 1e-5:")
    for shown, load in [("the default load", {}), ("dtype=torch.float32", {"dtype": torch.float32})]:
        trained, share = train(**load)
        weight = trained.model.lm_head.weight
        moment = trained.optimizer.optimizer.state[weight]["exp_avg"].dtype
        print(f"  {shown:20} weights {weight.dtype}, Adam's state {moment}: {share:.0%} of the weights have changed")


if __name__ == "__main__":
    main()
