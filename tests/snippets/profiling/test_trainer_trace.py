"""The callback records three steps of a run of Trainer, whatever follows, in the type that Trainer computes in."""


import pytest

from snippets.profiling import trainer_trace as snippet

pytestmark = pytest.mark.measures


@pytest.fixture(scope="module")
def names(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    folder = tmp_path_factory.mktemp("trace")
    snippet.train(str(folder), str(folder / "trace.json"), steps=12)
    return snippet.read_names(folder / "trace.json")


def test_three_steps_are_recorded_once(names: list[str]) -> None:
    assert {name for name in names if name.startswith("ProfilerStep")} == {f"ProfilerStep#{step}" for step in (3, 4, 5)}


def test_the_optimizer_and_every_product_of_three_steps_are_in_it(names: list[str]) -> None:
    linear = sum(isinstance(module, snippet.torch.nn.Linear) for module in snippet.tiny_model().modules())
    assert names.count("aten::mm") == 3 * 3 * linear
    assert names.count("Optimizer.step#AdamW.step") == 3


def test_the_run_computes_under_autocast(names: list[str]) -> None:
    assert names.count("ToCopyBackward0") > 0
