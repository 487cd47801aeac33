"""The same requests under four schedulers, by the law: when each prompt is read, and when each token is generated."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from bill import MODEL, cached
from exercises import H100
from forecast import NVLINK, mixed_batch
from law import seconds

PROMPT, ANSWERS = 2048, (16, 40, 10, 12, 28, 20)  # tokens of each prompt, and of the requests' answers
SLOTS, CHUNK = 3, 256  # requests at once, tokens of a step with chunked prefill
PROMPTS = "prompts"  # the row of the GPU that only reads prompts


@dataclass
class Request:
    number: int
    answer: int  # tokens
    read: int = 0  # of its prompt
    ready: float = 0  # seconds until it may have a slot
    times: list[float] = field(default_factory=list)  # in seconds, of its tokens

    @property
    def unread(self) -> int:
        return PROMPT - self.read

    @property
    def done(self) -> bool:
        return len(self.times) == self.answer


class Span(NamedTuple):
    """What a slot does from when to when, in seconds: its prompt is read, it gets tokens, or waits for a prompt."""

    row: str
    request: int
    kind: str
    start: float
    end: float
    tokens: int = 0


def step_time(reads: list[tuple[int, int]], contexts: list[int]) -> float:
    """Seconds of a step: of prompts, so many tokens after those already read; a token for each context."""
    read, batch = sum(count for _, count in reads), len(contexts)
    seen = sum(count * (start + count / 2) for start, count in reads) / max(read, 1)
    works = mixed_batch(MODEL, batch, sum(contexts) / max(batch, 1), read, seen, 2, 2)
    return sum(seconds(work, H100) for work in works)


def planned(slots: list[Request], chunk: int) -> tuple[dict[int, int], list[Request]]:
    """For the next step the tokens read of each prompt, and who gets a token; without chunks a prompt stops these."""
    decoding = [each for each in slots if not each.unread and not each.done]
    unread = sorted((each for each in slots if each.unread), key=lambda each: each.number)
    if not chunk:
        return {each.number: each.unread for each in unread}, [] if unread else decoding
    room, reads = chunk - len(decoding), {}
    for each in unread:
        reads[each.number] = min(each.unread, room)
        room -= reads[each.number]
    return reads, decoding


def schedule(waiting: list[Request], static: bool = False, chunk: int = 0) -> Iterator[Span]:
    """What each slot does, step by step. In a static batch, a request keeps its slot until all are done."""
    slots: dict[int, Request] = {}
    now = 0.0
    while waiting or slots:
        if not slots:
            now = max(now, waiting[0].ready)
        if not (static and slots):
            for slot in range(SLOTS):
                if slot not in slots and waiting and waiting[0].ready <= now:
                    slots[slot] = waiting.pop(0)
        reads, decoding = planned([*slots.values()], chunk)
        taken = step_time(
            [(each.read, reads[each.number]) for each in slots.values() if each.number in reads],
            [PROMPT + len(each.times) for each in decoding],
        )
        for slot, each in slots.items():
            if each.done:
                continue
            read, generates = reads.get(each.number, 0), each in decoding
            if read or each.times:
                kind = "prompt" if read else "tokens" if generates else "waits"
                yield Span(f"slot {slot + 1}", each.number, kind, now, now + taken, int(generates))
            each.read += read
            if generates or (read and not each.unread):  # a prompt ends with the first token
                each.times.append(now + taken)
        now += taken
        if not static or all(each.done for each in slots.values()):
            slots = {slot: each for slot, each in slots.items() if not each.done}


def separate(waiting: list[Request]) -> Iterator[Span]:
    """One GPU reads the prompts one after the other and sends each cache to another one, which decodes."""
    now = 0.0
    for each in waiting:
        start, now = now, now + step_time([(0, PROMPT)], [])
        yield Span(PROMPTS, each.number, "prompt", start, now)
        each.read, each.ready = PROMPT, now + cached(PROMPT) / NVLINK.bandwidth
        each.times.append(now)
    yield from schedule(waiting)


def merged(spans: Iterator[Span]) -> list[Span]:
    """Steps in a row of one kind and request as one span, if they take equally long."""
    found: list[Span] = []
    last: dict[str, tuple[int, float]] = {}
    for span in spans:
        place, taken = last.get(span.row, (-1, 0))
        before = found[place] if place >= 0 else span
        alike = (before.request, before.kind, before.end) == (span.request, span.kind, span.start)
        same_pace = span.kind != "tokens" or abs(span.end - span.start - taken) < 1e-4
        if alike and same_pace:
            found[place] = before._replace(end=span.end, tokens=before.tokens + span.tokens)
        else:
            found.append(span)
            place = len(found) - 1
        last[span.row] = place, span.end - span.start
    return found


def compared() -> dict[str, tuple[list[Request], list[Span]]]:
    """The requests when all are done, and what the slots did, under each scheduler."""
    found = {}
    for name, run in {
        "static": lambda all_of: schedule(all_of, static=True),
        "continuous": schedule,
        "chunked": lambda all_of: schedule(all_of, chunk=CHUNK),
        "separate": separate,
    }.items():
        served = [Request(number, answer) for number, answer in enumerate(ANSWERS, 1)]
        found[name] = served, merged(run([*served]))
    return found


def longest_gap(served: list[Request]) -> float:
    """Seconds between two tokens of one request, at most."""
    return max(after - before for each in served for before, after in zip(each.times, each.times[1:], strict=False))


def main() -> None:
    print(f"{len(ANSWERS)} requests with prompts of {PROMPT:,} tokens to an 8B model, {SLOTS} at once, on an H100:")
    for name, (served, spans) in compared().items():
        end = max(each.times[-1] for each in served)
        first = sum(each.times[0] for each in served) / len(served)
        print(f"  {name}: last token {1000 * end:.0f} ms, first token {1000 * first:.0f} ms on average, "
              f"longest gap {1000 * longest_gap(served):.1f} ms")
        for row in sorted({span.row for span in spans}):
            print(f"    {row}: " + ", ".join(
                f"{span.kind} {span.request} {1000 * span.start:.1f} {1000 * span.end:.1f} {span.tokens}"
                for span in spans if span.row == row
            ))


if __name__ == "__main__":
    main()
