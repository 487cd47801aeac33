"""The load test asks every prompt, and computes its figures from the times of the tokens."""

import threading
from pathlib import Path
from statistics import mean

import pytest
from _small_server import small_server

from snippets.recipes import loadtest as snippet


def options(url: str, *more: str) -> object:
    return snippet.read_options(["--url", url, "--model", "small", "--requests", "20", "--tokens", "5", *more])


def test_every_prompt_is_answered_and_counted(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "prompts").write_text("one\n\ntwo\n", "utf-8")
    with small_server() as url:
        answers = snippet.run(options(url, "--prompts", str(tmp_path / "prompts")))
    assert [len(answer.pieces) for answer in answers] == [5] * 20  # The first line, without text, is no piece.
    assert all(answer.start <= answer.pieces[0] for answer in answers)
    assert [line.split(":")[0] for line in capsys.readouterr().out.splitlines()[2:]] == ["to_first", "per_token"]


@pytest.mark.parametrize("field", ["content", "reasoning_content", "reasoning"])
def test_tokens_are_those_that_the_server_counts(field: str, capsys: pytest.CaptureFixture[str]) -> None:
    with small_server(step=3, field=field) as url:
        answers = snippet.run(options(url, "--tokens", "9"))
    assert [(len(answer.pieces), answer.tokens) for answer in answers] == [(3, 9)] * 20
    assert "tokens/s, counted by the server" in capsys.readouterr().out


def test_without_a_count_each_piece_is_taken_for_a_token(capsys: pytest.CaptureFixture[str]) -> None:
    with small_server(step=3, counts=False) as url:
        answers = snippet.run(options(url, "--tokens", "9"))
    assert [answer.tokens for answer in answers] == [3] * 20
    assert "tokens/s, if each piece is one" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("usage", "tokens", "how"), [(None, 11, "if each piece is one"), (21, 21, "counted by the server")]
)
def test_the_figures_are_those_of_the_times(usage: int | None, tokens: int, how: str) -> None:
    """Twenty answers in four seconds, each after half a second, with a piece every tenth of a second."""
    answers = [snippet.Answer(n / 10, tuple(n / 10 + 0.5 + k / 10 for k in range(11)), usage) for n in range(20)]
    requests, rate, first, per_token = snippet.summarize(answers)
    assert requests == f"{20 / 3.4:.2f} requests/s" and rate == f"{20 * tokens / 3.4:.0f} tokens/s, {how}"
    assert first == "to_first: 500.0 ms, 5% above 500.0 ms"
    each = 1000 / (tokens - 1)
    assert per_token == f"per_token: {each:.1f} ms, 5% above {each:.1f} ms"


def at_once(monkeypatch: pytest.MonkeyPatch, *more: str) -> tuple[int, list[float]]:
    """The most of 20 requests that are asked at the same time, if no answer comes; the seconds between them."""
    asked, waited, ended = [], [], threading.Event()

    def ask(*_: object) -> snippet.Answer:
        asked.append(1)
        ended.wait(0.3)
        most.append(len(asked))
        return snippet.Answer(0, (0.1, 0.2), 2)

    most: list[int] = []
    monkeypatch.setattr(snippet, "ask", ask)
    monkeypatch.setattr(snippet.time, "sleep", waited.append)
    snippet.run(options("http://127.0.0.1:9/v1", *more))
    return most[0], waited


def test_users_wait_for_their_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    most, waited = at_once(monkeypatch, "--users", "2")
    assert most == 2 and set(waited) == {0}


def test_at_a_rate_requests_come_whether_or_not_answers_do(monkeypatch: pytest.MonkeyPatch) -> None:
    most, waited = at_once(monkeypatch, "--users", "2", "--rate", "50")
    assert most == 20
    assert mean(waited) == pytest.approx(1 / 50, rel=0.5) and len(set(waited)) == 20


def test_a_percentile_of_one_request_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match="2"):
        options("http://127.0.0.1:9/v1", "--requests", "1")
    assert "--requests: percentiles need at least 2" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (["--model", "another"], "http://127.0.0.1:.*: HTTP Error 404: no such model"),
        (["--tokens", "0"], "an answer without text"),
        (["--url", "http://127.0.0.1:9/v1"], "http://127.0.0.1:9/v1: .*Connection refused"),
    ],
)
def test_what_goes_wrong_is_one_sentence(more: list[str], said: str) -> None:
    with small_server() as url, pytest.raises(SystemExit, match=said) as raised:
        snippet.run(options(url, *more))
    assert "\n" not in str(raised.value)
