"""The program trains all weights in fp32 under autocast, checkpointed, with a state of 8 bits, in batches of 64."""

from pathlib import Path

import pytest
import torch
from _tiny_texts import TEXTS
from transformers import AutoModelForCausalLM, AutoTokenizer, Trainer

from snippets.train_one import whole_program as snippet


@pytest.fixture(scope="module")
def trainer(tmp_path_factory: pytest.TempPathFactory) -> Trainer:
    return snippet.train_tiny(tmp_path_factory.mktemp("run"))


def test_all_weights_are_trained_in_fp32_and_saved(trainer: Trainer) -> None:
    out = Path(trainer.args.output_dir)
    saved = AutoModelForCausalLM.from_pretrained(out)
    start = AutoModelForCausalLM.from_pretrained(out.parent / "checkpoint", dtype=torch.float32)
    assert saved.dtype == torch.float32
    assert not [name for (name, old), new in zip(start.named_parameters(), saved.parameters(), strict=True)
                if torch.equal(old, new)]


def test_it_saves_memory_in_three_ways_and_computes_in_bf16(trainer: Trainer) -> None:
    layer = trainer.model.model.layers[0].mlp.up_proj
    assert trainer.optimizer.optimizer.state[layer.weight]["state1"].dtype == torch.uint8
    assert trainer.model.is_activation_checkpointing
    assert trainer.args.bf16
    per_epoch = -(-len(TEXTS) // 64)  # The last step of an epoch has what is left.
    assert trainer.state.global_step == 3 * per_epoch


def test_samples_end_with_the_end_token_and_padding_has_no_labels(trainer: Trainer) -> None:
    tokenizer = AutoTokenizer.from_pretrained(Path(trainer.args.output_dir).parent / "checkpoint")
    assert tokenizer.pad_token is None
    batch = trainer.data_collator([dict(sample) for sample in trainer.train_dataset[:8]])
    for tokens, labels, mask in zip(batch["input_ids"], batch["labels"], batch["attention_mask"].bool(), strict=True):
        assert torch.equal(labels[mask], tokens[mask])
        assert (labels[~mask] == -100).all()
        assert tokenizer.decode(tokens[mask]).removesuffix("<|end|>") in TEXTS
        assert tokens[mask][-1] == tokenizer.eos_token_id


def test_a_long_text_is_cut_to_512_tokens_and_settings_can_be_changed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Trainer, "train", lambda self: None)
    checkpoint = snippet.save_checkpoint(tmp_path / "checkpoint")
    trained = snippet.train_on_texts(
        checkpoint, ["a" * 1000], str(tmp_path / "out"), per_device_train_batch_size=1, gradient_accumulation_steps=64
    )
    assert trained.args.per_device_train_batch_size == 1
    assert trained.args.gradient_accumulation_steps == 64
    assert trained.args.optim == "adamw_8bit"
    (sample,) = trained.train_dataset
    assert len(sample["labels"]) == 512
    assert AutoTokenizer.from_pretrained(checkpoint).eos_token_id not in sample["input_ids"]
