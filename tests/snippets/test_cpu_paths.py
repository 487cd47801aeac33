"""What names operators and kernels holds on every x86 processor: these tests run again with fewer of its instructions.

PyTorch and oneDNN, which multiplies matrices for it, choose by them. `make test` itself runs with all that there are.
"""

import os
import platform
import subprocess
import sys
from pathlib import Path

import pytest
import torch

ROOT = Path(__file__).parents[2]
TESTS = [
    "infer_cpu/test_torchao_quantization.py::"
    "test_in_eager_mode_quantized_weights_are_copied_whole_and_activations_quantized_one_step_at_a_time",
    "infer_cpu/test_torchao_quantization.py::test_linear_layers_have_one_byte_a_weight_and_a_scale_a_row",
    "infer_one/test_sdpa.py::test_where_one_kernel_is_allowed_that_one_runs",
    "infer_one/test_sdpa.py::test_a_kernel_that_this_machine_lacks_is_refused",
    "profiling/test_slow_training.py::test_on_a_cpu_sdpa_with_dropout_runs_the_operators_of_eager_attention",
    "profiling/test_slow_training.py::test_an_encoder_decoder_and_a_mixture_read_more_often",
    "profiling/test_slow_training.py::test_the_products_of_an_optimizer_are_not_the_models",
    "profiling/test_trace.py",
]
# The most that oneDNN and PyTorch may use; PyTorch would take AVX-512 at its word on a processor without it.
LEVELS = {
    "SSE4.1": {"ONEDNN_MAX_CPU_ISA": "SSE41", "ATEN_CPU_CAPABILITY": "default"},
    "AVX2": {"ONEDNN_MAX_CPU_ISA": "AVX2", "ATEN_CPU_CAPABILITY": "avx2"},
    "AVX-512 without VNNI, if this processor has it": {"ONEDNN_MAX_CPU_ISA": "AVX512_CORE"},
}
USED = {"default": "DEFAULT", "avx2": "AVX2"}   # how PyTorch calls what it was limited to
RUN = """
import sys, pytest, torch
print("PyTorch uses", torch.backends.cpu.get_cpu_capability())
sys.exit(pytest.main(["-q", "-p", "no:xdist", "-p", "no:cacheprovider", *sys.argv[1:]]))
"""


@pytest.mark.skipif(platform.machine() != "x86_64", reason="is about instruction sets of x86")
@pytest.mark.parametrize("limits", LEVELS.values(), ids=list(LEVELS))
def test_what_names_operators_holds_with_fewer_instructions(limits: dict[str, str]) -> None:
    command = [sys.executable, "-c", RUN, *(f"tests/snippets/{each}" for each in TESTS)]
    result = subprocess.run(command, cwd=ROOT, env=os.environ | limits, capture_output=True, text=True)
    assert result.returncode == 0, result.stdout
    uses = USED.get(limits.get("ATEN_CPU_CAPABILITY", ""), torch.backends.cpu.get_cpu_capability())
    assert result.stdout.startswith(f"PyTorch uses {uses}\n")
