"""Which translations an open pull request changes: told by what `gh pr list --json number,title,files` printed."""

import json
from collections.abc import Iterable, Iterator
from dataclasses import replace
from operator import itemgetter
from pathlib import Path

from hexapla.config.layout import Layout
from hexapla.errors import ConfigError
from hexapla.translation.status.section_states import OpenPullRequest, PageStatus

PullRequests = dict[str, tuple[OpenPullRequest, ...]]  # by the path of a file, from the root of its repository


def read_pull_requests(file: Path) -> PullRequests:
    """The open pull requests by the files that they change. Raises ConfigError for what is not gh's."""
    found: dict[str, tuple[OpenPullRequest, ...]] = {}
    try:
        listed = json.loads(file.read_text("utf-8-sig"))
        for number, title, files in map(itemgetter("number", "title", "files"), listed):
            paths = dict.fromkeys(changed["path"] for changed in files)
            if type(number) is not int or number < 1 or not all(isinstance(text, str) for text in (title, *paths)):
                raise TypeError
            for path in paths:
                found[path] = (*found.get(path, ()), OpenPullRequest(number, " ".join(title.split())))
        return found
    except OSError as error:
        raise ConfigError(f"--pull-requests {file}: {error.strerror or error}; name a file of JSON") from error
    except (ValueError, TypeError, KeyError, RecursionError) as error:
        raise ConfigError(f"--pull-requests {file}: is not what `gh pr list --json number,title,files` prints; write "
                          "it by that command") from error


def with_pull_requests(layout: Layout, pages: Iterable[PageStatus], found: PullRequests) -> Iterator[PageStatus]:
    """The pages' status with the pull requests that change them or bring them."""
    prefix = layout.repository.prefix
    for page in pages:
        path = page.path or layout.path(page.language, page.page)
        yield replace(page, pull_requests=found.get(f"{prefix}{path}", ()))
