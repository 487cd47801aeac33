"""The module that is named is the first one whose numbers do not fit into fp16."""

import copy

import pytest
import torch
from transformers import (
    AutoModelForCausalLM,
    AutoModelForMaskedLM,
    AutoModelForSeq2SeqLM,
    BartConfig,
    BertConfig,
    DistilBertConfig,
    ElectraConfig,
    GPT2Config,
    PreTrainedConfig,
    RobertaConfig,
    T5Config,
)
from transformers.debug_utils import DebugUnderflowOverflow

from snippets.debug import underflow_overflow as snippet

CULPRIT = "model.layers.1.mlp.up_proj"
SIZES = {"vocab_size": 64, "hidden_size": 32, "intermediate_size": 64, "num_hidden_layers": 1, "num_attention_heads": 2}


def first_overflow(model: torch.nn.Module) -> str:
    """Found without the tool, by hooks of our own."""
    found: list[str] = []
    for name, module in model.named_modules():
        module.register_forward_hook(
            lambda _, inputs, output, name=name: (
                found.append(name) if torch.is_tensor(output) and not output.isfinite().all() else None
            )
        )
    model(snippet.TOKENS)
    return found[0]


def test_the_report_ends_with_the_first_module_that_overflows() -> None:
    report = snippet.detected(snippet.fp16_model(5e5))
    assert snippet.modules(report)[-1] == CULPRIT == first_overflow(snippet.fp16_model(5e5))
    weight, _, output = report.rstrip().splitlines()[-3:]
    assert "inf" not in weight
    assert output.split()[1:] == ["inf", "output"]


def test_a_sound_model_is_not_stopped() -> None:
    assert snippet.detected(snippet.fp16_model(1)) == ""


def test_an_underflow_is_seen_in_the_trace_and_stops_nothing() -> None:
    tiny = snippet.fp16_model(1e-8)
    assert snippet.detected(tiny) == ""
    report = snippet.traced(snippet.fp16_model(1e-8))
    where = report[report.index(CULPRIT) :].splitlines()
    assert where[1].split() == ["0.00e+00", "0.00e+00", "weight"]


def test_the_trace_has_the_batches_that_were_asked_for_and_stops_after_the_last() -> None:
    model, calls = snippet.fp16_model(1), []
    model.lm_head.register_forward_hook(lambda *_: calls.append(1))
    report = snippet.traced(model)
    assert [n for n in range(10) if f"batch number={n} " in report] == [1, 3]
    assert len(calls) == 4


@pytest.mark.skipif(torch.accelerator.is_available(), reason="the model is in fp16 on the CPU, Trainer would move it")
def test_trainer_stops_at_the_same_module() -> None:
    assert snippet.modules(snippet.train(snippet.fp16_model(5e5)))[-1] == CULPRIT


@pytest.mark.claim("debugging#overflow", "transformers/debug_utils.py::get_abs_min_max")
@pytest.mark.parametrize(("kind", "sizes"), [
    (AutoModelForMaskedLM, BertConfig(**SIZES)),
    (AutoModelForMaskedLM, RobertaConfig(**SIZES)),
    (AutoModelForMaskedLM, DistilBertConfig(vocab_size=64, dim=32, hidden_dim=64, n_layers=1, n_heads=2)),
    (AutoModelForMaskedLM, ElectraConfig(**SIZES)),
    (AutoModelForCausalLM, GPT2Config(vocab_size=64, n_embd=32, n_layer=1, n_head=2)),
    (AutoModelForSeq2SeqLM, T5Config(vocab_size=64, d_model=32, d_ff=64, d_kv=16, num_layers=1, num_heads=2)),
    (AutoModelForSeq2SeqLM, BartConfig(vocab_size=64, d_model=32, encoder_layers=1, decoder_layers=1,
                                       encoder_attention_heads=2, decoder_attention_heads=2)),
], ids=lambda each: getattr(each, "model_type", ""))  # fmt: skip
def test_a_padded_batch_of_a_model_that_passes_the_mask_by_position_needs_eager_attention(
    kind: type, sizes: PreTrainedConfig
) -> None:
    batch = {"input_ids": torch.ones(2, 8, dtype=torch.long), "attention_mask": torch.ones(2, 8, dtype=torch.long)}
    batch["attention_mask"][1, 4:] = 0
    eager, sdpa = (
        kind.from_config(copy.deepcopy(sizes), attn_implementation=name)
        for name in ("eager", "sdpa")
    )
    for model in (eager, sdpa):
        DebugUnderflowOverflow(model)
        if model.config.is_encoder_decoder:
            batch["decoder_input_ids"] = batch["input_ids"]
    eager(**batch)
    with pytest.raises(NotImplementedError, match="abs_cpu"):
        sdpa(**batch)


@pytest.mark.claim("debugging#overflow", "transformers/debug_utils.py::DebugUnderflowOverflow.create_frame")
def test_a_loss_that_is_no_number_is_not_detected() -> None:
    model = snippet.fp16_model(1)
    DebugUnderflowOverflow(model)
    assert model(snippet.TOKENS, labels=torch.full_like(snippet.TOKENS, -100)).loss.isnan()
