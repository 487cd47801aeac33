"""Underflow and overflow: find the first module whose numbers no longer fit, and watch a batch's range."""

import io
from contextlib import redirect_stdout, suppress
from tempfile import TemporaryDirectory

# --8<-- [start:imports]
import torch
from torch import nn
from transformers import (
    LlamaConfig,
    LlamaForCausalLM,
    Trainer,
    TrainingArguments,
)
from transformers.debug_utils import DebugUnderflowOverflow

# --8<-- [end:imports]
TOKENS = torch.arange(16).reshape(2, 8)


# --8<-- [start:model]
# In fp16, one matrix of the second layer `factor` times as large.
def fp16_model(factor):
    torch.manual_seed(0)
    config = LlamaConfig(
        vocab_size=256,
        hidden_size=64,
        intermediate_size=128,
        num_hidden_layers=3,
        num_attention_heads=4,
        num_key_value_heads=2,
    )
    model = LlamaForCausalLM(config).to(torch.float16)
    with torch.no_grad():
        model.model.layers[1].mlp.up_proj.weight *= factor
    return model


# --8<-- [end:model]


# --8<-- [start:trainer]
def training_arguments(output_dir):
    return TrainingArguments(
        output_dir=output_dir,
        debug="underflow_overflow",
        max_steps=1,
    )


# --8<-- [end:trainer]


def train(model: nn.Module) -> str:
    """What a step of Trainer prints."""
    rows = [{"input_ids": row, "labels": row} for row in TOKENS]
    report = io.StringIO()
    with TemporaryDirectory() as output_dir, redirect_stdout(report), suppress(ValueError):
        Trainer(model, training_arguments(output_dir), train_dataset=rows).train()
    return report.getvalue()


# --8<-- [start:detect]
def detect(model, tokens):
    DebugUnderflowOverflow(model)
    model(tokens)  # Raises ValueError at the first inf or nan.


# --8<-- [end:detect]


def detected(model: nn.Module) -> str:
    """What a forward pass under detection prints; the report ends with the module where it was stopped."""
    report = io.StringIO()
    with redirect_stdout(report), suppress(ValueError):
        detect(model, TOKENS)
    return report.getvalue()


# --8<-- [start:trace]
def trace(model, batches):
    DebugUnderflowOverflow(
        model, trace_batch_nums=[1, 3], abort_after_batch_num=3
    )
    for tokens in batches:
        model(tokens)  # Raises ValueError after the last batch to trace.


# --8<-- [end:trace]


def traced(model: nn.Module) -> str:
    """The smallest and the largest number of every module in the batches 1 and 3; nothing is detected in them."""
    report = io.StringIO()
    with redirect_stdout(report), suppress(ValueError):
        trace(model, [TOKENS] * 10)
    return report.getvalue()


def modules(report: str) -> list[str]:
    """The modules of a report in their order: the lines that name one do not begin with a number."""
    lines = [line.split() for line in report.splitlines() if line.startswith(" ")]
    return [words[0] for words in lines if len(words) == 2 and not words[0].startswith("None")]


def main() -> None:
    for factor in (1, 5e5):
        report = detected(fp16_model(factor))
        found = f"stopped at {modules(report)[-1]}" if "Detected" in report else "nothing detected"
        print(f"One matrix {factor:,.0f} times as large: {found}")
    print("The last lines of the report:")
    print("\n".join(report.rstrip().splitlines()[-4:]))
    print(f"Trainer stopped at {modules(train(fp16_model(5e5)))[-1]}")
    starts = [line.split("=")[1].split()[0] for line in traced(fp16_model(1)).splitlines() if "***" in line]
    print(f"Traced batches: {', '.join(starts)}")


if __name__ == "__main__":
    main()
