"""torch.profiler around a few training steps: which operators take the time, and a trace to look at."""

from pathlib import Path
from tempfile import TemporaryDirectory

from _profiling import batches, tiny_model

# isort: split
# --8<-- [start:profile]
import torch
from torch.autograd import DeviceType
from torch.profiler import (
    ProfilerActivity,
    profile,
    record_function,
    schedule,
)
from transformers import PreTrainedModel

ACTIVITIES = [ProfilerActivity.CPU]
if torch.cuda.is_available():
    ACTIVITIES.append(ProfilerActivity.CUDA)


def profile_steps(
    model: PreTrainedModel, batches: list[dict], file: str
) -> profile:
    optimizer = torch.optim.AdamW(model.parameters())
    model.train()
    with profile(
        activities=ACTIVITIES,
        # Skips 2 steps, warms up in 1, records 3; then no more.
        schedule=schedule(wait=2, warmup=1, active=3, repeat=1),
        on_trace_ready=lambda done: done.export_chrome_trace(file),
        profile_memory=True,
    ) as profiler:
        for batch in batches:
            batch = {k: v.to(model.device) for k, v in batch.items()}
            with record_function("## forward"):
                loss = model(**batch).loss
            with record_function("## backward"):
                loss.backward()
            with record_function("## optimizer"):
                optimizer.step()
                optimizer.zero_grad()
            profiler.step()
    return profiler
# --8<-- [end:profile]


# --8<-- [start:read]
# By name: torch.compile adds events that begin with "## " too.
PHASES = ("## forward", "## backward", "## optimizer")


def shares(profiler: profile) -> dict[str, float]:
    # On a GPU every phase is there twice, once without CPU time.
    phases = {
        event.key: event.cpu_time_total
        for event in profiler.key_averages()
        if event.key in PHASES
        and event.device_type == DeviceType.CPU
    }
    total = sum(phases.values())
    return {key: time / total for key, time in phases.items()}


def busiest(profiler: profile, count: int = 3) -> list[tuple[str, int]]:
    operators = [
        event
        for event in profiler.key_averages()
        if not event.is_user_annotation  # The phases are no operators.
    ]
    # On a GPU sort by `self_device_time_total`.
    operators.sort(key=lambda event: -event.self_cpu_time_total)
    return [(event.key, event.count) for event in operators[:count]]
# --8<-- [end:read]


def main() -> None:
    torch.set_num_threads(1)
    with TemporaryDirectory() as folder:
        file = Path(folder, "trace.json")
        profiler = profile_steps(tiny_model(), batches(6), str(file))
        print(f"Trace of three steps: {file.stat().st_size // 1000:,} kB")
    for phase, share in shares(profiler).items():
        print(f"{phase[3:]:<10} {share:>4.0%} of the time")
    [(name, count)] = busiest(profiler, count=1)  # The order of the others changes from run to run.
    print(f"Most time of its own: {name} ({count} calls)")
    products = [event.count for event in profiler.key_averages() if event.key == "aten::mm"]
    print(f"Matrix products per step: {sum(products) // 3}")


if __name__ == "__main__":
    main()
