"""The committed plots are what is drawn from today's evidence, and what is drawn says what the evidence says."""

import re
from itertools import accumulate
from pathlib import Path

import pytest

pytest.importorskip("matplotlib", reason="needs matplotlib, which draws the plots: make venv")

from benchmarks.plots import draw, evidence, schedule
from benchmarks.plots.__main__ import LANGUAGES, PLOTS, ROOT, files, first, outputs, words

OUTPUT = """a model, GB at the peak of a step
                                  weights    gradients    optimizer  activations      sum
AdamW in fp32                        1.00         0.00         2.00         3.00     6.00
8-bit AdamW                          1.00         0.00         0.50         3.00     4.50"""


@pytest.fixture(scope="module")
def drawn() -> dict[Path, str]:
    return dict(files(ROOT))


def test_the_committed_files_are_drawn_from_todays_evidence(drawn: dict[Path, str]) -> None:
    stale = [path for path, text in drawn.items() if not same(path, text)]
    assert not stale, "not what the evidence says; run `make plots`"


def same(path: Path, text: str) -> bool:
    return (ROOT / path).is_file() and (ROOT / path).read_text("utf-8") == text


def test_nothing_else_lies_among_them(drawn: dict[Path, str]) -> None:
    assert {path.relative_to(ROOT) for path in (ROOT / PLOTS).iterdir()} <= set(drawn)


def test_the_same_table_gives_the_same_bytes() -> None:
    table, said = evidence.memory(OUTPUT), words("ja")
    first, again = (draw.memory(table, "title", said.__getitem__, draw.Look("ja", "dark")) for _ in range(2))
    assert first == again
    assert "<dc:date>" not in first


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_words_are_the_readers_and_stay_text(language: str) -> None:
    said = words(language)
    svg = draw.memory(evidence.memory(OUTPUT), "title", said.__getitem__, draw.Look(language, "light"))
    for word in ("weights", "gradients", "optimizer", "activations", "8-bit AdamW"):
        assert f">{said[word]}</text>" in svg
    assert re.search("CJK (..)", svg + "CJK no")[1] == {"zh": "SC", "zh-Hant": "TC", "ja": "JP"}.get(language, "no")
    assert "sans-serif" in svg
    assert "DejaVu" not in svg


def test_a_bar_ends_with_its_sum_and_another_figure_is_another_plot() -> None:
    said = words("en")
    svg = draw.memory(evidence.memory(OUTPUT), "title", said.__getitem__, draw.Look("en", "light"))
    assert {"6.00", "4.50"} <= set(re.findall(r"> ?([0-9.]+)</text>", svg))
    other = OUTPUT.replace("0.50", "0.75")
    assert draw.memory(evidence.memory(other), "title", said.__getitem__, draw.Look("en", "light")) != svg


def test_a_budget_has_its_limit_and_shows_the_last_rows_twice() -> None:
    said = words("en")
    svg = draw.budget(evidence.memory(OUTPUT), "title", said.__getitem__, draw.Look("en", "light"), limit=5, near=1)
    assert ">5 GB</text>" in svg
    assert (svg.count(">8-bit AdamW</text>"), svg.count(">AdamW in fp32</text>")) == (2, 1)
    assert (svg.count("4.50</text>"), svg.count("6.00</text>")) == (2, 1)


def test_what_serving_holds_has_columns_and_a_limit_of_its_own() -> None:
    table = evidence.memory("a model\n weights cache workspace sum\nFP8 cache 1.00 2.00 3.00 6.00", evidence.SERVED)
    assert table.rows == {"FP8 cache": (1, 2, 3, 6)}
    svg = draw.memory(table, "title", words("en").__getitem__, draw.Look("en", "light"), 5)
    assert all(f">{word}</text>" in svg for word in ("key-value cache", "workspace", "5 GB"))
    with pytest.raises(evidence.TableError, match="again"):
        evidence.memory(OUTPUT, evidence.SERVED)


def test_phases_are_stacked_to_their_sum_without_decimals() -> None:
    output = "title\n    data  optimizer  sum\nas found  1.2  2.2  3.4\nFigures of the traces\nother 1"
    table = evidence.phases(output)
    assert table.rows == {"as found": (1.2, 2.2, 3.4)}
    svg = draw.memory(table, "title", words("ja").__getitem__, draw.Look("ja", "light"), decimals=0)
    assert re.search("> ?3</text>", svg) and f">{words('ja')['phase: optimizer']}</text>" in svg


def test_a_timeline_has_a_number_for_each_moment_and_names_its_kinds() -> None:
    table = evidence.timeline("table\nOver time, GB\nweights 1.0 1.0 1.0\nactivations 0.0 2.5 0.5\n")
    assert table.rows == {"weights": (1, 1, 1), "activations": (0, 2.5, 0.5)}
    svg = draw.timeline(table, "title", words("zh").__getitem__, draw.Look("zh", "dark", draw.NARROW))
    assert all(f">{words('zh')[word]}</text>" in svg for word in ("weights", "activations", "two steps"))


def test_light_and_dark_have_their_ink_and_no_background() -> None:
    for scheme, ink in draw.INK.items():
        svg = draw.memory(evidence.memory(OUTPUT), "title", words("en").__getitem__, draw.Look("en", scheme))
        assert ink in svg
        assert "fill: #ffffff" not in svg


@pytest.mark.parametrize("broken", ["a\nb c\nd 1 2", OUTPUT.replace("0.50", "half")])
def test_an_output_that_is_no_table_is_named(broken: str) -> None:
    with pytest.raises(evidence.TableError, match="again"):
        evidence.memory(broken)


def test_schedules_keep_what_passes_need_and_wait_equally_long() -> None:
    for name, held in (("GPipe", [4, 4, 4, 4]), ("1F1B", [4, 3, 2, 1])):
        slots = schedule.timeline(name)
        assert [len(row) for row in slots] == [14] * 4
        assert [row.count("") for row in slots] == [6] * 4
        for rank, row in enumerate(slots):
            for number in "1234":
                assert row.index(f"F{number}") < row.index(f"B{number}")
                if rank:
                    assert slots[rank - 1].index(f"F{number}") < row.index(f"F{number}")
                    assert slots[rank - 1].index(f"B{number}") > row.index(f"B{number}")
        assert [max(accumulate({"F": 1, "B": -1, "": 0}[each[:1]] for each in row)) for row in slots] == held


def test_schedules_are_in_the_order_in_which_pytorch_ran_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(schedule, "MICROBATCHES", 8)
    ran = first(list(outputs(ROOT)), "train_many/pipeline_parallel.py")
    for name, output in zip(("GPipe", "1F1B"), ran.split("Schedule")[1:], strict=True):
        assert output.startswith(name)
        drawn = ["".join(each[0] for each in schedule.order(name, rank)) for rank in range(schedule.RANKS)]
        assert re.findall(r": ([FB]+),", output) == drawn


@pytest.mark.parametrize("form", [draw.WIDE, draw.NARROW])
def test_a_schedule_says_every_pass_in_the_readers_words(form: draw.Form) -> None:
    svg = schedule.picture(words("ja").__getitem__, draw.Look("ja", "dark", form))
    assert all(svg.count(f">{letter}{number}</text>") == 8 for letter in "FB" for number in range(1, 5))
    assert "ランク3" in svg and "Noto Sans CJK JP" in svg


def test_the_calculator_has_the_colours_of_the_plots() -> None:
    styles = (ROOT / "docs/assets/guide.css").read_text("utf-8")
    colours = dict(re.findall(r"\.fit__piece--(\w+) \{ background: (#\w+);", styles))
    assert colours == {kind: colour.lower() for kind, colour in draw.HELD.items()}
