"""The plot of losses has a line for each optimizer, in the order in which they end."""

import re

import pytest

pytest.importorskip("matplotlib", reason="needs matplotlib, which draws the plots: make venv")

from benchmarks.plots import draw, optimizers
from benchmarks.plots.__main__ import words
from benchmarks.plots.evidence import TableError

OUTPUT = """A Llama of 106,816 parameters, 30 steps of 512 bytes of text, 3 seeds
AdamW: learning rate 0.003, held-out loss 2.10, from 2.00 to 2.20
  training: 4.00 3.00 2.50
8-bit Adam: learning rate 0.01, held-out loss 2.60, from 2.50 to 2.70
  training: 4.50 3.00 2.75
"""


def test_the_losses_are_read_with_the_steps_at_which_they_end() -> None:
    assert optimizers.read(OUTPUT) == ([10, 20, 30], {"8-bit Adam": [4.5, 3, 2.75], "AdamW": [4, 3, 2.5]})


@pytest.mark.parametrize("output", ["", OUTPUT.partition("8-bit")[0], OUTPUT.partition("\n")[2]])
def test_an_output_without_losses_is_an_error(output: str) -> None:
    with pytest.raises(TableError, match="again"):
        optimizers.read(output)


@pytest.mark.parametrize("form", [draw.WIDE, draw.NARROW])
def test_each_line_has_the_readers_name(form: draw.Form) -> None:
    said = words("ja")
    look = draw.Look("ja", "dark", form)
    svg = optimizers.picture(optimizers.read(OUTPUT), "title", said.__getitem__, look)
    assert [name for name in re.findall(r">([^<]+)</text>", svg) if name in {said["AdamW"], said["8-bit Adam"]}] == [
        said["8-bit Adam"], said["AdamW"],
    ]
    assert f">{said['steps']}</text>" in svg
