"""What the page starts from is like a published model: a checkpoint in bf16, grouped heads, a last partial batch."""

from pathlib import Path

import pytest
import torch
from transformers import AutoModelForCausalLM

from snippets.train_one import setup as snippet


@pytest.fixture
def built(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple:
    monkeypatch.chdir(tmp_path)
    return snippet.build()


def test_the_checkpoint_is_in_bf16_and_the_model_in_fp32(built: tuple) -> None:
    trainer, _ = built
    assert AutoModelForCausalLM.from_pretrained("tiny-llama").dtype == torch.bfloat16
    assert {parameter.dtype for parameter in trainer.model.parameters()} == {torch.float32}


def test_the_heads_are_grouped_and_the_cache_is_the_default(built: tuple) -> None:
    trainer, batches = built
    config = trainer.model.config
    assert config.num_attention_heads == 2 * config.num_key_value_heads
    as_loaded = AutoModelForCausalLM.from_pretrained("tiny-llama").to(trainer.model.device)
    assert as_loaded(**batches[0]).past_key_values is not None


def test_the_last_batch_is_partial_and_all_lie_where_the_model_does(built: tuple) -> None:
    trainer, batches = built
    assert [len(batch["input_ids"]) for batch in batches] == [4, 4, 2]
    assert {tensor.device for batch in batches for tensor in batch.values()} == {trainer.model.device}


def test_trainer_trains_it_without_a_cache(built: tuple) -> None:
    trainer, _ = built
    trainer.args.set_save(strategy="no")
    trainer.args.max_steps = 2
    trainer.train()
    assert trainer.state.global_step == 2
    assert trainer.model.config.use_cache is False
