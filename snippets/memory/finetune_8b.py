"""Fine-tuning a model of 8 billion parameters on 24 GB: the peak of a step, one method after another, simulated."""

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parent.parent / "_shared"))
from _llama import LLAMA_8B

# isort: split
# --8<-- [start:imports]
from functools import partial

import bitsandbytes as bnb
import torch
from peft import (
    LoraConfig,
    get_peft_model,
    prepare_model_for_kbit_training,
)
from torch import nn
from torch._subclasses.fake_tensor import (
    FakeTensorMode,
    unset_fake_temporarily,
)
from transformers import (
    AutoModelForCausalLM,
    BitsAndBytesConfig,
    DataCollatorWithFlattening,
)
from transformers.integrations import replace_with_bnb_linear

# --8<-- [end:imports]
# isort: split
# --8<-- [start:peak]
from chunked_loss import chunked_loss

from peak import PeakMemory, fused_adamw, optimizer_state

# --8<-- [end:peak]

# --8<-- [start:batch]
# Tokens of the samples in a batch: eight answers of unequal lengths.
LENGTHS = (1024, 720, 560, 430, 330, 260, 190, 130)


def padded(lengths=LENGTHS):
    real = torch.arange(max(lengths)) < torch.tensor(lengths)[:, None]
    tokens = torch.zeros(real.shape, dtype=torch.long)
    return {
        "input_ids": tokens,
        "attention_mask": real.long(),
        "labels": tokens,
    }


def packed(lengths=LENGTHS):
    samples = [{"input_ids": [0] * length} for length in lengths]
    return dict(DataCollatorWithFlattening()(samples))


# --8<-- [end:batch]


# --8<-- [start:models]
# On the meta device a model has shapes and types, and no memory.
def all_weights(config, dtype=torch.float32, checkpointing=True):
    with torch.device("meta"):
        model = AutoModelForCausalLM.from_config(config, dtype=dtype)
    if checkpointing:
        model.activation_checkpointing_enable()
    return model


def add_lora(model):
    config = LoraConfig(
        r=16,
        lora_alpha=32,
        target_modules="all-linear",
        task_type="CAUSAL_LM",
    )
    return get_peft_model(model, config, low_cpu_mem_usage=True)


def lora(config):
    return add_lora(all_weights(config, torch.bfloat16))


def qlora(config):
    # Makes the table that bitsandbytes keeps, while tensors are real.
    bnb.functional.quantize_blockwise(torch.zeros(1))
    nf4 = BitsAndBytesConfig(
        load_in_4bit=True,
        bnb_4bit_quant_type="nf4",
        bnb_4bit_use_double_quant=True,
        bnb_4bit_compute_dtype=torch.bfloat16,
    )
    model = all_weights(config, torch.bfloat16)
    model = replace_with_bnb_linear(model, ["lm_head"], nf4)
    model.is_loaded_in_4bit = True
    model = prepare_model_for_kbit_training(
        model, gradient_checkpointing_kwargs={"use_reentrant": False}
    )
    return add_lora(model)


# --8<-- [end:models]


# --8<-- [start:materialize]
# Gives every weight its storage, in 4 bits where loading would quantize.
def materialize(model):
    made = {}  # A tied weight is stored once.
    for module in model.modules():
        for name, old in list(module.named_buffers(recurse=False)):
            new = torch.zeros(old.shape, dtype=old.dtype)
            setattr(module, name, new)
        for name, old in list(module.named_parameters(recurse=False)):
            if old in made:
                new = made[old]
            elif isinstance(old, bnb.nn.Params4bit):
                new = quantized(old)
            else:
                new = torch.zeros(old.shape, dtype=old.dtype)
                new = nn.Parameter(new, old.requires_grad)
            made[old] = new
            setattr(module, name, new)
    return model


# A fake tensor cannot be a `Params4bit`; a parameter with the same
# attributes takes the same path through bitsandbytes.
def quantized(weight):
    numbers, state = bnb.functional.quantize_4bit(
        torch.zeros(weight.shape, dtype=torch.bfloat16),
        compress_statistics=weight.compress_statistics,
        quant_type=weight.quant_type,
    )
    parameter = nn.Parameter(numbers, requires_grad=False)
    vars(parameter).update(vars(weight), quant_state=state)
    return parameter


# --8<-- [end:materialize]


# --8<-- [start:step]
def loss_of_logits(model, batch):
    return model(**batch, use_cache=False).loss


def training_step(
    memory,
    build,
    batch=padded,
    loss_of=loss_of_logits,
    optimizer_for=bnb.optim.AdamW8bit,
    precision=torch.bfloat16,
):
    with memory:
        model = build().train()
        built = memory.numbers.values()
        memory.kinds.update(dict.fromkeys(built, "weights"))

        trained = [p for p in model.parameters() if p.requires_grad]
        with unset_fake_temporarily():
            optimizer = optimizer_for(trained)
        for parameter in trained:
            parameter.grad = torch.zeros_like(parameter)
        optimizer.step()  # The first step makes the optimizer's state.
        optimizer.zero_grad()

        mixed = precision != torch.float32
        with torch.autocast("cpu", precision, enabled=mixed):
            loss = loss_of(model, batch())
        loss.backward()
        del loss
        optimizer.step()

        memory.label("gradients", (p.grad for p in trained))
        memory.label("optimizer", optimizer_state(optimizer))


def simulate(model, **step):
    memory = PeakMemory()
    with FakeTensorMode(allow_non_fake_inputs=True):
        training_step(memory, lambda: materialize(model), **step)
    return memory.peak()


# --8<-- [end:step]


# --8<-- [start:steps]
# Each keeps what the ones before it brought, so far as it still applies.
def steps(config):
    plain = all_weights(config, checkpointing=False)
    adamw = {"optimizer_for": fused_adamw}
    chunked = {"batch": packed, "loss_of": chunked_loss}
    longest = partial(packed, lengths=[max(LENGTHS)] * 8)
    yield "AdamW in fp32", plain, adamw | {"precision": torch.float32}
    yield "bf16 autocast", plain, adamw
    yield "checkpointing", all_weights(config), adamw
    yield "8-bit AdamW", all_weights(config), {}
    yield "LoRA", lora(config), {}
    yield "QLoRA", qlora(config), {}
    yield "packing", qlora(config), {"batch": packed}
    yield "chunked loss", qlora(config), chunked
    yield "longest batch", qlora(config), chunked | {"batch": longest}


# --8<-- [end:steps]


def main() -> None:
    kinds = ("weights", "gradients", "optimizer", "activations")
    tokens = f"{sum(LENGTHS):,} tokens packed, {len(LENGTHS) * max(LENGTHS):,} padded"
    print(f"Llama 3.1 8B, {len(LENGTHS)} samples, {tokens}, GB at the peak of a step")
    print(" " * 18, *(f"{kind:>11}" for kind in (*kinds, "sum")))
    for name, model, step in steps(LLAMA_8B):
        peak = simulate(model, **step)
        held = [*(peak[kind] for kind in kinds), peak.total()]
        print(f"{name:18}", *(f"{size / 1e9:11.2f}" for size in held), flush=True)


if __name__ == "__main__":
    main()
