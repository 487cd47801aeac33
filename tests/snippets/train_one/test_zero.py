"""transformers accepts both configurations, and DeepSpeed trains with them."""

import json
from functools import partial
from pathlib import Path

import _deepspeed
import pytest
from accelerate.utils.deepspeed import HfDeepSpeedConfig
from transformers import TrainingArguments
from transformers.integrations.deepspeed import HfTrainerDeepSpeedConfig

from snippets.deepspeed import stages
from snippets.train_one import zero as snippet

from _tiny import tiny_model

CONFIGURATIONS = sorted(snippet.CONFIGURATIONS.glob("zero_stage*.json"))


class FilledConfig(HfDeepSpeedConfig):
    """Trainer's own code that fills in "auto", on accelerate's class, which needs no deepspeed."""

    is_auto = HfTrainerDeepSpeedConfig.is_auto
    fill_match = HfTrainerDeepSpeedConfig.fill_match
    fill_only = HfTrainerDeepSpeedConfig.__dict__["fill_only"]
    trainer_config_process = HfTrainerDeepSpeedConfig.trainer_config_process
    trainer_config_finalize = HfTrainerDeepSpeedConfig.trainer_config_finalize

    def __init__(self, path: Path) -> None:
        super().__init__(str(path))
        self.mismatches: list[str] = []


def test_both_stages_are_there() -> None:
    assert [path.name for path in CONFIGURATIONS] == ["zero_stage2.json", "zero_stage3.json"]


@pytest.mark.parametrize("path", CONFIGURATIONS, ids=lambda path: path.stem)
def test_trainer_fills_in_every_auto(path: Path, tmp_path: Path) -> None:
    args = TrainingArguments(
        output_dir=str(tmp_path),
        per_device_train_batch_size=3,
        gradient_accumulation_steps=5,
        bf16=True,
        use_cpu=True,
    )
    config = FilledConfig(path)
    assert "auto" in path.read_text(encoding="utf-8")
    config.trainer_config_process(args)
    config.trainer_config_finalize(args, tiny_model(), num_training_steps=7)
    assert "auto" not in json.dumps(config.config)
    assert config.config["train_micro_batch_size_per_gpu"] == 3
    assert config.config["train_batch_size"] == 15
    assert config.config["bf16"]["enabled"] is True
    assert config.is_zero2() == (path.stem == "zero_stage2")
    assert config.is_zero3() == (path.stem == "zero_stage3")
    assert config.is_offload()


@pytest.mark.needs("deepspeed")
@pytest.mark.parametrize("path", CONFIGURATIONS, ids=lambda path: path.stem)
def test_trainer_trains_under_deepspeed(path: Path, tmp_path: Path) -> None:
    """On two processes; PyTorch's AdamW instead of the one for CPUs that DeepSpeed would compile for minutes."""
    config = json.loads(path.read_text(encoding="utf-8")) | {"zero_force_ds_cpu_optimizer": False}
    changed = tmp_path / path.name
    changed.write_text(json.dumps(config), encoding="utf-8")
    norm = _deepspeed.single_process_norm(_deepspeed.tiny_model())
    for run in _deepspeed.on_ranks(partial(stages.train, changed), processes=2):
        assert run.stage == int(path.stem[-1])
        assert run.optimizer == pytest.approx(12 / 2)
        assert run.gradient_norm == pytest.approx(norm, rel=1e-2)  # bf16 has three digits.
