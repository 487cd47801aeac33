"""A program that fails where PyTorch cannot compute on a GPU: there, snippets would take the CPU, and nobody see it."""

import torch

torch.zeros(1, device="cuda").add(1).item()
