"""A load test for any server with OpenAI's interface: requests per second, time to first token, time per token."""

import sys
from contextlib import redirect_stdout
from io import StringIO

from _small_server import small_server

# isort: split
# --8<-- [start:client]
import argparse
import json
import random
import time
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from statistics import quantiles


@dataclass(frozen=True)
class Answer:
    start: float
    pieces: tuple[float, ...]  # when each piece of the answer came
    usage: int | None  # tokens, if the server counts them

    @property
    def tokens(self):
        return self.usage or len(self.pieces)

    @property
    def to_first(self):
        return self.pieces[0] - self.start

    @property
    def per_token(self):
        later = max(self.tokens - 1, 1)
        return (self.pieces[-1] - self.pieces[0]) / later


# A model that reasons sends its thoughts first.
TEXTS = ("content", "reasoning_content", "reasoning")


# The server sends a line for each piece: data: {"choices": [...]}
def ask(url, model, prompt, most):
    messages = [{"role": "user", "content": prompt}]
    body = {"model": model, "messages": messages, "stream": True}
    body |= {"max_tokens": most, "temperature": 0}
    body |= {"stream_options": {"include_usage": True}}
    request = urllib.request.Request(
        f"{url}/chat/completions",
        json.dumps(body).encode(),
        {"Content-Type": "application/json"},
    )
    start, pieces, usage = time.perf_counter(), [], None
    with urllib.request.urlopen(request, timeout=600) as lines:
        for line in lines:
            if not line.startswith(b"data:") or b"[DONE]" in line[:13]:
                continue  # Comments may keep the connection open.
            event = json.loads(line.removeprefix(b"data:"))
            for choice in event.get("choices", []):
                if any(map(choice.get("delta", {}).get, TEXTS)):
                    pieces.append(time.perf_counter())
            counts = event.get("usage") or {}
            usage = counts.get("completion_tokens", usage)
    if not pieces:
        raise ValueError("an answer without text")
    return Answer(start, tuple(pieces), usage)
# --8<-- [end:client]


# --8<-- [start:load]
# At a rate, requests come at random times, even if the server is busy.
# Otherwise each user asks again as soon as the answer is there.
def load(url, model, prompts, users, most, rate):
    arrivals, jobs = random.Random(0), []
    with ThreadPoolExecutor(len(prompts) if rate else users) as pool:
        try:
            for prompt in prompts:
                jobs.append(pool.submit(ask, url, model, prompt, most))
                time.sleep(arrivals.expovariate(rate) if rate else 0)
            return [job.result() for job in jobs]
        except (OSError, ValueError) as error:
            pool.shutdown(cancel_futures=True)
            raise SystemExit(f"{url}: {error}") from None


def summarize(answers):
    start = min(answer.start for answer in answers)
    seconds = max(answer.pieces[-1] for answer in answers) - start
    tokens = sum(answer.tokens for answer in answers)
    counted = all(answer.usage for answer in answers)
    how = "counted by the server" if counted else "if each piece is one"
    yield f"{len(answers) / seconds:.2f} requests/s"
    yield f"{tokens / seconds:.0f} tokens/s, {how}"
    for name in ("to_first", "per_token"):
        cuts = quantiles([getattr(a, name) for a in answers], n=20)
        middle, slow = 1000 * cuts[9], 1000 * cuts[18]
        yield f"{name}: {middle:.1f} ms, 5% above {slow:.1f} ms"
# --8<-- [end:load]


# --8<-- [start:run]
def read_options(arguments):
    parser = argparse.ArgumentParser(description=__doc__)
    add = parser.add_argument
    add("--url", default="http://localhost:8000/v1")
    add("--model", required=True, help="the name that the server gives it")
    add("--prompts", help="a file with one prompt in each line")
    add("--words", type=int, default=500, help="without a file")
    add("--requests", type=int, default=100)
    add("--users", type=int, default=8, help="requests at the same time")
    add("--rate", type=float, help="requests per second, however many run")
    add("--tokens", type=int, default=128, help="most tokens of an answer")
    options = parser.parse_args(arguments)
    if options.requests < 2:
        parser.error("--requests: percentiles need at least 2")
    return options


def run(options):
    if options.prompts:
        lines = Path(options.prompts).read_text("utf-8").splitlines()
        prompts = [line for line in lines if line.strip()]
    else:  # Each begins otherwise, or a prefix cache would answer.
        words = " ".join(["word"] * options.words)
        prompts = [f"{n} {words}" for n in range(options.requests)]
    prompts = (prompts * options.requests)[: options.requests]
    answers = load(
        options.url,
        options.model,
        prompts,
        options.users,
        options.tokens,
        options.rate,
    )
    print("\n".join(summarize(answers)))
    return answers
# --8<-- [end:run]


def main() -> None:
    if len(sys.argv) > 1:
        run(read_options(sys.argv[1:]))
        return
    with small_server(step=2) as url, redirect_stdout(StringIO()):  # What it prints are times.
        answers = run(read_options(["--url", url, "--model", "small", "--requests", "20", "--tokens", "5"]))
    print(f"{len(answers)} answers of {answers[0].tokens} tokens")


if __name__ == "__main__":
    main()
