"""A worker that hangs or is killed becomes an error in the training loop, with a message that tells which."""

import re
from collections.abc import Callable

import pytest

from snippets.hangs import loader as snippet


@pytest.mark.parametrize(
    ("cause", "said"),
    [
        (snippet.hang, "DataLoader timed out after 3 seconds"),
        (snippet.be_killed, r"DataLoader worker \(pid\(s\) \d+\) exited unexpectedly"),
        (lambda: None, "no error"),
    ],
)
def test_the_loop_is_told_what_happened_to_a_worker(cause: Callable[[], object], said: str) -> None:
    message = snippet.message(cause)
    assert re.match(said, message)
