"""Accumulated gradients are the large batch's, also where the rows differ in length."""

from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path

import pytest
import torch
from peft import LoraConfig, get_peft_model
from torch import nn
from torch.utils.data import SequentialSampler
from transformers import (
    AutoModelForCausalLM,
    BertConfig,
    BertForMaskedLM,
    Gemma4Config,
    LlamaConfig,
    LlamaForSequenceClassification,
    T5Config,
    T5ForConditionalGeneration,
    Trainer,
    TrainerCallback,
    ViTConfig,
    ViTForImageClassification,
)

from snippets.train_one import gradient_accumulation as snippet
from snippets.train_one.gradient_accumulation import Rows

from _tiny import gradients, relative_difference, tiny_dataset, tiny_model

# fp32 sums in another order; the gradients agree to six digits or so.
SAME = 1e-5


@pytest.fixture(autouse=True)
def without_clipping(monkeypatch: pytest.MonkeyPatch) -> None:
    """Gradients clipped to norm 1 would be the same after a wrong division, so they are left as they are."""

    def norm_only(parameters: Iterable[nn.Parameter], max_norm: float, **kwargs: object) -> torch.Tensor:
        return nn.utils.get_total_norm([parameter.grad for parameter in parameters])

    monkeypatch.setattr(nn.utils, "clip_grad_norm_", norm_only)


@pytest.fixture(params=["equal lengths", "unequal lengths"])
def rows(request: pytest.FixtureRequest) -> Rows:
    return tiny_dataset(4) if request.param == "equal lengths" else snippet.rows_of_unequal_length()


def test_trainer_accumulates_the_gradients_of_the_large_batch(rows: Rows, tmp_path: Path) -> None:
    args = snippet.training_arguments(str(tmp_path))
    assert (args.per_device_train_batch_size, args.gradient_accumulation_steps) == (1, 4)
    ours = snippet.trainer_gradients(args, rows)
    assert relative_difference(ours, snippet.large_batch_gradients(rows)) < SAME


def test_without_accumulation_trainer_sees_other_gradients(rows: Rows, tmp_path: Path) -> None:
    args = replace(snippet.training_arguments(str(tmp_path)), gradient_accumulation_steps=1)
    ours = snippet.trainer_gradients(args, rows)
    assert relative_difference(ours, snippet.large_batch_gradients(rows)) > 0.1


def test_the_loop_accumulates_the_gradients_of_the_large_batch(rows: Rows) -> None:
    ours = snippet.loop_gradients(rows, accumulation_steps=4)
    assert relative_difference(ours, snippet.large_batch_gradients(rows)) < SAME


def test_the_loop_steps_once_a_window_and_starts_the_next_from_zero() -> None:
    model, rows = tiny_model(), tiny_dataset(rows=12)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.0)  # The weights stay those of the large batch's model.
    seen = []
    optimizer.register_step_pre_hook(lambda *_: seen.append(gradients(model)))
    snippet.accumulate(model, optimizer, rows, accumulation_steps=4)
    assert len(seen) == 3
    assert relative_difference(seen[2], snippet.large_batch_gradients(rows[8:])) < SAME


@pytest.mark.parametrize(("samples", "last"), [(10, 8), (3, 0), (9, 8)])
def test_the_last_window_of_an_epoch_is_trained_though_it_is_shorter(samples: int, last: int) -> None:
    model, rows = tiny_model(), tiny_dataset(rows=samples)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.0)
    seen = []
    optimizer.register_step_pre_hook(lambda *_: seen.append(gradients(model)))
    snippet.accumulate(model, optimizer, rows, accumulation_steps=4)
    assert len(seen) == -(-samples // 4)
    assert relative_difference(seen[-1], snippet.large_batch_gradients(rows[last:])) < SAME


def test_trainer_trains_the_last_window_too(tmp_path: Path) -> None:
    """Trainer as well steps for the two batches that are left of ten, and divides by their tokens."""
    args = replace(snippet.training_arguments(str(tmp_path)), num_train_epochs=1, save_strategy="no", learning_rate=0.0)
    rows, seen = tiny_dataset(rows=10), []

    class Recorder(TrainerCallback):
        def on_pre_optimizer_step(self, *args: object, model: nn.Module, **kwargs: object) -> None:
            seen.append(gradients(model))

    trainer = Trainer(tiny_model(), args, train_dataset=rows, callbacks=[Recorder()])
    trainer._get_train_sampler = lambda *_: SequentialSampler(rows)
    trainer.train()
    assert len(seen) == 3
    assert relative_difference(seen[-1], snippet.large_batch_gradients(rows[8:])) < SAME


def test_a_mean_of_means_agrees_only_where_the_rows_are_equally_long() -> None:
    equal, unequal = tiny_dataset(4), snippet.rows_of_unequal_length()
    equal_error = relative_difference(snippet.mean_of_means_gradients(equal), snippet.large_batch_gradients(equal))
    unequal_error = relative_difference(
        snippet.mean_of_means_gradients(unequal), snippet.large_batch_gradients(unequal)
    )
    assert equal_error < SAME
    assert unequal_error > 0.1


def bert() -> BertForMaskedLM:
    """A model that accepts the count and returns the mean of its batch."""
    torch.manual_seed(0)
    return BertForMaskedLM(BertConfig(
        vocab_size=256, hidden_size=32, intermediate_size=64, num_hidden_layers=1, num_attention_heads=2,
        hidden_dropout_prob=0.0, attention_probs_dropout_prob=0.0,
    ))


def t5() -> T5ForConditionalGeneration:
    """Another one."""
    torch.manual_seed(0)
    return T5ForConditionalGeneration(T5Config(
        vocab_size=256, d_model=32, d_kv=16, d_ff=64, num_layers=1, num_heads=2, dropout_rate=0.0,
        decoder_start_token_id=0,
    ))


def logged_norm(model: nn.Module, steps: int, output_dir: Path, rows: Rows | None = None) -> float:
    """The gradient norm that Trainer logs for the rows, 8 equal ones if none are given, in `steps` batches."""
    rows = rows or [tiny_dataset(rows=1)[0]] * 8
    args = replace(
        snippet.training_arguments(str(output_dir)), per_device_train_batch_size=len(rows) // steps, logging_steps=1,
        gradient_accumulation_steps=steps, max_steps=1, report_to=[], save_strategy="no",
    )
    trainer = Trainer(model, args, train_dataset=rows)
    trainer.train()
    return next(entry["grad_norm"] for entry in trainer.state.log_history if "grad_norm" in entry)


@pytest.mark.claim("train_memory#gradient-accumulation", "transformers/trainer.py::Trainer.training_step")
@pytest.mark.parametrize("make", [bert, t5])
def test_a_model_that_ignores_the_count_gets_gradients_too_large_unless_trainer_is_told(
    make: Callable[[], nn.Module], tmp_path: Path
) -> None:
    whole = logged_norm(make(), 1, tmp_path)
    assert logged_norm(make(), 4, tmp_path) == pytest.approx(4 * whole, rel=1e-3)
    told = make()
    told.accepts_loss_kwargs = False
    assert logged_norm(told, 4, tmp_path) == pytest.approx(whole, rel=1e-3)


@pytest.mark.claim("train_memory#gradient-accumulation", "transformers/trainer_utils.py::unwrap_peft_model")
def test_with_an_adapter_trainer_asks_the_base_model(tmp_path: Path) -> None:
    model = get_peft_model(t5(), LoraConfig(task_type="SEQ_2_SEQ_LM"))
    model.accepts_loss_kwargs = False
    args = snippet.training_arguments(str(tmp_path))
    assert Trainer(model, args).model_accepts_loss_kwargs is True
    model.get_base_model().accepts_loss_kwargs = False
    assert Trainer(model, args).model_accepts_loss_kwargs is False


@pytest.mark.claim("train_memory#gradient-accumulation",
                   "transformers/loss/loss_utils.py::ForSequenceClassificationLoss")
@pytest.mark.parametrize(("problem", "labels", "divided"), [
    ("single_label_classification", torch.tensor([0, 1]), 4),
    ("multi_label_classification", torch.eye(2), 1),
    ("regression", torch.ones(2, 2), 1),
])
def test_vit_reads_the_count_for_single_labels_alone(problem: str, labels: torch.Tensor, divided: int) -> None:
    torch.manual_seed(0)
    model = ViTForImageClassification(ViTConfig(
        hidden_size=32, intermediate_size=64, num_hidden_layers=1, num_attention_heads=2, image_size=32, patch_size=16,
        problem_type=problem,
    )).eval()
    batch = {"pixel_values": torch.zeros(2, 3, 32, 32), "labels": labels}
    assert model(**batch, num_items_in_batch=8).loss.item() == pytest.approx(model(**batch).loss.item() / divided)


@pytest.mark.claim("train_memory#gradient-accumulation",
                   "transformers/models/gemma4/modeling_gemma4.py::Gemma4ForConditionalGeneration.accepts_loss_kwargs")
def test_gemma_4_keeps_the_count_from_its_loss_unless_trainer_is_told(tmp_path: Path) -> None:
    text = {"vocab_size": 64, "hidden_size": 32, "intermediate_size": 32, "num_hidden_layers": 1, "head_dim": 16,
            "num_attention_heads": 2, "num_key_value_heads": 1, "global_head_dim": 16, "pad_token_id": 0,
            "vocab_size_per_layer_input": 64, "hidden_size_per_layer_input": 0, "num_kv_shared_layers": 0,
            "layer_types": ["full_attention"]}
    tokens = torch.randint(3, 60, (4, 16), generator=torch.Generator().manual_seed(0))
    labels = tokens.where(torch.arange(16) < torch.tensor([[3], [16], [5], [12]]), -100)
    rows = [{"input_ids": one, "labels": other} for one, other in zip(tokens, labels, strict=True)]
    norms = {}
    for accepts in (False, True):
        for steps in (1, 4):
            torch.manual_seed(0)
            config = Gemma4Config(text_config=text, vision_config=None, audio_config=None)
            model = AutoModelForCausalLM.from_config(config)
            assert model.accepts_loss_kwargs is False
            model.accepts_loss_kwargs = accepts
            norms[accepts, steps] = logged_norm(model, steps, tmp_path, rows)
    assert norms[True, 4] == pytest.approx(norms[True, 1], rel=1e-3)
    assert norms[False, 4] != pytest.approx(norms[False, 1], rel=1e-2)


def loop_error(make: Callable[[], nn.Module], rows: Rows) -> float:
    """How far the gradients of the loop are from those of all rows at once."""
    expected = make().train()
    expected(**{name: torch.stack([row[name] for row in rows]).to(expected.device) for name in rows[0]}).loss.backward()
    model, seen = make(), []
    optimizer = torch.optim.SGD(model.parameters(), lr=0.0)
    optimizer.register_step_pre_hook(lambda *_: seen.append(gradients(model)))
    snippet.accumulate(model, optimizer, rows)
    return relative_difference(seen[0], gradients(expected))


@pytest.mark.claim("train_memory#gradient-accumulation", "transformers/models/t5/modeling_t5.py",
                   "transformers/models/bert/modeling_bert.py")
@pytest.mark.parametrize(("make", "first"), [(bert, False), (t5, False), (t5, True), (tiny_model, True)])
def test_the_loop_counts_the_labels_from_the_second_on(make: Callable[[], nn.Module], first: bool) -> None:
    """Also with a batch whose labels are all padding, which adds nothing; T5 predicts the first label too."""
    rows = snippet.rows_of_unequal_length()
    rows[3]["labels"] = torch.full_like(rows[3]["labels"], -100)
    if not first:
        for row in rows:
            row["labels"][0] = -100
    assert (loop_error(make, rows) > 1e-3) == (make is t5 and first)


def test_the_loop_raises_for_labels_of_one_dimension() -> None:
    rows = [row | {"labels": torch.tensor(0)} for row in tiny_dataset(rows=4)]
    model = tiny_model()
    with pytest.raises(IndexError):
        snippet.accumulate(model, torch.optim.SGD(model.parameters()), rows)


def test_the_loop_trains_nothing_where_the_label_is_a_column() -> None:
    """The first token of a row is not predicted, so the only label of a regression does not count."""
    rows = [row | {"labels": torch.tensor([0.5])} for row in tiny_dataset(rows=4)]
    model = LlamaForSequenceClassification(LlamaConfig(**(tiny_model().config.to_dict() | {"num_labels": 1})))
    before = model.score.weight.detach().clone()
    snippet.accumulate(model, torch.optim.SGD(model.parameters(), lr=0.1), rows)
    assert torch.equal(model.score.weight, before)
    assert model.score.weight.grad is None or not model.score.weight.grad.any()
