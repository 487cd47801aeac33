"""Training that is slow: one run with seven causes, each found in a trace and removed, in CPU time by phase."""

import json
import lzma
import random
from collections.abc import Callable
from dataclasses import dataclass, replace
from time import process_time

from transformers import AutoModelForCausalLM, LlamaConfig, LlamaForCausalLM

# isort: split
# --8<-- [start:train]
from collections import Counter
from contextlib import contextmanager
from itertools import islice
from time import perf_counter

import torch
from torch.autograd import DeviceType
from torch.profiler import profile, record_function


def now():
    if torch.accelerator.is_available():
        torch.accelerator.synchronize()  # A launch is not yet the work.
    return perf_counter()


# Seconds by phase; a trace shows the phase under its name.
@contextmanager
def phase(name, seconds):
    start = now()
    with record_function(f"## {name}"):
        yield
        # Waits inside the phase, so that it contains its GPU work.
        seconds[name] += now() - start


def train(model, loader, optimizer, log, dtype=torch.float32):
    seconds, step, batches = Counter(), 0, iter(loader)
    model.train()
    while True:
        with phase("data", seconds):
            batch = next(batches, None)
        if batch is None:
            return seconds
        batch = {key: each.to(model.device) for key, each in batch.items()}
        with phase("forward", seconds):
            mixed = dtype != torch.float32
            with torch.autocast(model.device.type, dtype, enabled=mixed):
                loss = model(**batch, use_cache=False).loss
        with phase("backward", seconds):
            loss.backward()
        with phase("logging", seconds):
            log(step, loss, model)
        with phase("optimizer", seconds):
            optimizer.step()
            optimizer.zero_grad()
        step += 1


# --8<-- [end:train]


# --8<-- [start:read]
# By name: torch.compile adds events that begin with "## " too.
PHASES = {"## data", "## forward", "## backward"}
PHASES |= {"## logging", "## optimizer"}


def phase_of(event):
    while event and event.name not in PHASES:
        event = event.cpu_parent
    return event and event.name[3:]


PRODUCTS = ("aten::mm", "aten::addmm", "aten::_grouped_mm")
EAGER = ("aten::bmm", "aten::_softmax", "aten::_softmax_backward_data")


# The figures of a trace that was made with record_shapes=True.
def read_trace(profiler):
    calls, phases, products = Counter(), Counter(), Counter()
    attention = 0.0
    for event in profiler.events():
        name = event.name
        if event.device_type != DeviceType.CPU:
            continue  # A GPU has each phase once more, and its kernels.
        if name in PHASES:
            calls[name] += 1
            phases[name[3:]] += event.cpu_time_total
        elif name in EAGER:
            attention += event.self_cpu_time_total
        elif phase_of(event) == "optimizer":
            continue  # It reads its own counters; Muon multiplies.
        elif name in PRODUCTS:
            if any(each.name == name for each in event.cpu_children):
                continue  # Autocast calls it again, in its dtype.
            calls["product"] += 1
            calls["forward"] += phase_of(event) == "forward"
            products[event.input_dtypes[0]] += event.cpu_time_total
        elif name == "aten::item":
            calls["read"] += 1
    total = phases.total()
    return {
        "data": phases["data"] / total,
        "optimizer": phases["optimizer"] / total,
        # 0 where no product is seen.
        "products": calls["product"] / max(calls["forward"], 1),
        "fp32": products["float"] / max(products.total(), 1),
        "eager": attention / total,
        "reads": calls["read"] / calls["## optimizer"],
    }


# --8<-- [end:read]


# --8<-- [start:trainer]
# Seconds by phase in 50 batches, and the figures of a trace of 4.
def measure_trainer(trainer, dtype=torch.bfloat16):
    args, model = trainer.args, trainer.model
    if args.activation_checkpointing:  # Only train() would enable it.
        options = dict(args.activation_checkpointing_kwargs or {})
        layers = options.pop("every_n_layers", 1)
        offload = options.pop("offload", False)
        model.activation_checkpointing_enable(
            options or None, layers, offload
        )
    optimizer = trainer.create_optimizer()

    def train_on(count):
        batches = islice(trainer.get_train_dataloader(), count)
        return train(model, batches, optimizer, lambda *_: None, dtype)

    seconds = train_on(50)
    with profile(record_shapes=True) as profiler:
        train_on(4)
    return seconds, read_trace(profiler)


# --8<-- [end:trainer]


# --8<-- [start:padding]
def padding_share(loader):
    masks = [batch["attention_mask"] for batch in loader]
    tokens = sum(mask.numel() for mask in masks)
    return 1 - sum(mask.sum().item() for mask in masks) / tokens


# --8<-- [end:padding]

VOCABULARY, LONGEST = 4000, 256
# Unequal lengths, in the order of the files: long and short ones beside each other.
LENGTHS = [256, 24, 120, 60, 230, 20, 110, 52, 200, 30, 100, 64, 180, 36, 90, 48]


class Shard:
    """Samples in one compressed file of JSON lines: each sample that is read unpacks the whole of it."""

    def __init__(self, copies: int = 150) -> None:
        order = random.Random(0)
        rows = [[order.randrange(1, VOCABULARY) for _ in range(length)] for length in LENGTHS * copies]
        self.file = lzma.compress("\n".join(map(json.dumps, rows)).encode(), preset=0)

    def __getitem__(self, index: int) -> list[int]:
        return json.loads(lzma.decompress(self.file).splitlines()[index])

    def __len__(self) -> int:
        return len(LENGTHS)


def unpacked(shard: Shard) -> list[list[int]]:
    return [shard[index] for index in range(len(shard))]


def by_length(shard: Shard) -> list[list[int]]:
    return sorted(unpacked(shard), key=len)


def collated(samples: list[list[int]], width: int | None) -> dict[str, torch.Tensor]:
    """A batch padded to this width, or to its longest sample."""
    lengths = torch.tensor([len(sample) for sample in samples])
    width = width or max(map(len, samples))
    tokens = torch.tensor([sample + [0] * (width - len(sample)) for sample in samples])
    real = torch.arange(width) < lengths[:, None]
    return {"input_ids": tokens, "attention_mask": real.long(), "labels": tokens.masked_fill(~real, -100)}


class Loader:
    """Batches of samples that are read when the loop wants them, as a DataLoader without workers makes them."""

    def __init__(self, samples: Shard | list[list[int]], batch: int, width: int | None) -> None:
        self.samples, self.batch, self.width = samples, batch, width

    def __iter__(self):
        for start in range(0, len(self.samples), self.batch):
            rows = [self.samples[index] for index in range(start, min(start + self.batch, len(self.samples)))]
            yield collated(rows, self.width)


def log_every_norm(step: int, loss: torch.Tensor, model: LlamaForCausalLM) -> list[float]:
    return [loss.item(), *(parameter.grad.norm().item() for parameter in model.parameters())]


def log_sometimes(step: int, loss: torch.Tensor, model: LlamaForCausalLM) -> list[float]:
    return [loss.item()] if step % 10 == 9 else []


@dataclass(frozen=True)
class Setting:
    """How a run is set up; at first, as it was found."""

    samples: Callable[[Shard], Shard | list[list[int]]] = lambda shard: shard
    width: int | None = LONGEST
    batch: int = 1
    checkpointing: bool = True
    dtype: torch.dtype = torch.float32
    attention: str = "eager"
    log: Callable[..., list[float]] = log_every_norm


FIXES = {
    "as found": {},
    "unpacked once": {"samples": unpacked},
    "without padding": {"width": None},
    "batches of 4": {"batch": 4, "samples": by_length},
    "no checkpointing": {"checkpointing": False},
    "bf16 autocast": {"dtype": torch.bfloat16},
    "fewer reads": {"log": log_sometimes},
    "SDPA": {"attention": "sdpa"},
}


def build(setting: Setting) -> LlamaForCausalLM:
    sizes = {"hidden_size": 128, "intermediate_size": 384, "num_hidden_layers": 4, "vocab_size": VOCABULARY}
    config = LlamaConfig(**sizes, num_attention_heads=4, num_key_value_heads=2)
    torch.manual_seed(0)
    model = AutoModelForCausalLM.from_config(config, dtype=torch.float32, attn_implementation=setting.attention)
    if setting.checkpointing:
        model.activation_checkpointing_enable()
    return model.train()


def measured(setting: Setting, shard: Shard) -> tuple[Counter, dict[str, float]]:
    """CPU seconds by phase, the least of four passes over the samples, and the figures of a trace of four steps."""
    model = build(setting)
    loader = Loader(setting.samples(shard), setting.batch, setting.width)
    optimizer = torch.optim.AdamW(model.parameters(), fused=True)
    train(model, islice(loader, 1), optimizer, setting.log, setting.dtype)  # allocates, and chooses kernels
    seconds = train(model, loader, optimizer, setting.log, setting.dtype)
    for _ in range(3):
        seconds &= train(model, loader, optimizer, setting.log, setting.dtype)
    with profile(record_shapes=True) as profiler:
        train(model, islice(loader, 4), optimizer, setting.log, setting.dtype)
    batches = Loader(unpacked(shard) if loader.samples is shard else loader.samples, setting.batch, setting.width)
    return seconds, {"padding": padding_share(batches), **read_trace(profiler)}


def main() -> None:
    global now
    if not torch.accelerator.is_available():
        now = process_time  # not what other programs on this machine take
    torch.set_num_threads(1)
    shard, setting, found = Shard(), Setting(), {}
    for name, fix in FIXES.items():
        setting = replace(setting, **fix)
        found[name] = measured(setting, shard)
    phases = ("data", "forward", "backward", "logging", "optimizer")
    print("CPU time per 1,000 tokens without padding, ms")
    print(" " * 17, *(f"{head:>9}" for head in (*phases, "sum")))
    for name, (seconds, _) in found.items():
        times = [1e6 * seconds[head] / sum(LENGTHS) for head in phases]
        print(f"{name:17}", *(f"{time:9.1f}" for time in (*times, sum(times))))
    forms = dict.fromkeys(("data", "padding", "optimizer", "products", "fp32", "eager"), ".2f") | {"reads": ".1f"}
    print("Figures of the traces")
    print(" " * 24, *(f"{head:>9}" for head in forms))
    for name, (_, figures) in found.items():
        print(f"trace, {name:17}", *(f"{figures[head]:9{form}}" for head, form in forms.items()))


if __name__ == "__main__":
    main()
