"""What the tries compare: logits, gradients and generated tokens of the plain path and of a method."""

import re
from collections.abc import Iterator
from typing import Any

import torch
from _building import Subject, batch, random_tokens
from torch import nn
from transformers import PreTrainedModel

Tensors = dict[str, torch.Tensor]
PROMPT, NEW_TOKENS = 12, 12


class NotApplicable(Exception):
    """The method is not for this kind of model; the message says why."""


class NoEffect(Exception):
    """The method ran without an error and did not do what it is for; the message says what it left out."""


def relative_difference(ours: torch.Tensor, theirs: torch.Tensor) -> float:
    """The norm of the difference, relative to the norm of the second."""
    ours, theirs = ours.double(), theirs.double()
    return ((ours - theirs).norm() / theirs.norm().clamp(min=1e-30)).item()


def difference_of(ours: Tensors, theirs: Tensors) -> float:
    """The largest relative difference of a tensor; one that only one side has counts as 1."""
    largest = max((tensor.norm().item() for tensor in theirs.values()), default=0.0)
    differences = [1.0 for name in ours.keys() ^ theirs.keys()]
    for name in ours.keys() & theirs.keys():
        if theirs[name].norm() > 1e-4 * largest or ours[name].norm() > 1e-4 * largest:  # The others are rounding alone.
            differences.append(relative_difference(ours[name], theirs[name]))
    return max(differences, default=0.0)


@torch.no_grad()
def logits(model: nn.Module, inputs: Tensors) -> torch.Tensor:
    """The logits of a forward pass; for a model without any, its first output."""
    output = model(**inputs)
    found = output.logits if getattr(output, "logits", None) is not None else output[0]
    return found.clone()


def gradients(model: nn.Module) -> Tensors:
    """A copy of each gradient."""
    return {name: weight.grad.clone() for name, weight in model.named_parameters() if weight.grad is not None}


def labelled(subject: Subject, rows: int = 2) -> Tensors:
    """Inputs with labels; the second sample has fewer of them than the first, as real samples do."""
    inputs = batch(subject, rows)
    if subject.kind == "image":
        return inputs | {"labels": torch.arange(rows)}
    if subject.kind == "audio":
        raise NotApplicable("the loss of speech recognition by CTC has no tokens to count")
    tokens = inputs["decoder_input_ids" if subject.config.is_encoder_decoder else "input_ids"]
    labels = random_tokens(rows, tokens.shape[1], seed=5) if subject.kind != "decoder" else tokens.clone()
    labels[1:, 3:] = -100
    inputs.pop("decoder_input_ids", None)
    return inputs | {"labels": labels}


def loss_of(subject: Subject, inputs: Tensors, **options: Any) -> torch.Tensor:
    """The loss that the model returns."""
    loss = getattr(subject.model(**inputs, **options), "loss", None)
    if loss is None:
        raise NotApplicable("the model returns no loss")
    return loss


def row(inputs: Tensors, number: int) -> Tensors:
    """One sample of a batch, as a batch."""
    return {name: tensor[number : number + 1] for name, tensor in inputs.items()}


def prompt_of(subject: Subject) -> Tensors:
    """The inputs from which `generate` goes on; a prompt repeats itself, so that there is something to look up."""
    inputs = batch(subject, rows=1, length=PROMPT)
    inputs.pop("decoder_input_ids", None)
    if "input_ids" in inputs:
        half = inputs["input_ids"][:, : PROMPT // 2]
        tokens = torch.cat([half, half], dim=1)
        inputs = {"input_ids": tokens, "attention_mask": torch.ones_like(tokens)}
    return inputs


def generate(subject: Subject, inputs: Tensors, tokens: int = NEW_TOKENS, **options: Any) -> Any:
    """Greedy generation, with the logits of each new token and the cache."""
    settings = {"do_sample": False, "return_dict_in_generate": True, "output_logits": True}
    return subject.model.generate(**inputs, max_new_tokens=tokens, **settings, **options)


def generation_difference(ours: Any, theirs: Any) -> float:
    """By how much the logits of the new tokens differ; 1 if the tokens do."""
    if not torch.equal(ours.sequences, theirs.sequences):
        return 1.0
    first, second = (torch.stack(each.logits).float() for each in (ours, theirs))
    finite = second.isfinite()  # Some models forbid a token.
    return relative_difference(first[finite], second[finite])


def matrices(model: PreTrainedModel) -> Iterator[tuple[str, nn.Parameter]]:
    """The weights of more than one dimension in layers, which are numbered, by name."""
    tables = {id(module.weight) for module in model.modules() if isinstance(module, nn.Embedding)}
    for name, weight in model.named_parameters():
        if weight.ndim >= 2 and min(weight.shape) > 1 and id(weight) not in tables and re.search(r"\.\d+\.", name):
            yield name, weight


def reload(subject: Subject, folder: str, **options: Any) -> PreTrainedModel:
    """The model from its checkpoint."""
    return type(subject.model).from_pretrained(folder, **options).eval()
