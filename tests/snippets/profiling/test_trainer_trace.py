"""The callback records three steps of a run of Trainer, whatever follows, in the type that Trainer computes in."""

import pytest

from snippets.profiling import trainer_trace as snippet

pytestmark = pytest.mark.measures


@pytest.fixture(scope="module")
def spans(tmp_path_factory: pytest.TempPathFactory) -> list[dict]:
    folder = tmp_path_factory.mktemp("trace")
    snippet.train(str(folder), str(folder / "trace.json"), steps=12)
    return snippet.read_spans(folder / "trace.json")


@pytest.fixture
def names(spans: list[dict]) -> list[str]:
    return [span["name"] for span in spans]


def test_three_steps_are_recorded_once(names: list[str]) -> None:
    assert {name for name in names if name.startswith("ProfilerStep")} == {f"ProfilerStep#{step}" for step in (3, 4, 5)}


def test_the_optimizer_and_every_product_of_three_steps_are_in_it(names: list[str]) -> None:
    linear = sum(isinstance(module, snippet.torch.nn.Linear) for module in snippet.tiny_model().modules())
    assert names.count("aten::mm") == 3 * 3 * linear
    assert names.count("Optimizer.step#AdamW.step") == 3


def test_the_run_computes_under_autocast(names: list[str]) -> None:
    assert names.count("ToCopyBackward0") > 0


@pytest.mark.skipif(snippet.torch.cuda.is_available(), reason="on a GPU another thread runs the backward pass")
def test_the_phases_of_a_step_follow_each_other_under_these_names(spans: list[dict]) -> None:
    *_, data, forward, backward, clipping, optimizer = snippet.outline(spans, "ProfilerStep#4")
    assert data == "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__"
    assert forward.startswith("aten::")
    assert backward.startswith("autograd::engine::evaluate_function: ")
    assert clipping.startswith("aten::")
    assert optimizer == "Optimizer.step#AdamW.step"


def test_an_event_inside_another_is_not_in_the_outline() -> None:
    def span(name: str, start: float, duration: float, thread: int = 1) -> dict:
        return {"name": name, "ts": start, "dur": duration, "tid": thread, "pid": 1}

    found = [
        span("ProfilerStep#4", 0, 100), span("aten::linear", 10, 20), span("aten::mm", 15, 10),
        span("aten::add", 40, 1), span("kernel", 41, 5, thread=7), span("Optimizer.step", 50, 9),
        span("aten::mul", 120, 1),
    ]  # fmt: skip
    assert snippet.outline(found, "ProfilerStep#4") == ["aten::linear ... aten::add (2 events)", "Optimizer.step"]
