"""bf16 on a CPU: autocast computes in bf16, Trainer does it on request, and fp16 in Trainer does nothing."""

import warnings
from dataclasses import replace
from tempfile import TemporaryDirectory

import torch
from torch import nn
from transformers import LlamaConfig, LlamaForCausalLM, PrinterCallback, ProgressCallback, Trainer, TrainingArguments

ROWS = torch.randint(256, (10, 16), generator=torch.Generator().manual_seed(0))


def tiny_model() -> LlamaForCausalLM:
    """A Llama of random weights on the CPU, the same at every call."""
    torch.manual_seed(0)
    sizes = {"hidden_size": 64, "intermediate_size": 128, "num_attention_heads": 4, "num_key_value_heads": 2}
    return LlamaForCausalLM(LlamaConfig(vocab_size=256, num_hidden_layers=2, **sizes))


def watch(model: nn.Module) -> set[torch.dtype]:
    """The dtypes that the linear layers put out from now on; a live set."""
    dtypes: set[torch.dtype] = set()
    for module in model.modules():
        if isinstance(module, nn.Linear):
            module.register_forward_hook(lambda module, inputs, output: dtypes.add(output.dtype))
    return dtypes


# --8<-- [start:loop]
def train_in_bf16(model, batches, lr=1e-5):
    losses = []
    optimizer = torch.optim.AdamW(model.parameters(), lr=lr)
    model.train()
    for batch in batches:
        with torch.autocast("cpu", dtype=torch.bfloat16):
            loss = model(**batch).loss
        loss.backward()  # bf16 has the range of fp32: no loss scaling.
        optimizer.step()
        optimizer.zero_grad()
        losses.append(loss.item())
    return losses


# --8<-- [end:loop]
def training_arguments(output_dir: str) -> TrainingArguments:
    return TrainingArguments(
        output_dir=output_dir,
        bf16=True,
        use_cpu=True,  # bf16=True alone raises an error on a CPU.
    )


def trained_in(**precision: bool) -> set[torch.dtype]:
    """The dtypes of the linear layers' outputs while Trainer trains on the CPU."""
    model = tiny_model()
    dtypes = watch(model)
    with TemporaryDirectory() as output_dir, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        args = replace(training_arguments(output_dir), max_steps=2, **precision)
        trainer = Trainer(model, args, train_dataset=[{"input_ids": row, "labels": row} for row in ROWS])
        trainer.remove_callback(PrinterCallback)
        trainer.remove_callback(ProgressCallback)
        trainer.train()
    return dtypes


def main() -> None:
    model = tiny_model()
    dtypes = watch(model)
    losses = train_in_bf16(model, [{"input_ids": ROWS, "labels": ROWS}] * 10, lr=1e-3)
    print(f"Loop: weights {model.dtype}, linear layers {dtypes.pop()}, loss {losses[0]:.2f} to {losses[-1]:.2f}")
    print(f"Trainer, bf16=True: linear layers {trained_in().pop()}")
    print(f"Trainer, fp16=True: linear layers {trained_in(bf16=False, fp16=True).pop()}")


if __name__ == "__main__":
    main()
