"""The methods of the guide that are tried on each kind of model, one row each.

A try gets a tiny model in evaluation mode, which it may change, and returns by how much the method's result differs
from the plain path's, relative to it. It raises what the method raises.
"""

import hashlib
import inspect
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

from _building import CAUSAL, GENERATES, Subject
from _try_generating import (
    try_assisted_decoding,
    try_continuous_batching,
    try_padded_batch,
    try_prompt_lookup,
    try_quantized_cache,
    try_static_cache,
)
from _try_loading import (
    try_checkpoint_dtype,
    try_disk_offload,
    try_eight_bits,
    try_four_bits,
    try_int8_weights,
    try_meta_device,
    try_onnx,
    try_save_and_load,
)
from _try_parallel import (
    try_expert_parallel_plan,
    try_fsdp2,
    try_pipeline_stages,
    try_sequence_parallel,
    try_tensor_parallel,
)
from _try_training import (
    try_accumulation,
    try_accumulation_loop,
    try_adafactor,
    try_adamw_8bit,
    try_autocast,
    try_checkpointing,
    try_chunked_loss,
    try_compile,
    try_lora,
    try_lora_coverage,
    try_packing,
    try_sdpa,
)


@dataclass(frozen=True)
class Method:
    """A method of the guide: its section, the function that tries it, and by how much its result may differ.

    `kinds` are those of the models that it is for, all if empty; a later `turn` is tried once the
    others were tried on all kinds.
    """

    name: str
    section: str
    attempt: Callable[[Subject], float]
    tolerance: float
    measure: str
    kinds: frozenset[str] = frozenset()
    turn: int = 0

    @cached_property
    def source(self) -> str:
        """The hash of the function, so that its cells are tried again once it has changed."""
        return hashlib.sha256(inspect.getsource(self.attempt).encode()).hexdigest()[:8]


ROUNDING, GRADIENTS, PASSES = 1e-4, 1e-3, 1e-3  # A pass of other shapes rounds in another way.
METHODS = (
    Method("sdpa", "train_speed#attention", try_sdpa, ROUNDING, "logits"),
    Method("accumulation-in-trainer", "train_memory#gradient-accumulation", try_accumulation, GRADIENTS, "gradients"),
    Method("accumulation-in-a-loop", "train_memory#gradient-accumulation", try_accumulation_loop, GRADIENTS,
           "gradients"),
    Method("checkpointing", "train_memory#gradient-checkpointing", try_checkpointing, GRADIENTS, "gradients"),
    Method("packing", "packing#packing", try_packing, ROUNDING, "logits", frozenset(CAUSAL)),
    Method("chunked-loss", "logits#chunked-loss", try_chunked_loss, ROUNDING, "logits", frozenset(CAUSAL)),
    Method("bf16-autocast", "low_precision#bf16", try_autocast, 0.3, "logits"),
    Method("adafactor", "train_optimizers#adafactor", try_adafactor, 0.01, "bytes of state"),
    Method("adamw-8bit", "train_optimizers#adam-8bit", try_adamw_8bit, 0.1, "movement of the weights"),
    Method("lora-merge", "peft#merge", try_lora, ROUNDING, "logits"),
    Method("lora-coverage", "peft#lora", try_lora_coverage, 0.1, "share of the weights without an adapter"),
    Method("saved-dtype", "low_precision#mixed-precision", try_checkpoint_dtype, 0.3, "logits"),
    Method("save-and-load", "big_models#choosing", try_save_and_load, ROUNDING, "logits"),
    Method("meta-device", "big_models#meta-device", try_meta_device, ROUNDING, "logits"),
    Method("disk-offload", "big_models#offload", try_disk_offload, ROUNDING, "logits"),
    Method("int8-weights", "perf_infer_cpu#quantization", try_int8_weights, 0.1, "share of the weights in 16 bits"),
    Method("bitsandbytes-int8", "perf_infer_gpu_one#quantization", try_eight_bits, 0.1,
           "share of the weights in 16 bits"),
    Method("nf4-weights", "perf_infer_gpu_one#quantization", try_four_bits, 0.1, "share of the weights in 16 bits"),
    Method("static-cache", "perf_infer_gpu_one#static-cache", try_static_cache, PASSES, "logits", frozenset(GENERATES)),
    Method("quantized-cache", "serving#cache", try_quantized_cache, 0.3, "logits", frozenset(GENERATES)),
    Method("prompt-lookup", "perf_infer_gpu_one#prompt-lookup", try_prompt_lookup, PASSES, "logits",
           frozenset(GENERATES)),
    Method("assisted-decoding", "perf_infer_gpu_one#assisted-decoding", try_assisted_decoding, PASSES, "logits",
           frozenset(GENERATES)),
    Method("padded-batch", "engines#batch", try_padded_batch, 1e-3, "logits", frozenset(CAUSAL)),
    Method("continuous-batching", "perf_infer_gpu_one#continuous-batching", try_continuous_batching, 0.0, "tokens",
           frozenset(CAUSAL)),
    Method("fsdp2", "fsdp2#fsdp", try_fsdp2, GRADIENTS, "logits and gradients", turn=1),
    Method("tensor-parallelism", "parallelism#tensor-parallelism", try_tensor_parallel, GRADIENTS,
           "logits and norms of gradients", turn=1),
    Method("expert-parallel-plan", "parallelism#expert-parallelism", try_expert_parallel_plan, 0.0,
           "share of the experts' weights not split"),
    Method("pipeline-stages", "parallelism#pipeline-parallelism", try_pipeline_stages, ROUNDING, "logits",
           frozenset(CAUSAL)),
    Method("sequence-parallelism", "parallelism#sequence-parallelism", try_sequence_parallel, GRADIENTS,
           "logits and gradients", frozenset(CAUSAL), turn=1),
    Method("onnx-export", "perf_infer_cpu#onnx", try_onnx, PASSES, "logits", frozenset(CAUSAL | {"encoder"}), turn=3),
    Method("compile", "train_speed#torch-compile", try_compile, ROUNDING, "logits", turn=2),
)
BY_NAME = {method.name: method for method in METHODS}
