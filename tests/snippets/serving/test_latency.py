"""The streamer is called with the prompt and then once per token, so the first interval is the time to first token."""

from itertools import count

import pytest
from _serving import prompts, tiny_model

from snippets.serving import latency as snippet

pytestmark = pytest.mark.measures


def test_a_tick_per_token_and_the_first_is_the_prompt() -> None:
    clock = snippet.Clock(count().__next__)
    tiny_model().generate(**prompts(9), max_new_tokens=5, do_sample=False, streamer=clock)
    assert clock.times == list(range(1 + 5))


def test_the_first_token_is_measured_from_the_call_and_the_rest_from_each_other() -> None:
    ticks = iter([10.0, 11.0, 15.0, 16.0, 18.0])  # The call, the prompt, and three tokens.
    first, between = snippet.latencies(tiny_model(), prompts(9), new_tokens=3, timer=ticks.__next__)
    assert (first, between) == (5.0, [1.0, 2.0])
