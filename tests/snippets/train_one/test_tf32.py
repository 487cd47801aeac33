"""TF32 keeps 10 mantissa bits and the range of fp32, and it has to be switched on."""

import inspect
from pathlib import Path

import pytest
import torch
from torch._inductor.codecache import PersistentCache
from transformers.utils import is_torch_tf32_available

from snippets.train_one import tf32 as snippet


def test_the_relative_error_is_at_most_2_to_the_minus_11() -> None:
    numbers = torch.randn(100_000, generator=torch.Generator().manual_seed(1)) * 1e6
    error = ((snippet.round_to_tf32(numbers) - numbers) / numbers).abs().max()
    assert 0.99 * 2**-11 < error <= 2**-11
    assert 0.99 * 2**-11 < snippet.largest_relative_error() <= 2**-11


def test_the_last_13_bits_are_zero_and_the_nearest_number_is_taken() -> None:
    numbers = torch.randn(100_000, generator=torch.Generator().manual_seed(2))
    rounded = snippet.round_to_tf32(numbers)
    assert (rounded.view(torch.int32) & 0x1FFF == 0).all()
    assert torch.equal(snippet.round_to_tf32(rounded), rounded)
    # Two neighbours with 10 mantissa bits are 2**(exponent - 10) apart; the nearest is at most half of that away.
    step = torch.exp2(numbers.double().abs().log2().floor() - 10)
    assert ((rounded.double() - numbers.double()).abs() <= step / 2).all()


def test_the_steps_are_those_of_fp16_and_the_range_is_that_of_fp32() -> None:
    between = torch.tensor([1 + 2**-10, 1e38, 1e-38])
    rounded = snippet.round_to_tf32(between)
    assert rounded[0] == between[0] == torch.tensor(1 + 2**-10, dtype=torch.float16).float()
    assert rounded[1:].tolist() == pytest.approx(between[1:].tolist(), rel=2**-11)


def test_it_is_off_for_matrix_products_until_it_is_enabled() -> None:
    assert torch.backends.cuda.matmul.fp32_precision != "tf32"
    snippet.enable()
    assert torch.backends.cuda.matmul.fp32_precision == "tf32"
    assert torch.backends.cudnn.conv.fp32_precision == "tf32"


@pytest.mark.claim("low_precision#tf32", "torch/_inductor/codecache.py::PersistentCache.lookup")
@pytest.mark.claim("low_precision#tf32", "transformers/utils/import_utils.py::enable_tf32")
def test_what_compile_reads_raises_after_the_new_switch_until_both_are_set_alike() -> None:
    assert "torch.get_float32_matmul_precision()" in inspect.getsource(PersistentCache.lookup)
    snippet.enable()
    assert snippet.read_by_compile() == "RuntimeError"
    snippet.enable_for_compile()
    assert (snippet.read_by_compile(), torch.backends.cuda.matmul.fp32_precision) == ("high", "tf32")
    torch.set_float32_matmul_precision("highest")
    assert (snippet.read_by_compile(), torch.backends.cuda.matmul.fp32_precision) == ("highest", "ieee")


@pytest.mark.skipif(is_torch_tf32_available(), reason="shows what happens where no GPU has TF32")
@pytest.mark.claim("low_precision#tf32", "transformers/training_args.py::TrainingArguments.__post_init__")
def test_trainer_refuses_tf32_where_there_is_none(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="requires Ampere or a newer GPU"):
        snippet.training_arguments(str(tmp_path))


@pytest.mark.needs("cuda")
def test_trainer_enables_tf32_and_matrix_products_are_rounded(tmp_path: Path) -> None:
    a, b = torch.randn(2, 256, 256, generator=torch.Generator().manual_seed(0)).cuda()
    exact = a.double() @ b.double()
    error = (a @ b - exact).abs().max()
    snippet.training_arguments(str(tmp_path))
    assert torch.backends.cuda.matmul.fp32_precision == "tf32"
    assert (a @ b - exact).abs().max() > 10 * error
