"""What traits.yml says to do makes a method that fails for the trait give the plain path's result."""

from pathlib import Path

import pytest
import torch
from _building import Subject, batch, build, random_tokens
from _comparison import difference_of, gradients, labelled, logits, loss_of, relative_difference, row
from torch.nn.functional import cross_entropy
from transformers import Trainer, TrainerCallback, TrainingArguments

pytestmark = [pytest.mark.needs(device="cpu"), pytest.mark.slow]


def accumulated(subject: Subject, counts: list[int]) -> float:
    """By how much gradients of two batches, weighted by these counts, differ from those of one batch."""
    inputs = labelled(subject)
    loss_of(subject, inputs).backward()
    plain = gradients(subject.model)
    subject.model.zero_grad()
    for number, count in enumerate(counts):
        (loss_of(subject, row(inputs, number)) * count / sum(counts)).backward()
    return difference_of(gradients(subject.model), plain)


@pytest.mark.parametrize("kind", ["bert", "t5"])
def test_unshifted_losses_and_encoder_decoders_count_the_labels_of_all_positions(kind: str) -> None:
    subject = build(kind)
    labels = labelled(subject)["labels"]
    counts = [(each != -100).sum().item() for each in labels]
    assert accumulated(build(kind), [(each[1:] != -100).sum().item() for each in labels]) > 0.01
    assert accumulated(subject, counts) < 1e-3


@pytest.mark.parametrize(("kind", "limit"), [("gemma2", "final_logit_softcapping"), ("cohere", "logit_scale")])
def test_logits_of_a_chunk_get_what_follows_the_head(kind: str, limit: str) -> None:
    subject = build(kind)
    model, inputs = subject.model, batch(subject)
    with torch.no_grad():
        ours = model.lm_head(model.model(**inputs, use_cache=False).last_hidden_state)
    value = getattr(model.config, limit)
    mended = torch.tanh(ours / value) * value if "cap" in limit else ours * value
    assert relative_difference(ours, logits(model, inputs)) > 0.01
    assert relative_difference(mended, logits(model, inputs)) < 1e-4


def test_four_rows_of_positions_keep_packed_samples_apart() -> None:
    subject = build("qwen2_5_vl")
    samples = [random_tokens(1, length, seed=length) for length in (5, 9)]
    plain = torch.cat([logits(subject.model, {"input_ids": each})[0] for each in samples])
    positions = torch.cat([torch.arange(5), torch.arange(9)])[None]
    packed = {"input_ids": torch.cat(samples, dim=1), "use_cache": False}
    four = positions[None].expand(4, -1, -1)
    assert relative_difference(logits(subject.model, packed | {"position_ids": positions})[0], plain) > 0.01
    assert relative_difference(logits(subject.model, packed | {"position_ids": four})[0], plain) < 1e-4


@pytest.mark.parametrize("kind", ["falcon_h1", "mamba2", "jamba"])
def test_mamba_layers_without_the_output_projection_take_an_adapter(kind: str) -> None:
    from peft import LoraConfig, get_peft_model

    subject = build(kind)
    adapted = get_peft_model(subject.model, LoraConfig(target_modules=["in_proj"], init_lora_weights=False)).eval()
    ours = logits(adapted, batch(subject))
    assert relative_difference(logits(adapted.merge_and_unload(), batch(subject)), ours) < 1e-4


def test_a_loss_function_of_ones_own_reads_the_count(tmp_path: Path) -> None:
    subject = build("t5")
    inputs = labelled(subject)
    loss_of(subject, inputs).backward()
    plain = gradients(subject.model)
    subject.model.zero_grad()
    found = {}

    class Recorder(TrainerCallback):
        def on_pre_optimizer_step(self, *arguments: object, model: torch.nn.Module, **options: object) -> None:
            found.update(gradients(model))

    def by_tokens(outputs: dict, labels: torch.Tensor, num_items_in_batch: torch.Tensor) -> torch.Tensor:
        return cross_entropy(outputs["logits"].flatten(0, 1), labels.flatten(), reduction="sum") / num_items_in_batch

    # As DataCollatorForSeq2Seq(model=...) adds them: the labels do not reach the model.
    inputs["decoder_input_ids"] = subject.model.prepare_decoder_input_ids_from_labels(inputs["labels"])
    options = {"per_device_train_batch_size": 1, "gradient_accumulation_steps": 2, "max_steps": 1, "use_cpu": True}
    Trainer(subject.model, TrainingArguments(str(tmp_path), report_to=[], max_grad_norm=0, **options),
            train_dataset=[{name: tensor[number] for name, tensor in inputs.items()} for number in range(2)],
            compute_loss_func=by_tokens, callbacks=[Recorder()]).train()
    assert difference_of(found, plain) < 1e-3


def test_the_first_labels_that_are_not_predicted_do_not_count(tmp_path: Path) -> None:
    from _try_training import try_accumulation

    subject = build("gpt2")
    assert try_accumulation(subject) > 0.01
    inputs = labelled(build("gpt2"))
    inputs["labels"][:, 0] = -100
    subject = build("gpt2")
    loss_of(subject, inputs).backward()
    plain = gradients(subject.model)
    subject.model.zero_grad()
    count = (inputs["labels"] != -100).sum()
    for number in range(2):
        loss_of(subject, row(inputs, number), num_items_in_batch=count).backward()
    assert difference_of(gradients(subject.model), plain) < 1e-3


@pytest.mark.parametrize("kind", ["mpt"])
def test_a_cache_that_is_switched_on_can_be_static(kind: str) -> None:
    from _comparison import generate, generation_difference, prompt_of

    subject = build(kind)
    plain = generate(subject, prompt_of(subject))
    subject.model.config.use_cache = subject.model.generation_config.use_cache = True
    found = generate(subject, prompt_of(subject), cache_implementation="static")
    assert type(found.past_key_values).__name__ == "StaticCache"
    assert generation_difference(found, plain) < 1e-3
