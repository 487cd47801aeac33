"""The tries of methods for training: attention, accumulation, checkpointing, packing, optimizers and adapters."""

import copy
import inspect
from collections.abc import Callable
from dataclasses import replace

import torch
from _building import Subject, batch, random_tokens
from _comparison import (
    NoEffect,
    NotApplicable,
    Tensors,
    difference_of,
    gradients,
    labelled,
    logits,
    loss_of,
    matrices,
    relative_difference,
    row,
)
from torch import nn


def try_sdpa(subject: Subject) -> float:
    inputs = batch(subject)
    if "input_ids" in inputs and not subject.config.is_encoder_decoder:
        mask = torch.ones_like(inputs["input_ids"])
        mask[1, -4:] = 0
        inputs["attention_mask"] = mask
    subject.model.set_attn_implementation("eager")
    plain = logits(subject.model, inputs)
    subject.model.set_attn_implementation("sdpa")
    if not isinstance(subject.config._attn_implementation, str) or subject.config._attn_implementation != "sdpa":
        raise NoEffect(f"attention stays {subject.config._attn_implementation}")
    ours = logits(subject.model, inputs)
    return max(relative_difference(ours[0], plain[0]), relative_difference(ours[1, :-4], plain[1, :-4])
               if "attention_mask" in inputs else relative_difference(ours[1], plain[1]))


def try_accumulation(subject: Subject) -> float:
    """Two batches of a sample each, their losses summed as `Trainer` does, beside one batch of two samples."""
    from transformers.loss.loss_utils import LOSS_MAPPING, ForCausalLMLoss

    model, inputs = subject.model, labelled(subject)
    loss_of(subject, inputs).backward()
    plain = gradients(model)
    model.zero_grad()
    forward = inspect.signature(model.forward).parameters.values()
    keywords = any(each.kind == inspect.Parameter.VAR_KEYWORD for each in forward)
    reads = getattr(model, "accepts_loss_kwargs", keywords)
    shifts = LOSS_MAPPING.get(getattr(model, "loss_type", None)) is ForCausalLMLoss
    labels = inputs["labels"]
    if shifts and not subject.config.is_encoder_decoder:
        labels = labels[..., 1:]
    count = (labels != -100).sum()
    for number in range(2):
        options = {"num_items_in_batch": count} if reads else {}
        loss = loss_of(subject, row(inputs, number), **options)
        (loss if reads else loss / 2).backward()
    return difference_of(gradients(model), plain)


def try_accumulation_loop(subject: Subject) -> float:
    """The guide's loop, which weights the mean of each batch by its labels."""
    if subject.kind == "image":
        raise NotApplicable("the labels have one dimension: divide each loss by the number of batches")
    model, inputs = subject.model, labelled(subject)
    loss_of(subject, inputs).backward()
    plain = gradients(model)
    model.zero_grad()
    counts = [(inputs["labels"][number, 1:] != -100).sum() for number in range(2)]
    for number, count in enumerate(counts):
        (loss_of(subject, row(inputs, number)) * count / sum(counts)).backward()
    return difference_of(gradients(model), plain)


def saved_bytes(model: nn.Module, run: Callable[[], torch.Tensor]) -> tuple[int, torch.Tensor]:
    """Bytes that a forward pass keeps for the backward pass beside the weights, and its loss."""
    own = {weight.untyped_storage().data_ptr() for weight in model.parameters()}
    kept: dict[int, int] = {}

    def pack(tensor: torch.Tensor) -> torch.Tensor:
        storage = tensor.untyped_storage()
        if storage.data_ptr() not in own:
            kept[storage.data_ptr()] = storage.nbytes()
        return tensor

    with torch.autograd.graph.saved_tensors_hooks(pack, lambda tensor: tensor):
        loss = run()
    return sum(kept.values()), loss


def try_checkpointing(subject: Subject) -> float:
    model, inputs = subject.model.train(), labelled(subject)
    options = {"use_cache": False} if subject.kind != "image" and hasattr(model.config, "use_cache") else {}
    whole, loss = saved_bytes(model, lambda: loss_of(subject, inputs, **options))
    loss.backward()
    plain = gradients(model)
    model.zero_grad()
    model.gradient_checkpointing_enable()
    kept, loss = saved_bytes(model, lambda: loss_of(subject, inputs, **options))
    loss.backward()
    if kept > 0.95 * whole:
        raise NoEffect(f"{kept / whole:.0%} of the activations are still kept")
    return difference_of(gradients(model), plain)


def try_packing(subject: Subject) -> float:
    lengths = (5, 9, 4)
    samples = [random_tokens(1, length, seed=length) for length in lengths]
    plain = torch.cat([logits(subject.model, {"input_ids": sample})[0] for sample in samples])
    positions = torch.cat([torch.arange(length) for length in lengths])[None]
    packed = subject.model(input_ids=torch.cat(samples, dim=1), position_ids=positions, use_cache=False).logits[0]
    return relative_difference(packed, plain)


def try_chunked_loss(subject: Subject) -> float:
    """Logits that the head alone computes from the last hidden state, which a loss in chunks relies on."""
    model, inputs = subject.model, batch(subject)
    hidden = model.model(**inputs, use_cache=False).last_hidden_state
    return relative_difference(model.lm_head(hidden), logits(model, inputs))


def try_autocast(subject: Subject) -> float:
    inputs = batch(subject)
    plain = logits(subject.model, inputs)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        return relative_difference(logits(subject.model, inputs), plain)


def try_adafactor(subject: Subject) -> float:
    """Steps make the loss smaller, and the state has a mean for each row and column: by how much its bytes differ."""
    from transformers import Adafactor

    model, inputs = subject.model, labelled(subject)
    optimizer = Adafactor(model.parameters(), lr=1e-3, scale_parameter=False, relative_step=False)
    losses = []
    for _ in range(4):
        loss = loss_of(subject, inputs)
        loss.backward()
        losses.append(loss.item())
        optimizer.step()
        optimizer.zero_grad()
    if not losses[-1] < losses[0]:
        raise NoEffect(f"the loss went from {losses[0]:.3g} to {losses[-1]:.3g} in three steps")
    expected = measured = 0
    for weight, state in optimizer.state.items():
        shape = weight.shape
        expected += shape[:-2].numel() * sum(shape[-2:]) if len(shape) >= 2 else shape.numel()
        measured += sum(each.numel() for each in state.values() if torch.is_tensor(each) and each.ndim)
    return abs(measured - expected) / expected


def train_copy(subject: Subject, make: Callable[..., torch.optim.Optimizer]) -> tuple[Tensors, torch.optim.Optimizer]:
    """By how much three steps move each weight of a copy of the model, and the optimizer after them."""
    model = copy.deepcopy(subject.model)
    before = {name: weight.detach().clone() for name, weight in model.named_parameters()}
    optimizer = make(model.parameters())
    for _ in range(3):
        optimizer.zero_grad()
        loss_of(replace(subject, model=model), labelled(subject)).backward()
        optimizer.step()
    return {name: weight.detach() - before[name] for name, weight in model.named_parameters()}, optimizer


def try_adamw_8bit(subject: Subject) -> float:
    """By how much three steps with states in 8 bits move the weights in another way than AdamW does."""
    from bitsandbytes.optim import AdamW8bit

    moved, optimizer = train_copy(subject, lambda weights: AdamW8bit(weights, lr=1e-3))
    if not any(state["state1"].dtype == torch.uint8 for state in optimizer.state.values() if "state1" in state):
        raise NoEffect("no weight has states in 8 bits")
    plain, _ = train_copy(subject, lambda weights: torch.optim.AdamW(weights, lr=1e-3))
    return relative_difference(*(torch.cat([each[name].flatten() for name in plain]) for each in (moved, plain)))


def try_lora(subject: Subject) -> float:
    """An adapter on all linear layers changes the logits, and merging it keeps them."""
    from peft import LoraConfig, get_peft_model

    inputs = batch(subject)
    plain = logits(subject.model, inputs)
    adapted = get_peft_model(subject.model, LoraConfig(r=4, lora_alpha=8, target_modules="all-linear")).eval()
    with torch.no_grad():
        for name, weight in adapted.named_parameters():
            if "lora_B" in name:
                weight.normal_(std=0.05)
    ours = logits(adapted, inputs)
    if relative_difference(ours, plain) < 1e-6:
        raise NoEffect("the adapter does not change the logits")
    return relative_difference(logits(adapted.merge_and_unload(), inputs), ours)


def try_lora_coverage(subject: Subject) -> float:
    """The share of the weights in the matrices of layers that get no adapter."""
    from peft import LoraConfig, get_peft_model

    whole = {name: weight.numel() for name, weight in matrices(subject.model)}
    adapted = get_peft_model(subject.model, LoraConfig(r=4, target_modules="all-linear"))
    layers = {name.removeprefix("base_model.model.") for name, module in adapted.named_modules()
              if hasattr(module, "lora_A")}
    without = sum(count for name, count in whole.items() if name.rpartition(".")[0] not in layers)
    return without / max(sum(whole.values()), 1)


def try_compile(subject: Subject) -> float:
    inputs = batch(subject)
    plain = logits(subject.model, inputs)
    compiled = torch.compile(subject.model, backend="aot_eager", dynamic=False)
    return relative_difference(logits(compiled, inputs), plain)
