"""Schedulers give each request its prompt and its tokens; the curves say what the snippet printed."""

import re

import pytest

pytest.importorskip("matplotlib", reason="needs matplotlib, which draws the plots: make venv")

from benchmarks.plots import batching, draw, evidence, serving
from benchmarks.plots.__main__ import words

JA = words("ja").__getitem__
LOOKS = [draw.Look("ja", "light", form) for form in (draw.WIDE, draw.NARROW)]
FORMATS = ("bf16", "4-bit weights", "FP8 cache", "FP8 weights and cache", "bf16, with the prompts")
OUTPUT = "Answers, by the law:\n  half: 14.0 requests\nRequests:\n" + "".join(
    f"  {name}: 1 4.80 208, 32 14.74 2171, {58 + number} 23.07 2514\n" for number, name in enumerate(FORMATS)
)


@pytest.mark.parametrize(("scheduler", "units"), [*zip(batching.SCHEDULERS, (32, 28, 21), strict=True)])
def test_each_request_is_read_and_then_answered_in_one_slot(scheduler: str, units: int) -> None:
    slots = batching.timeline(scheduler)
    assert [len(slot) for slot in slots] == [units] * batching.SLOTS
    for request, answer in enumerate(batching.ANSWERS):
        done = [[(unit, what) for unit, (what, whose) in enumerate(slot) if whose == request] for slot in slots]
        (own,) = filter(None, done)
        assert [what for _, what in own] == [batching.PROMPT] * batching.CHUNKS + [batching.TOKEN] * answer


@pytest.mark.parametrize("scheduler", batching.SCHEDULERS)
def test_tokens_come_beside_a_prompt_only_if_it_is_read_in_chunks(scheduler: str) -> None:
    units = [{what for what, _ in unit} for unit in zip(*batching.timeline(scheduler), strict=True)]
    together = any({batching.PROMPT, batching.TOKEN} <= each for each in units)
    assert together == (scheduler == "chunked prefill")


def test_a_static_batch_begins_when_the_one_before_has_ended() -> None:
    slots = batching.timeline("static batch")
    whose = [{request for _, request in unit} - {-1} for unit in zip(*slots, strict=True)]
    second = next(unit for unit, requests in enumerate(whose) if max(requests) >= batching.SLOTS)
    assert all(max(each) < batching.SLOTS for each in whose[:second])
    assert all(min(each) >= batching.SLOTS for each in whose[second:])


@pytest.mark.parametrize("look", LOOKS)
def test_every_scheduler_says_how_long_it_takes(look: draw.Look) -> None:
    svg = batching.picture(JA, look)
    assert all(f"{units}単位時間" in svg for units in (32, 28, 21))
    assert svg.count(">2</text>") == 3 * (batching.CHUNKS + batching.ANSWERS[1])


def test_an_output_without_curves_is_named() -> None:
    with pytest.raises(evidence.TableError, match="again"):
        serving.read("Answers, by the law:\n  half: 14.0 requests\n")


@pytest.mark.parametrize("look", LOOKS)
def test_a_curve_has_its_last_batch_and_bf16_each_dot(look: draw.Look) -> None:
    curves = serving.read(OUTPUT)
    assert list(curves) == [*FORMATS] and curves["FP8 cache"][-1] == (60, 23.07, 2514)
    svg = serving.picture(curves, "title", JA, look)
    assert all(re.search(rf">{number}</text>", svg) for number in (1, 32, 58, 59, 60, 61, 62))
    assert ">8</text>" not in svg and "FP8キャッシュ" in svg
