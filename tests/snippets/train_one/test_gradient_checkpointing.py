"""Checkpointing keeps fewer bytes for the backward pass, runs the layers again, and gives the same gradients."""

from pathlib import Path

import pytest
from transformers import LlamaForCausalLM, Trainer, TrainingArguments

from snippets.train_one import gradient_checkpointing as snippet

from _tiny import gradients, relative_difference, run, tiny_batch, tiny_dataset, tiny_model


def count_layer_calls(model: LlamaForCausalLM) -> list[int]:
    """A list that grows by one whenever a decoder layer runs."""
    calls: list[int] = []
    for index, layer in enumerate(model.model.layers):
        layer.self_attn.register_forward_hook(lambda *_, index=index: calls.append(index))
    return calls


def test_fewer_bytes_are_kept_and_the_gradients_are_the_same() -> None:
    batch = tiny_batch(rows=8, length=64)
    plain, checkpointed = tiny_model(), snippet.checkpointed_model()
    plain_bytes, checkpointed_bytes = snippet.saved_bytes(plain, batch), snippet.saved_bytes(checkpointed, batch)
    assert checkpointed_bytes < plain_bytes / 4
    difference = relative_difference(gradients(checkpointed), gradients(plain))
    assert difference < 1e-6


def test_what_is_kept_grows_by_one_input_a_layer() -> None:
    rows, length, hidden, fp32 = 8, 64, 64, 4

    def kept(layers: int) -> int:
        model = tiny_model(num_hidden_layers=layers)
        model.activation_checkpointing_enable()
        return snippet.saved_bytes(model, tiny_batch(rows, length))

    assert kept(6) - kept(5) == rows * length * hidden * fp32


def test_the_weights_are_not_counted() -> None:
    model = tiny_model()
    weights = sum(parameter.nbytes for parameter in model.parameters())
    assert 0 < snippet.saved_bytes(model, tiny_batch(rows=1, length=2)) < weights / 10


def test_every_layer_runs_twice_a_step() -> None:
    batch = tiny_batch()
    plain, checkpointed = tiny_model(), snippet.checkpointed_model()
    calls, checkpointed_calls = count_layer_calls(plain), count_layer_calls(checkpointed)
    plain(**batch).loss.backward()
    checkpointed(**batch).loss.backward()
    assert calls == [0, 1, 2, 3]
    assert checkpointed_calls == [0, 1, 2, 3, 3, 2, 1, 0]


def test_evaluation_mode_checkpoints_nothing() -> None:
    model = snippet.checkpointed_model().eval()
    calls = count_layer_calls(model)
    model(**tiny_batch()).loss.backward()
    assert calls == [0, 1, 2, 3]


def test_trainer_runs_every_layer_twice_a_step(tmp_path: Path) -> None:
    model = tiny_model()
    calls = count_layer_calls(model)
    args = snippet.training_arguments(str(tmp_path))
    run(Trainer(model, args, train_dataset=tiny_dataset()), steps=1)
    assert calls == [0, 1, 2, 3, 3, 2, 1, 0]


def test_the_old_names_still_work_and_warn(tmp_path: Path) -> None:
    with pytest.warns(FutureWarning, match="removed in v6. Use `activation_checkpointing`"):
        args = TrainingArguments(output_dir=str(tmp_path), gradient_checkpointing=True)
    assert args.activation_checkpointing
    with pytest.warns(FutureWarning, match="removed in v6. Use `activation_checkpointing_enable`"):
        tiny_model().gradient_checkpointing_enable()


@pytest.mark.claim(
    "train_memory#gradient-checkpointing",
    "transformers/modeling_utils.py::PreTrainedModel._activation_checkpointing_enable",
)
def test_what_is_a_key_for_trainer_is_an_argument_for_the_model(tmp_path: Path) -> None:
    args = snippet.training_arguments(str(tmp_path))
    args.activation_checkpointing_kwargs = {"every_n_layers": 2}
    trained = run(Trainer(tiny_model(), args, train_dataset=tiny_dataset()), steps=1).model
    model = tiny_model().train()
    model.activation_checkpointing_enable(every_n_layers=2)
    for each in (trained, model):
        calls = count_layer_calls(each)
        each(**tiny_batch()).loss.backward()
        assert len(calls) == 4 + 2
    for wrong in ({"every_n_layers": 2}, {"offload": True}):
        model.activation_checkpointing_enable(activation_checkpointing_kwargs=wrong)
        with pytest.raises(ValueError, match="Unexpected keyword arguments"):
            model(**tiny_batch())
