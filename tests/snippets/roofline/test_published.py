"""No published run is faster than the law, whose operations are those of the law and of the sources."""

import pytest

from snippets.roofline import law, token_time
from snippets.roofline import published as snippet

RUNS = snippet.DATA["runs"]


@pytest.mark.parametrize("name", RUNS)
def test_no_run_is_faster_than_the_law(name: str) -> None:
    assert 0.2 < snippet.share(RUNS[name]) < 1


@pytest.mark.parametrize("name", [name for name, run in RUNS.items() if "mfu" in run])
def test_the_utilization_is_the_one_that_the_source_states(name: str) -> None:
    run = RUNS[name]
    model, device = snippet.DATA["models"][run["model"]], snippet.DATA["devices"][run["device"]]
    flops = 3 * (2 * model["weights"] + snippet.attention(model, run["tokens"]))
    assert flops * run["published"] / device["flops"] == pytest.approx(run["mfu"], rel=3e-3)


def run_of(kind: str, **more: float) -> snippet.Record:
    return {"model": "Llama 3 8B", "device": "H100", "kind": kind, "published": 1, **more}


def test_a_model_by_its_numbers_takes_as_long_as_by_its_configuration() -> None:
    config, h100 = law.LLAMA_8B, law.H100
    trained = law.training(config, 1, 8192) / 8192 / h100.flops
    assert snippet.least_seconds(run_of("train", tokens=8192)) == pytest.approx(trained)
    skipped = 2 * config.hidden_size * config.vocab_size * 8191
    prompt = snippet.least_seconds(run_of("first", tokens=8192))
    assert prompt == pytest.approx(8192 * trained / 3 - skipped / h100.flops)
    for batch, weight, cache in ((1, 2, 2), (60, 0.5, 1), (4096, 2, 2)):
        step = snippet.least_seconds(run_of("decode", batch=batch, tokens=100, weight=weight, cache=cache))
        assert step == pytest.approx(token_time.token(config, h100, batch, 100, weight, cache))


def test_a_run_that_recomputes_is_held_to_four_passes() -> None:
    three, four = (snippet.least_seconds(run_of("train", tokens=8192, passes=passes)) for passes in (3, 4))
    assert four == pytest.approx(4 / 3 * three)
    recomputes = {name for name, run in RUNS.items() if run.get("passes") == 4}
    assert recomputes == {f"train {name}" for name in (
        "Llama 3 70B, 64 A100", "Llama 3.1 405B, 128 H100", "MPT 70B, 64 A100", "MPT 30B, 32 H100", "MPT 70B, 64 H100")}


def test_each_run_names_its_source_and_the_version_that_was_read() -> None:
    assert {run["source"] for run in RUNS.values()} == set(snippet.DATA["sources"])
    assert all("/blob/" in source["url"] and source["dated"] for source in snippet.DATA["sources"].values())
    assert len(RUNS) >= 12
