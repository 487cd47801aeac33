"""A model as `from_pretrained` returns it, in evaluation mode, is trained with dropout and checkpointing."""

import pytest
from _train_many import on_ranks, tiny_model, tokens
from torch.nn.parallel import DistributedDataParallel

from snippets.train_many import ddp, fsdp, sequence_parallel, zero

pytestmark = pytest.mark.needs(devices=2)


def modes() -> dict[str, bool]:
    """Whether the model is in training mode after each of the functions that train it."""
    rows, models = tokens(), {}
    for name in ("ddp", "zero", "fsdp", "sequence_parallel"):
        models[name] = tiny_model(attn_implementation="ulysses" if name == "sequence_parallel" else "sdpa").eval()
    ddp.train_with_ddp(models["ddp"], rows, epochs=1)
    zero.train(DistributedDataParallel(models["zero"]), rows)
    fsdp.shard(models["fsdp"])
    fsdp.train_with_fsdp(models["fsdp"], [rows])
    sequence_parallel.backward(models["sequence_parallel"], rows, rows)
    return {name: model.training for name, model in models.items()}


def test_the_model_is_in_training_mode() -> None:
    expected = dict.fromkeys(("ddp", "zero", "fsdp", "sequence_parallel"), True)
    assert on_ranks(modes, 2) == [expected] * 2
