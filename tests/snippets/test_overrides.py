"""What a caller passes to a program replaces what the program sets."""

from types import ModuleType
from unittest.mock import MagicMock

import pytest

from snippets.deepspeed import train as deepspeed
from snippets.fsdp2 import resumable
from snippets.fsdp2 import train as fsdp2
from snippets.long_sequences import context_parallel, packing_trainer
from snippets.low_precision import fp8_program
from snippets.peft import adapters as peft
from snippets.resume import preemption
from snippets.train_one import whole_program

PASSED = {"learning_rate": 3.0, "per_device_train_batch_size": 4, "bf16": False}


class Stop(Exception):
    """Ends a program at its arguments."""


def settings(module: ModuleType, function: str, *call: object, monkeypatch: pytest.MonkeyPatch) -> dict[str, object]:
    """What the program sets if the caller passes its own values."""
    seen: dict[str, object] = {}

    def take(folder: str, **settings: object) -> None:
        seen.update(settings)
        raise Stop

    monkeypatch.setattr(module, "TrainingArguments", take)
    for name in ("AutoTokenizer", "AutoModelForCausalLM", "get_peft_model", "load_for_qlora", "to_fp8"):
        monkeypatch.setattr(module, name, MagicMock(), raising=False)
    monkeypatch.setenv("WORLD_SIZE", "2")
    with pytest.raises(Stop):
        getattr(module, function)(*call, **PASSED)
    return seen


@pytest.mark.parametrize(
    ("module", "function", "call"),
    [
        (whole_program, "train_on_texts", ("model", [], "out")),
        (peft, "finetune", ("model", [], "out")),
        (peft, "finetune_qlora", ("model", [], "out")),
        (fp8_program, "train", ("model", [], "out")),
        (packing_trainer, "train", ("model", [], "out")),
        (context_parallel, "train", ("model", [], "out")),
        (fsdp2, "train", ("model", [], "out")),
        (resumable, "train", ("model", [], "out")),
        (deepspeed, "train", ("model", [], "out", "file.json")),
        (preemption, "build", (None, [], "out")),
    ],
)
def test_an_argument_replaces_the_programs_own(
    module: ModuleType, function: str, call: tuple[object, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert settings(module, function, *call, monkeypatch=monkeypatch).items() >= PASSED.items()


def test_another_batch_keeps_the_samples_of_a_step(monkeypatch: pytest.MonkeyPatch) -> None:
    seen = settings(preemption, "build", None, [], "out", 16, monkeypatch=monkeypatch)
    assert seen["gradient_accumulation_steps"] == 2  # 4 samples on each of 2 ranks
