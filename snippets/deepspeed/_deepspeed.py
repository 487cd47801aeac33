"""The tiny model that the snippets of this folder share, their tiny data and short run, and their launcher."""

import sys
from collections.abc import Callable
from contextlib import redirect_stdout
from functools import partial
from pathlib import Path
from typing import TypeVar

import torch
from transformers import LlamaConfig, LlamaForCausalLM

sys.path.append(str(Path(__file__).parent.parent / "_shared"))
import _ranks
from _gradients import single_process_norm as single_process_norm
from _ranks import device
from _training import VOCABULARY
from _training import run as run
from _training import tiny_dataset as tiny_dataset

T = TypeVar("T")
IMPORTED = (*_ranks.MODELS, "transformers.trainer", "deepspeed")


def without_log(function: Callable[[], T]) -> T:
    """Run `function` on a rank, with what DeepSpeed prints kept out of what the snippet does."""
    import deepspeed  # Once DS_ACCELERATOR is set.

    # Or DeepSpeed compiles a sum through shared memory, whose waiting takes all cores; gloo does without.
    deepspeed.ops.__compatible_ops__["deepspeed_shm_comm"] = False
    with redirect_stdout(sys.stderr):
        return function()


def on_ranks(function: Callable[[], T], processes: int) -> list[T]:
    """What `function`, which a module names, returns on each rank."""
    return _ranks.on_ranks(partial(without_log, function), processes, IMPORTED)


def tiny_model() -> LlamaForCausalLM:
    """A Llama of about 180 000 random weights with grouped heads, the same at every call and on every rank."""
    torch.manual_seed(0)
    sizes = {"hidden_size": 64, "intermediate_size": 128, "num_hidden_layers": 4}
    heads = {"num_attention_heads": 8, "num_key_value_heads": 4}
    return LlamaForCausalLM(LlamaConfig(vocab_size=VOCABULARY, **sizes, **heads)).to(device())
