"""Underflow and overflow: find the first module whose numbers no longer fit, and watch a batch's range."""

import io
from contextlib import redirect_stdout, suppress
from tempfile import TemporaryDirectory

import torch
from torch import nn
from transformers import LlamaConfig, LlamaForCausalLM, Trainer, TrainingArguments
from transformers.debug_utils import DebugUnderflowOverflow

TOKENS = torch.arange(16).reshape(2, 8)


def fp16_model(factor: float) -> LlamaForCausalLM:
    """A tiny Llama in fp16, one of whose matrices is `factor` times as large as it should be."""
    torch.manual_seed(0)
    sizes = {"hidden_size": 64, "intermediate_size": 128, "num_hidden_layers": 3, "num_attention_heads": 4}
    model = LlamaForCausalLM(LlamaConfig(vocab_size=256, use_cache=False, **sizes)).half()
    with torch.no_grad():
        model.model.layers[1].mlp.up_proj.weight *= factor
    return model


def training_arguments(output_dir: str) -> TrainingArguments:
    # --8<-- [start:trainer]
    args = TrainingArguments(
        output_dir=output_dir,
        debug="underflow_overflow",
        max_steps=1,
    )
    # --8<-- [end:trainer]
    return args


def train(model: nn.Module) -> str:
    """What a step of Trainer prints."""
    rows = [{"input_ids": row, "labels": row} for row in TOKENS]
    report = io.StringIO()
    with TemporaryDirectory() as output_dir, redirect_stdout(report), suppress(ValueError):
        Trainer(model, training_arguments(output_dir), train_dataset=rows).train()
    return report.getvalue()


def detect(model: nn.Module) -> str:
    """What a forward pass under detection prints; the report ends with the module where it was stopped."""
    report = io.StringIO()
    with redirect_stdout(report), suppress(ValueError):
        # --8<-- [start:detect]
        DebugUnderflowOverflow(model)
        model(TOKENS)  # Raises ValueError at the first inf or nan.
        # --8<-- [end:detect]
    return report.getvalue()


def trace(model: nn.Module) -> str:
    """The smallest and the largest number of every module in the batches 1 and 3; nothing is detected in them."""
    report = io.StringIO()
    with redirect_stdout(report), suppress(ValueError):
        # --8<-- [start:trace]
        DebugUnderflowOverflow(
            model, trace_batch_nums=[1, 3], abort_after_batch_num=3
        )
        # --8<-- [end:trace]
        for _ in range(10):
            model(TOKENS)
    return report.getvalue()


def modules(report: str) -> list[str]:
    """The modules of a report in their order: the lines that name one do not begin with a number."""
    lines = [line.split() for line in report.splitlines() if line.startswith(" ")]
    return [words[0] for words in lines if len(words) == 2 and not words[0].startswith("None")]


def main() -> None:
    for factor in (1, 5e5):
        report = detect(fp16_model(factor))
        found = f"stopped at {modules(report)[-1]}" if "Detected" in report else "nothing detected"
        print(f"One matrix {factor:,.0f} times as large: {found}")
    print("The last lines of the report:")
    print("\n".join(report.rstrip().splitlines()[-4:]))
    print(f"Trainer stopped at {modules(train(fp16_model(5e5)))[-1]}")
    starts = [line.split("=")[1].split()[0] for line in trace(fp16_model(1)).splitlines() if "***" in line]
    print(f"Traced batches: {', '.join(starts)}")


if __name__ == "__main__":
    main()
