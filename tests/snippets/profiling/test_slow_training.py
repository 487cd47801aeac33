"""Each figure of a trace tells its cause: it changes when that is mended, and no other setting moves it."""

from collections import Counter
from dataclasses import replace

import pytest
import torch
from torch.profiler import profile

from snippets.profiling import slow_training as snippet

pytestmark = pytest.mark.measures
QUICK = snippet.Setting(samples=snippet.unpacked, width=None, checkpointing=False, log=lambda *_: [])


@pytest.fixture(scope="module")
def shard() -> snippet.Shard:
    return snippet.Shard(copies=1)


def figures(setting: snippet.Setting, shard: snippet.Shard) -> dict[str, float]:
    model = snippet.build(setting)
    batches = snippet.Loader(setting.samples(shard), setting.batch, setting.width)
    optimizer = torch.optim.AdamW(model.parameters(), fused=True)
    with profile(record_shapes=True) as profiler:
        snippet.train(model, list(batches)[:2], optimizer, setting.log, setting.dtype)
    return {"padding": snippet.padding_share(batches), **snippet.read_trace(profiler, model)}


def test_without_a_cause_each_figure_is_what_an_ordinary_step_has(shard: snippet.Shard) -> None:
    found = figures(replace(QUICK, attention="sdpa", dtype=torch.bfloat16), shard)
    assert {name: found[name] for name in ("padding", "products", "fp32", "eager")} == {
        "padding": 0, "products": 3, "fp32": 0, "eager": 0,
    }  # fmt: skip
    assert found["reads"] == 1  # whether the mask is all ones; transformers reads that


@pytest.mark.parametrize(("change", "figure", "least"), [
    ({"width": snippet.LONGEST}, "padding", 0.5),
    ({"checkpointing": True}, "products", 3.9),
    ({"dtype": torch.float32}, "fp32", 1),
    ({"attention": "eager"}, "eager", 0.001),
    ({"log": snippet.log_every_norm}, "reads", 40),
])
def test_a_cause_shows_in_its_figure(change: dict, figure: str, least: float, shard: snippet.Shard) -> None:
    good = replace(QUICK, attention="sdpa", dtype=torch.bfloat16)
    assert figures(replace(good, **change), shard)[figure] >= least


def test_a_linear_layer_with_a_bias_is_three_products_too() -> None:
    layer = torch.nn.Linear(4, 4)
    rows = torch.ones(2, 4, requires_grad=True)
    with profile(record_shapes=True) as profiler, snippet.phase("optimizer", Counter()):
        layer(rows).sum().backward()
    figures = snippet.read_trace(profiler, layer)
    assert (figures["products"], figures["fp32"]) == (3, 1)


def test_waiting_is_time_before_the_batch(monkeypatch: pytest.MonkeyPatch, shard: snippet.Shard) -> None:
    now = [0.0]
    monkeypatch.setattr(snippet, "process_time", lambda: now[0])

    def slow():
        for batch in snippet.Loader(snippet.unpacked(shard)[:2], 1, None):
            now[0] += 5
            yield batch

    model = snippet.build(QUICK)
    seconds = snippet.train(model, slow(), torch.optim.AdamW(model.parameters()), lambda *_: [])
    assert seconds == Counter(data=10, forward=0, backward=0, logging=0, optimizer=0)


def test_batches_of_similar_lengths_have_the_same_tokens_and_less_padding(shard: snippet.Shard) -> None:
    mixed, grouped = (snippet.Loader(make(shard), 4, None) for make in (snippet.unpacked, snippet.by_length))
    tokens = [sum(int(batch["attention_mask"].sum()) for batch in loader) for loader in (mixed, grouped)]
    assert tokens == [sum(snippet.LENGTHS)] * 2
    assert snippet.padding_share(grouped) < 0.2 < snippet.padding_share(mixed)


def test_each_fix_keeps_those_before_it_and_all_are_printed(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], shard: snippet.Shard
) -> None:
    settings = []

    def measured(setting: snippet.Setting, _: object) -> tuple[Counter, dict[str, float]]:
        settings.append(setting)
        figures = dict.fromkeys(("data", "padding", "optimizer", "products", "fp32", "eager", "reads"), 0.5)
        return Counter(data=1, forward=2), figures

    monkeypatch.setattr(snippet, "Shard", lambda: shard)
    monkeypatch.setattr(snippet, "measured", measured)
    snippet.main()
    lines = capsys.readouterr().out.splitlines()
    assert [line[:17].strip() for line in lines[2:10]] == list(snippet.FIXES)
    assert settings[0] == snippet.Setting()
    assert settings[-1].width is None and settings[-1].batch == 4 and settings[-1].dtype == torch.bfloat16
    assert len(lines) == 4 + 2 * len(snippet.FIXES)
