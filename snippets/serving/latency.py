"""Time to first token and the time between tokens, noted by a streamer while `generate` runs."""

from statistics import median
from time import process_time

from _serving import prompts, tiny_model

# isort: split
# --8<-- [start:clock]
from collections.abc import Callable
from itertools import pairwise
from time import perf_counter

import torch
from transformers import PreTrainedModel
from transformers.generation.streamers import BaseStreamer


class Clock(BaseStreamer):
    def __init__(self, timer: Callable[[], float]) -> None:
        self.timer, self.times = timer, []

    # `generate` calls this with the prompt, then with every new token.
    def put(self, tokens: torch.Tensor) -> None:
        self.times.append(self.timer())

    def end(self) -> None:
        pass


def latencies(
    model: PreTrainedModel,
    inputs: dict,
    new_tokens: int,
    timer: Callable[[], float] = perf_counter,
) -> tuple[float, list[float]]:
    clock = Clock(timer)
    start = timer()
    model.generate(
        **inputs, max_new_tokens=new_tokens, do_sample=False, streamer=clock
    )
    tokens = clock.times[1:]  # The prompt came first.
    between = [later - earlier for earlier, later in pairwise(tokens)]
    return tokens[0] - start, between
# --8<-- [end:clock]


def main() -> None:
    torch.set_num_threads(1)
    model = tiny_model(torch.float32, hidden_size=128)
    latencies(model, prompts(16), new_tokens=4)  # The first call allocates and warms up.
    print("CPU milliseconds on one thread, which other programs hardly change:")
    for length in (16, 512):
        first, between = latencies(model, prompts(length), new_tokens=32, timer=process_time)
        then = 1000 * median(between)
        print(f"  prompt of {length:>3} tokens: first token {1000 * first:>5.1f}, then {then:>4.1f} each")


if __name__ == "__main__":
    main()
