"""The simulated steps are those of real tensors, to the byte, and each culprit fills what the page says it fills."""

import gc
from collections import Counter
from contextlib import nullcontext

import pytest
from transformers import LlamaConfig

from snippets.memory import out_of_memory as snippet

TINY = LlamaConfig(
    vocab_size=1000, hidden_size=64, intermediate_size=128, num_hidden_layers=2,
    num_attention_heads=4, num_key_value_heads=2, tie_word_embeddings=True,
)  # fmt: skip
LOGITS = 4 * 16 * 1000 * 4  # bytes of a batch of 4 samples of 16 tokens


@pytest.fixture(autouse=True)
def tiny(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(snippet, "LLAMA_1B", TINY)


def trained(*batches: tuple[int, int], build=snippet.llama, loss_of=snippet.loss_of_logits) -> snippet.Snapshot:
    return snippet.train(snippet.Snapshot(), build, batches, loss_of)


@pytest.mark.parametrize("build", [snippet.llama, snippet.checked])
@pytest.mark.parametrize("loss_of", [snippet.loss_of_logits, snippet.loss_in_chunks])
def test_the_simulated_steps_are_those_of_real_tensors(build, loss_of, monkeypatch: pytest.MonkeyPatch) -> None:
    simulated = trained((4, 16), (2, 24), build=build, loss_of=loss_of)
    monkeypatch.setattr(snippet, "FakeTensorMode", lambda **_: nullcontext())
    measured = trained((4, 16), (2, 24), build=build, loss_of=loss_of)
    assert measured.peak() == simulated.peak()
    assert dict(measured.by_origin()) == dict(simulated.by_origin())


def test_origins_are_all_of_the_peak_and_name_the_code() -> None:
    memory = trained((4, 16), (4, 16))
    origins = dict(memory.by_origin())
    assert sum(origins.values()) == memory.peak().total()
    layers, tokens = TINY.num_hidden_layers, 4 * 16
    assert origins["LlamaMLP.forward, mm"] == layers * tokens * 2 * TINY.intermediate_size * 4
    assert origins["fixed_cross_entropy, _log_softmax"] == LOGITS
    parameters = sum(parameter.numel() for parameter in snippet.llama().parameters())
    assert origins["train, zeros_like"] == 8 * parameters


def test_the_first_step_of_the_optimizer_makes_its_state() -> None:
    memory = trained((4, 16), (4, 16))
    parameters = sum(parameter.numel() for parameter in snippet.llama().parameters())
    assert memory.peak()["optimizer"] == 8 * parameters
    assert [moment["optimizer"] for moment in memory.curve(10)][:3] == [0] * 3


def test_the_longest_batch_makes_the_peak_wherever_it_comes() -> None:
    assert trained((4, 16), (4, 16), (4, 64)).peak() == trained((4, 16), (4, 64), (4, 16)).peak()
    assert trained((4, 16), (4, 64)).peak().total() > trained((4, 16), (4, 16)).peak().total()


def test_over_time_activations_rise_and_fall_twice_and_weights_stay() -> None:
    moments = trained((4, 16), (4, 16)).curve(30)
    assert len(moments) == 30
    assert len({moment["weights"] for moment in moments[1:]}) == 1
    held = [moment["activations"] for moment in moments]
    assert held[-1] < max(held) / 2
    assert max(moment.total() for moment in moments) == trained((4, 16), (4, 16)).peak().total()
    assert moments[-1]["optimizer"] > 0 == moments[3]["optimizer"]


def test_what_is_freed_after_the_steps_is_not_part_of_them() -> None:
    memory = trained((4, 16), (4, 16))
    gc.collect()  # Only now is the whole model freed.
    held: Counter[str] = Counter()
    for number, size in memory.timeline:
        held[memory.kinds.get(number, "activations")] += size
    assert held["weights"] == memory.peak()["weights"] > 0
    assert held["optimizer"] == memory.peak()["optimizer"] > 0


def evaluated(keep, run=snippet.evaluate, **options) -> Counter:
    return run(snippet.Snapshot(), snippet.llama, keep, length=16, **options).peak()


def test_kept_losses_keep_the_graph_of_each_batch() -> None:
    few, many = (evaluated(snippet.kept_loss, batches=batches)["activations"] for batches in (2, 4))
    once, again = (evaluated(snippet.detached_loss, batches=batches)["activations"] for batches in (2, 4))
    assert many - few > 4 * LOGITS and again - once < LOGITS


def test_kept_logits_grow_with_the_batches_and_tokens_hardly() -> None:
    logits = [evaluated(snippet.kept_logits, snippet.without_graph, batches=n).total() for n in (2, 4)]
    tokens = [evaluated(snippet.kept_tokens, snippet.without_graph, batches=n).total() for n in (2, 4)]
    assert logits[1] - logits[0] == pytest.approx(2 * LOGITS, rel=0.01)
    assert 0 < tokens[1] - tokens[0] < LOGITS / 100


def test_the_table_has_every_case(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("SHORT", "LONG", "MANY"):
        monkeypatch.setattr(snippet, name, (2, 8))
    monkeypatch.setattr(snippet.evaluate, "__defaults__", (2, 2, 8))
    snippet.main()
    lines = capsys.readouterr().out.splitlines()
    assert [line[:20].strip() for line in lines[2:11]] == list(snippet.CASES)
    assert len(lines[-1].split()) == 1 + snippet.PARTS
