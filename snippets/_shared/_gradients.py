"""The norm of a model's gradients, and that of one process: the measure for a step of several."""

import torch
from _training import tiny_dataset
from torch import nn
from transformers import PreTrainedModel


def gradient_norm(model: nn.Module) -> float:
    """The norm of all gradients together."""
    return nn.utils.get_total_norm([parameter.grad for parameter in model.parameters()]).item()


def single_process_norm(model: PreTrainedModel) -> float:
    """The norm of the gradients of all rows of the tiny data, on one process."""
    rows = torch.stack([row["input_ids"] for row in tiny_dataset()]).to(model.device)
    model(input_ids=rows, labels=rows).loss.backward()
    return gradient_norm(model)
