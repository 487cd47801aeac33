"""Which pages translators come to first: what readers miss most, and what no open pull request changes."""

import csv
import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from io import StringIO
from operator import itemgetter
from pathlib import Path

from hexapla.config.layout import Layout
from hexapla.errors import ConfigError
from hexapla.translation.status.section_states import OpenPullRequest, PageStatus
from hexapla.yaml_text import texts_in

PullRequests = dict[str, tuple[OpenPullRequest, ...]]  # by the path of a file, from the root of its repository


def rank_pages(layout: Layout, views: Path | None = None) -> dict[str, float]:
    """The rank of each page by name, the smallest first, by a CSV of page views or the navigation."""
    if views and (counts := views_by_page(layout, views)):
        return {name: -count for name, count in counts.items()}
    suffix = layout.source_pattern.split("{page}")[1].replace("{lang}", layout.source)
    names = dict.fromkeys(path.removesuffix(suffix) for path in texts_in(layout.navigation))
    return {name: place for place, name in enumerate(names)}


def views_by_page(layout: Layout, file: Path) -> dict[str, int]:
    """Views by page or its address, all languages' together, from a CSV. Raises ConfigError."""
    try:
        text = file.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        why = getattr(error, "strerror", None) or error
        raise ConfigError(f"--views {file}: {why}; name a CSV in UTF-8") from error
    found: dict[str, int] = {}
    for number, row in enumerate(csv.reader(StringIO(text)), 1):
        if not row or (number == 1 and not row[-1].strip().isdecimal()):
            continue  # an empty line, the header
        if len(row) < 2 or not row[1].strip().isdecimal():
            raise ConfigError(f"--views, line {number}: {','.join(row)!r} is no page and number; write `page,views`")
        name = page_name(row[0].strip(), (layout.source, *layout.languages))
        found[name] = found.get(name, 0) + int(row[1])
    return found


def page_name(address: str, languages: Iterable[str]) -> str:
    """A page's name from a path, an address or the name itself."""
    path = re.sub(r"^https?://[^/]+", "", address).partition("?")[0].partition("#")[0].strip("/")
    path = re.sub(r"(?:/?index)?\.html?$|\.mdx?$", "", path)
    first, _, rest = path.partition("/")
    return (rest if first in set(languages) else path) or "index"



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
