"""Each figure of a trace tells its cause: it changes when that is mended, and no other setting moves it."""

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from time import sleep

import pytest
import torch
from torch.autograd import DeviceType
from torch.autograd.profiler_util import FunctionEvent
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.profiler import profile
from torch.utils.data import DataLoader
from transformers import (
    BartConfig,
    BartForConditionalGeneration,
    GPT2Config,
    GPT2LMHeadModel,
    GPTNeoXConfig,
    GPTNeoXForCausalLM,
    LlamaConfig,
    LlamaForCausalLM,
    MixtralConfig,
    MixtralForCausalLM,
    PreTrainedModel,
    Trainer,
    TrainingArguments,
)

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
    return {"padding": snippet.padding_share(batches), **snippet.read_trace(profiler)}


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


@pytest.mark.claim("slow_training#checkpointing", "transformers/pytorch_utils.py::Conv1D.forward")
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
@pytest.mark.parametrize("model", [
    GPT2LMHeadModel(GPT2Config(n_embd=32, n_layer=2, n_head=2, vocab_size=99)),  # no nn.Linear but the head
    MixtralForCausalLM(MixtralConfig(hidden_size=32, intermediate_size=64, num_hidden_layers=2, vocab_size=99,
                                     num_attention_heads=2, num_key_value_heads=1, num_local_experts=4)),
    GPTNeoXForCausalLM(GPTNeoXConfig(hidden_size=32, intermediate_size=64, num_hidden_layers=2, vocab_size=99,
                                     num_attention_heads=2)),  # biases
], ids=lambda model: model.config.model_type)  # fmt: skip
def test_other_architectures_have_three_products_for_each_of_the_forward_pass_too(
    model: PreTrainedModel, dtype: torch.dtype
) -> None:
    model.activation_checkpointing_disable()
    tokens = torch.randint(99, (2, 16))
    batches = [{"input_ids": tokens, "labels": tokens}] * 2
    for checkpointing, least, most in ((False, 3, 3), (True, 3.5, 4)):
        if checkpointing:
            model.activation_checkpointing_enable()
        with profile(record_shapes=True) as profiler:
            snippet.train(model, batches, torch.optim.AdamW(model.parameters(), fused=True), lambda *_: [], dtype)
        figures = snippet.read_trace(profiler)
        assert least <= figures["products"] <= most
        # Autocast does not cast the inputs of a product of all experts.
        some = model.config.model_type == "mixtral" and 0 < figures["fp32"] < 1
        assert figures["fp32"] == (dtype == torch.float32) or some


def recorded(model: PreTrainedModel, batch: dict[str, torch.Tensor]) -> profile:
    with profile(record_shapes=True) as profiler:
        snippet.train(model, [batch] * 2, torch.optim.AdamW(model.parameters()), lambda *_: [])
    return profiler


def trace_of(model: PreTrainedModel, batch: dict[str, torch.Tensor]) -> dict[str, float]:
    return snippet.read_trace(recorded(model, batch))


def batch_of(vocabulary: int) -> dict[str, torch.Tensor]:
    tokens = torch.randint(2, vocabulary, (2, 16))
    return {"input_ids": tokens, "attention_mask": torch.ones_like(tokens), "labels": tokens}


SIZES = {"hidden_size": 32, "intermediate_size": 64, "num_hidden_layers": 1, "vocab_size": 64}
HEADS = {"num_attention_heads": 4, "num_key_value_heads": 2}


@pytest.mark.needs("c++")
def test_the_events_of_a_compiled_model_are_no_phases() -> None:
    """The compiler names its regions `## Call CompiledFxGraph ... ##`, within the phases."""
    model = LlamaForCausalLM(LlamaConfig(**SIZES, **HEADS))
    model.compile()
    batch = batch_of(64)
    recorded(model, batch)  # which compiles
    profiler = recorded(model, batch)
    events = profiler.events()
    assert any(event.name.startswith("## Call") for event in events)
    spent = {name: sum(e.cpu_time_total for e in events if e.name == f"## {name}") for name in ("optimizer", "logging")}
    whole = sum(event.cpu_time_total for event in events if event.name in snippet.PHASES)
    figures = snippet.read_trace(profiler)
    assert figures["products"] == 3
    assert figures["optimizer"] == pytest.approx(spent["optimizer"] / whole)


def test_the_math_kernel_of_sdpa_runs_the_operators_of_eager_attention() -> None:
    model = LlamaForCausalLM._from_config(LlamaConfig(**SIZES, **HEADS), attn_implementation="sdpa")
    with sdpa_kernel(SDPBackend.MATH):
        profiler = recorded(model, batch_of(64))
    assert snippet.read_trace(profiler)["eager"] > 0
    assert "aten::_scaled_dot_product_attention_math" in {event.name for event in profiler.events()}


@pytest.mark.claim("slow_training#attention", "transformers/integrations/sdpa_attention.py::sdpa_attention_forward")
@pytest.mark.skipif(torch.accelerator.is_available(), reason="is about the kernels of a CPU")
@pytest.mark.parametrize("dropout", [0.0, 0.1])
def test_on_a_cpu_sdpa_with_dropout_runs_the_operators_of_eager_attention(dropout: float) -> None:
    config = LlamaConfig(**SIZES, **HEADS, attention_dropout=dropout)
    model = LlamaForCausalLM._from_config(config, attn_implementation="sdpa")
    assert bool(trace_of(model, batch_of(64))["eager"]) == bool(dropout)


@pytest.mark.claim("slow_training#reads", "transformers/masking_utils.py")
@pytest.mark.skipif(torch.accelerator.is_available(), reason="is about the products of experts on a CPU")
def test_an_encoder_decoder_and_a_mixture_read_more_often() -> None:
    bart = {"encoder_layers": 1, "decoder_layers": 1, "encoder_attention_heads": 2, "decoder_attention_heads": 2}
    bart |= {"vocab_size": 64, "d_model": 32, "encoder_ffn_dim": 64, "decoder_ffn_dim": 64}
    assert trace_of(BartForConditionalGeneration(BartConfig(**bart)), batch_of(64))["reads"] == 3
    mixture = MixtralForCausalLM(MixtralConfig(**SIZES, **HEADS, num_local_experts=4))
    assert trace_of(mixture, batch_of(64))["reads"] == 1 + 4 * 2 * 3  # each expert, in two products, forward and back


class Recorded:
    """Events of two steps as a GPU gives them, without a product, as in a compiled model."""

    def events(self) -> list[FunctionEvent]:
        events = []
        for step in range(2):
            for index, (phase, length) in enumerate({"data": 10, "forward": 30, "optimizer": 40}.items()):
                start = 1000 * step + 100 * index
                for device, ends in ((DeviceType.CPU, start + length), (DeviceType.CUDA, start + 99)):
                    number = len(events) + 1
                    events.append(FunctionEvent(number, f"## {phase}", thread=1, start_us=start, end_us=ends, stack=[],
                                                device_type=device, use_device="cuda", is_user_annotation=True))
            events.append(FunctionEvent(len(events) + 1, "aten::item", thread=1, start_us=1000 * step + 150,
                                        end_us=1000 * step + 151, stack=[], use_device="cuda"))
        return events


def test_annotations_of_a_gpu_do_not_count_and_no_product_is_no_error() -> None:
    assert snippet.read_trace(Recorded()) == {
        "data": 0.125, "optimizer": 0.5, "products": 0, "fp32": 0, "eager": 0, "reads": 1,
    }  # fmt: skip


def test_the_products_of_an_optimizer_are_not_the_models() -> None:
    layer = torch.nn.Linear(4, 4)
    rows = torch.ones(2, 4, requires_grad=True)
    seconds: Counter[str] = Counter()
    with profile(record_shapes=True) as profiler:
        with snippet.phase("forward", seconds):
            loss = layer(rows).sum()
        with snippet.phase("backward", seconds):
            loss.backward()
        with snippet.phase("optimizer", seconds):
            torch.mm(rows, rows.T)
    assert snippet.read_trace(profiler)["products"] == 3


def test_waiting_is_time_before_the_batch(monkeypatch: pytest.MonkeyPatch, shard: snippet.Shard) -> None:
    now = [0.0]
    monkeypatch.setattr(snippet, "now", lambda: now[0])

    def slow():
        for batch in snippet.Loader(snippet.unpacked(shard)[:2], 1, None):
            now[0] += 5
            yield batch

    model = snippet.build(QUICK)
    seconds = snippet.train(model, slow(), torch.optim.AdamW(model.parameters()), lambda *_: [])
    assert seconds == Counter(data=10, forward=0, backward=0, logging=0, optimizer=0)


class Slow(list):
    """Samples that a worker waits for."""

    def __getitem__(self, index):
        sleep(0.2)
        return super().__getitem__(index)


def test_waiting_for_workers_counts() -> None:
    seconds: Counter[str] = Counter()
    batches = iter(DataLoader(Slow([torch.zeros(1)] * 5), num_workers=1))
    with snippet.phase("data", seconds):
        assert len(list(batches)) == 5
    assert seconds["data"] > 0.8


def test_a_phase_waits_for_the_accelerator_at_both_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    clock, launched = [0.0], []

    def synchronize() -> None:
        clock.append(clock[-1] + sum(launched))
        launched.clear()

    monkeypatch.setattr(torch.accelerator, "is_available", lambda: True)
    monkeypatch.setattr(torch.accelerator, "synchronize", synchronize)
    monkeypatch.setattr(snippet, "perf_counter", lambda: clock[-1])
    seconds: Counter[str] = Counter()
    launched.append(5.0)  # by the phase before
    with snippet.phase("forward", seconds):
        launched.append(2.0)
    assert seconds["forward"] == 2


def test_a_trace_has_the_work_of_a_phase_within_its_name(monkeypatch: pytest.MonkeyPatch) -> None:
    order = []

    @contextmanager
    def record(name: str) -> Iterator[None]:
        order.append(name)
        yield
        order.append("end")

    monkeypatch.setattr(snippet, "record_function", record)
    monkeypatch.setattr(snippet, "now", lambda: order.append("now") or 0)
    with snippet.phase("forward", Counter()):
        pass
    assert order == ["now", "## forward", "now", "end"]


def a_trainer(folder: Path, **more: object) -> Trainer:
    rows = torch.randint(64, (6, 16))
    cpu = not torch.accelerator.is_available()
    args = TrainingArguments(str(folder), bf16=True, per_device_train_batch_size=1, use_cpu=cpu, **more)
    model = LlamaForCausalLM(LlamaConfig(**SIZES | {"num_hidden_layers": 2}, **HEADS))
    return Trainer(model, args, train_dataset=[{"input_ids": row, "labels": row} for row in rows])


def test_a_trainer_is_measured_and_traced_each_from_its_first_batch(tmp_path: Path) -> None:
    trainer = a_trainer(tmp_path)
    steps = []
    trainer.get_train_dataloader = lambda load=trainer.get_train_dataloader: watched(load(), steps)
    seconds, figures = snippet.measure_trainer(trainer)
    assert steps == [6, 4]
    assert {f"## {name}" for name in seconds} == snippet.PHASES
    assert (figures["products"], figures["fp32"]) == (3, 0)


def test_a_trainer_is_measured_with_the_checkpointing_of_its_arguments(tmp_path: Path) -> None:
    products = []
    for options in (None, {"use_reentrant": False, "every_n_layers": 2, "offload": False}):
        trainer = a_trainer(tmp_path, activation_checkpointing=True, activation_checkpointing_kwargs=options)
        products.append(snippet.measure_trainer(trainer)[1]["products"])
    every, every_other = products
    assert 3 < every_other < every < 4


def watched(loader: DataLoader, steps: list[int]) -> Iterator[dict[str, torch.Tensor]]:
    """The batches of a loader; each time, how many were taken is added to `steps`."""
    steps.append(0)
    for batch in loader:
        steps[-1] += 1
        yield batch


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
    monkeypatch.setattr(snippet, "now", snippet.now)  # restored: the record has its own clock
    snippet.main()
    lines = capsys.readouterr().out.splitlines()
    assert [line[:17].strip() for line in lines[2:10]] == list(snippet.FIXES)
    assert settings[0] == snippet.Setting()
    assert settings[-1].width is None and settings[-1].batch == 4 and settings[-1].dtype == torch.bfloat16
    assert len(lines) == 4 + 2 * len(snippet.FIXES)
