"""Each scheduler answers every request, and waits where its definition says so."""

from itertools import pairwise

import pytest

from snippets.roofline import schedulers as snippet

COMPARED = snippet.compared()
TOKEN = 15.009316e9 / 3.35e12  # seconds in which the weights are read
PROMPT = 2048 * (2 * 6.979322e9 + 524_288 * 1024) / 989.4e12  # of a whole prompt


@pytest.mark.parametrize("name", COMPARED)
def test_each_request_gets_its_tokens_and_each_prompt_is_read(name: str) -> None:
    served, spans = COMPARED[name]
    assert [len(each.times) for each in served] == [*snippet.ANSWERS]
    tokens = {each.number: sum(span.tokens for span in spans if span.request == each.number) for each in served}
    assert [*tokens.values()] == [answer - 1 for answer in snippet.ANSWERS]  # the prompt gives the first one
    assert all(each.unread == 0 and each.times == sorted(each.times) for each in served)


@pytest.mark.parametrize("name", COMPARED)
def test_a_slot_does_one_thing_at_a_time(name: str) -> None:
    for row in {span.row for span in COMPARED[name][1]}:
        spans = [span for span in COMPARED[name][1] if span.row == row]
        assert all(before.end <= after.start + 1e-9 for before, after in pairwise(spans))


def test_a_step_takes_the_time_of_the_law() -> None:
    assert snippet.step_time([(0, 2048)], []) == pytest.approx(PROMPT, rel=1e-4)
    cache = 3 * 3000 * 131_072 / 3.35e12
    assert snippet.step_time([], [3000] * 3) == pytest.approx(TOKEN + cache, rel=1e-4)
    # A chunk below the ridge adds nothing to the products, only its attention inside the prompt.
    attention = 253 * 524_288 * (1792 + 126.5) / 989.4e12
    assert snippet.step_time([(1792, 253)], [3000] * 3) == pytest.approx(TOKEN + cache + attention, rel=1e-4)


def test_a_static_batch_waits_for_its_longest_answer() -> None:
    served, spans = COMPARED["static"]
    longest = served[1].times[-1]
    assert [span.start for span in spans if span.kind == "prompt" and span.request > 3] == [longest] * 3
    assert not [span for span in spans if span.kind == "waits"]


def test_a_whole_prompt_stops_the_others_and_a_chunk_does_not() -> None:
    waits = [span for span in COMPARED["continuous"][1] if span.kind == "waits"]
    assert waits and all(span.end - span.start == pytest.approx(PROMPT, rel=1e-4) for span in waits)
    assert snippet.longest_gap(COMPARED["continuous"][0]) > PROMPT
    assert not [span for span in COMPARED["chunked"][1] if span.kind == "waits"]
    assert snippet.longest_gap(COMPARED["chunked"][0]) < 1.1 * TOKEN


def test_a_chunk_leaves_room_for_the_tokens() -> None:
    slots = [snippet.Request(1, 9, read=2048, times=[0.0]), snippet.Request(2, 9), snippet.Request(3, 9, read=1900)]
    assert snippet.planned(slots, 256) == ({2: 255, 3: 0}, slots[:1])
    assert snippet.planned(slots, 0) == ({2: 2048, 3: 148}, [])
    assert snippet.planned([slots[0], slots[2]], 256) == ({3: 148}, slots[:1])


def test_another_gpu_reads_the_prompts_one_after_the_other() -> None:
    served, spans = COMPARED["separate"]
    read = [span for span in spans if span.row == snippet.PROMPTS]
    assert [each.times[0] for each in served] == pytest.approx([PROMPT * number for number in range(1, 7)], rel=1e-4)
    assert [span.request for span in read] == [1, 2, 3, 4, 5, 6]
    sent = 2048 * 131_072 / 450e9
    first = next(span for span in spans if span.row != snippet.PROMPTS)
    assert first.start == pytest.approx(read[0].end + sent)
    assert snippet.longest_gap(served) < 2 * 1.1 * TOKEN + sent  # a cache arrives during a step


def test_equal_steps_become_one_span() -> None:
    spans = [snippet.Span("slot 1", 1, "tokens", start, start + 1.0, 1) for start in (0.0, 1.0, 2.0)]
    slower = snippet.Span("slot 1", 1, "tokens", 3.0, 5.0, 1)
    assert snippet.merged(iter([*spans, slower])) == [snippet.Span("slot 1", 1, "tokens", 0.0, 3.0, 3), slower]
