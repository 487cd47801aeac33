"""A trace of three steps of a `Trainer` run, in the types that it computes in, by a callback."""

import json
import re
from contextlib import redirect_stdout
from io import StringIO
from itertools import groupby
from pathlib import Path
from tempfile import TemporaryDirectory

from _profiling import device, tiny_model

# isort: split
# --8<-- [start:callback]
import torch
from torch.profiler import ProfilerActivity, profile, schedule
from transformers import Trainer, TrainerCallback, TrainingArguments

ACTIVITIES = [ProfilerActivity.CPU]
if torch.cuda.is_available():
    ACTIVITIES.append(ProfilerActivity.CUDA)


class Trace(TrainerCallback):
    def __init__(self, file: str):
        self.profiler = profile(
            activities=ACTIVITIES,
            # Skips 2 steps, warms up in 1, records 3; then no more.
            schedule=schedule(wait=2, warmup=1, active=3, repeat=1),
            on_trace_ready=lambda done: done.export_chrome_trace(file),
        )

    def on_train_begin(self, args, state, control, **kwargs):
        self.profiler.start()

    def on_step_end(self, args, state, control, **kwargs):
        self.profiler.step()

    def on_train_end(self, args, state, control, **kwargs):
        self.profiler.stop()
# --8<-- [end:callback]


def train(output_dir: str, file: str, steps: int = 8) -> None:
    """A run of `Trainer` under bf16 autocast with the callback."""
    row = torch.arange(64) % 255 + 1
    rows = [{"input_ids": row, "labels": row}] * 4 * steps
    args = TrainingArguments(
        output_dir=output_dir, max_steps=steps, per_device_train_batch_size=4, bf16=True, report_to="none",
        use_cpu=device().type == "cpu", disable_tqdm=True, save_strategy="no", logging_strategy="no")
    Trainer(tiny_model(), args, train_dataset=rows, callbacks=[Trace(file)]).train()


def read_spans(file: Path) -> list[dict]:
    """The events of a trace that last, in their order, an outer one before those in it."""
    events = [event for event in json.loads(file.read_text())["traceEvents"] if event["ph"] == "X"]
    return sorted(events, key=lambda event: (event["ts"], -event["dur"]))


def outline(spans: list[dict], step: str) -> list[str]:
    """What a step's row has from left to right; operators that follow each other, and their gradients, are one line."""
    (whole,) = [span for span in spans if span["name"] == step and span["tid"] == span["pid"]]
    end, names = whole["ts"], []
    for span in spans:
        if span["tid"] == whole["tid"] and end <= span["ts"] < whole["ts"] + whole["dur"] and span is not whole:
            end = span["ts"] + span["dur"]
            names.append(span["name"])
    lines = []
    for _, found in groupby(names, key=lambda name: re.match(r"aten::|autograd::engine|.*", name)[0]):
        first, *others = found
        lines.append(f"{first} ... {others[-1]} ({1 + len(others)} events)" if others else first)
    return lines


def main() -> None:
    torch.set_num_threads(1)
    with TemporaryDirectory() as folder:
        file = Path(folder, "trace.json")
        with redirect_stdout(StringIO()):  # The log has timings.
            train(folder, str(file))
        spans = read_spans(file)
    names = [span["name"] for span in spans]
    for step in sorted({name for name in names if name.startswith("ProfilerStep")}):
        print(f"Recorded: {step}")
    print("In ProfilerStep#4, from left to right:")
    for line in outline(spans, "ProfilerStep#4"):
        print(f"  {line}")
    print(f"Matrix products per step: {names.count('aten::mm') // 3}")
    print(f"Casts to bf16 and back per step: {names.count('aten::_to_copy') // 3}")


if __name__ == "__main__":
    main()
