"""One batch is learned by heart, and each cause that prevents it has its own figure."""

from contextlib import nullcontext
from pathlib import Path

import pytest
import torch
from _training import tiny_dataset
from torch.nn.functional import cross_entropy
from transformers import (
    Gemma3TextConfig,
    LlamaConfig,
    MistralConfig,
    PretrainedConfig,
    Qwen2Config,
    Qwen3Config,
    Trainer,
    TrainingArguments,
)

from snippets.debug import overfit as snippet

pytestmark = pytest.mark.needs(device="cpu")


@pytest.fixture(scope="module")
def name(tmp_path_factory: pytest.TempPathFactory) -> str:
    return snippet.checkpoint(str(tmp_path_factory.mktemp("checkpoint")))


@pytest.fixture(scope="module")
def causes(name: str) -> dict[str, dict[str, float]]:
    return snippet.causes(name)


LARGE = {"num_hidden_layers": 36, "hidden_size": 4096, "intermediate_size": 14_336, "num_attention_heads": 32}


@pytest.mark.parametrize("kind", [LlamaConfig, Qwen2Config, Qwen3Config, MistralConfig, Gemma3TextConfig])
def test_the_model_is_tiny_but_for_its_vocabulary(kind: type[PretrainedConfig], tmp_path: Path) -> None:
    kind(**LARGE, num_key_value_heads=8, vocab_size=512).save_pretrained(tmp_path)
    model = snippet.tiny_model(str(tmp_path))
    assert model.num_parameters() < 1.5e6 + 2 * 512 * 256
    assert model.dtype == torch.float32
    tokens = torch.arange(16)[None]
    model(input_ids=tokens, labels=tokens).loss.backward()


def test_a_model_that_can_learn_learns_the_batch(causes: dict[str, dict[str, float]]) -> None:
    figures = causes["learns"]
    assert figures["first"] == pytest.approx(5.55, abs=0.05)  # ln(256): it knows nothing yet
    assert figures["last"] < figures["first"] / 10
    assert (figures["tokens"], figures["trained"], figures["changed"]) == (128, 1, 1)


def test_each_cause_has_its_figure(causes: dict[str, dict[str, float]]) -> None:
    assert causes["no token counts"]["tokens"] == 0
    assert causes["all but a norm frozen"]["trained"] < 0.01
    assert causes["optimizer of another model"]["changed"] == 0
    assert causes["optimizer of another model"]["norm"] > 1
    assert causes["weights in bf16, lr 1e-5"]["changed"] < 0.5
    assert causes["weights in fp32, lr 1e-5"]["changed"] == 1
    for cause, figures in causes.items():
        if cause not in ("learns", "no token counts"):
            assert figures["last"] > 0.9 * figures["first"]


def test_it_takes_the_batch_and_the_optimizer_of_trainer(name: str, tmp_path: Path) -> None:
    args = TrainingArguments(str(tmp_path), learning_rate=1e-3, use_cpu=True, report_to="none")
    trainer = Trainer(snippet.tiny_model(name), args, train_dataset=tiny_dataset(length=32))
    batch = next(iter(trainer.get_train_dataloader()))
    figures = snippet.overfit(trainer.model, batch, trainer.create_optimizer(), steps=20)
    assert figures["last"] < figures["first"]


@pytest.mark.claim("debugging#learns-nothing", "accelerate/accelerator.py::Accelerator.prepare_model")
def test_the_model_that_trainer_prepares_runs_under_its_autocast(name: str, tmp_path: Path) -> None:
    """One autocast around all steps would keep the first step's bf16 weights."""
    dtypes, last = set(), {}
    for prepared in (True, False):
        torch.manual_seed(0)
        args = TrainingArguments(str(tmp_path), learning_rate=1e-3, use_cpu=True, bf16=True, report_to="none")
        trainer = Trainer(snippet.tiny_model(name), args, train_dataset=tiny_dataset(length=32))
        model = trainer.accelerator.prepare(trainer.model) if prepared else trainer.model
        if prepared:
            model.lm_head.register_forward_hook(lambda *given: dtypes.add(given[-1].dtype))
        around = nullcontext() if prepared else torch.autocast("cpu", torch.bfloat16)
        batch = next(iter(trainer.get_train_dataloader()))
        with around:
            last[prepared] = snippet.overfit(model, batch, trainer.create_optimizer(), steps=20)["last"]
    assert dtypes == {torch.bfloat16}
    assert last[True] < last[False] - 0.5


@pytest.mark.claim("debugging#learns-nothing", "transformers/loss/loss_utils.py::ForCausalLMLoss")
def test_the_model_shifts_the_labels_itself(name: str) -> None:
    model, tokens = snippet.tiny_model(name), snippet.batch()["input_ids"]
    found = model(input_ids=tokens, labels=tokens)
    wanted = cross_entropy(found.logits[:, :-1].flatten(0, 1), tokens[:, 1:].flatten())
    torch.testing.assert_close(found.loss, wanted)


def test_a_model_that_is_frozen_whole_is_an_error(name: str) -> None:
    model = snippet.tiny_model(name)
    optimizer = torch.optim.AdamW(model.parameters())
    with pytest.raises(RuntimeError, match="does not require grad"):
        snippet.overfit(model.requires_grad_(False), snippet.batch(), optimizer)
