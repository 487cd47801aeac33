"""TF32: how to switch it on, and what rounding fp32 to its 10 mantissa bits costs."""

from tempfile import TemporaryDirectory

import torch
from transformers import TrainingArguments


def enable() -> None:
    # --8<-- [start:enable]
    torch.backends.cuda.matmul.fp32_precision = "tf32"
    torch.backends.cudnn.conv.fp32_precision = "tf32"
    # --8<-- [end:enable]


def enable_for_compile() -> None:
    # --8<-- [start:compile]
    # The old switch and the new one; "highest" switches TF32 off.
    torch.set_float32_matmul_precision("high")
    # --8<-- [end:compile]


def training_arguments(output_dir: str) -> TrainingArguments:
    """Raises ValueError where no GPU has TF32."""
    # --8<-- [start:trainer]
    args = TrainingArguments(
        output_dir=output_dir,
        tf32=True,  # Raises ValueError without an Ampere or newer GPU.
    )
    # --8<-- [end:trainer]
    return args


# --8<-- [start:rounding]
# To the nearest number, ties away from zero (PTX: cvt.rna.tf32).
def round_to_tf32(numbers):
    dropped = 23 - 10  # fp32 has 23 mantissa bits, TF32 keeps the first 10.
    bits = numbers.view(torch.int32)
    bits = (bits + (1 << dropped - 1)) >> dropped << dropped
    return bits.view(torch.float32)


# --8<-- [end:rounding]


def largest_relative_error() -> float:
    """The largest relative error of rounding a million numbers between 1 and 2."""
    numbers = 1 + torch.rand(1_000_000, generator=torch.Generator().manual_seed(0))
    return ((round_to_tf32(numbers) - numbers) / numbers).abs().max().item()


def trainer_answer() -> str:
    """What TrainingArguments(tf32=True) does on this machine."""
    with TemporaryDirectory() as output_dir:
        try:
            training_arguments(output_dir)
        except ValueError as error:
            return f"refused: {error}"
    return f"matrix products in {torch.backends.cuda.matmul.fp32_precision}"


def read_by_compile() -> str:
    """The answer of the old switch, which torch.compile reads when it tunes kernels."""
    try:
        return torch.get_float32_matmul_precision()
    except RuntimeError as error:
        return type(error).__name__


def main() -> None:
    error = largest_relative_error()
    print(f"1 + 8 + 10 = {1 + 8 + 10} bits; from 1 to the next number {2**-10:.2e}, as in fp16")
    print(f"Largest relative error of rounding: {error:.2e} (at most 2**-11 = {2**-11:.2e})")
    print(f"tf32=True in TrainingArguments: {trainer_answer()}")
    enable()
    print(f"Precision of fp32 matrix products, set by hand: {torch.backends.cuda.matmul.fp32_precision}")
    print(f"What torch.compile reads then: {read_by_compile()}", end="")
    enable_for_compile()
    print(f"; after set_float32_matmul_precision: {read_by_compile()}")


if __name__ == "__main__":
    main()
