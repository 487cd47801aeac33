"""What a step holds over time is drawn with its phases by name, its peak, and in the reader's words."""

import pytest

pytest.importorskip("matplotlib", reason="needs matplotlib, which draws the plots: make venv")

from benchmarks.plots import draw, evidence, over_time
from benchmarks.plots.__main__ import words

KINDS = "weights 1 1 1 1\ngradients 0 0 1 1\noptimizer 2 2 2 2\nrecomputed 0 0 0.5 0\nactivations 3 4.5 1 0\n"
OUTPUT = "model\n" + "".join(
    f"{case}, peak 7 MB\nphase {phases}\n{KINDS}"
    for case, phases in (("One batch", "f f b o"), ("Four pieces", "f b f b"), ("Checkpointing", "f b b o"))
)


def test_a_case_has_its_phases_and_a_number_for_each_moment() -> None:
    table = over_time.read(OUTPUT)["One batch"]
    assert table.columns == ("f", "f", "b", "o")
    assert table.rows["activations"] == (3, 4.5, 1, 0)
    assert over_time.phases(table) == [("f", 0, 1), ("b", 2, 2), ("o", 3, 3)]
    with pytest.raises(evidence.TableError, match="again"):
        over_time.read(OUTPUT.replace("phase f f b o", "phase f f b x"))


@pytest.mark.parametrize("form", [draw.WIDE, draw.NARROW])
def test_a_step_says_its_peak_and_its_phases(form: draw.Form) -> None:
    said = words("zh")
    svg = over_time.step(over_time.read(OUTPUT), "title", said.__getitem__, draw.Look("zh", "dark", form))
    assert said["peak"].format(size=7.5) in svg
    assert all(svg.count(f">{said[word]}</text>") == 1 for word in (*over_time.PHASES.values(), "activations"))


@pytest.mark.parametrize("picture", over_time.PAIRS)
def test_two_steps_are_named_and_share_their_colours(picture: str) -> None:
    said, (names, kinds) = words("ja"), over_time.PAIRS[picture]
    svg = over_time.pair(over_time.read(OUTPUT), picture, said.__getitem__, draw.Look("ja", "light"))
    assert all(svg.count(f">{said[name]}</text>") == 1 for name in names)
    assert all(svg.count(f">{said[kind]}</text>") == 2 for kind in kinds)  # in each step
    assert ("バッチ2" in svg) == ("Four pieces" in names)
