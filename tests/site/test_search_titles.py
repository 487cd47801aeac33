"""The title of every page finds that page first, in every language; so does what readers call it."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.site.test_search import ASK

if TYPE_CHECKING:
    from playwright.sync_api import Page

FOLDERS = {"en": "", "zh": "zh/", "zh-Hant": "zh-Hant/", "ja": "ja/"}
NAMES = {"oom": "out_of_memory/", "vllm": "engines/", "SGLang": "engines/"}


def find_first(visit: "Callable[[str], Page]", language: str, queries: list[str]) -> list[str]:
    """The address of the page that each query finds first, "" for none."""
    asked = [f"assets/hexapla/search-worker.js?index=../../{FOLDERS[language]}search/index.json", queries]
    answers = visit("/").evaluate(ASK, asked)
    return [answer[0][0]["location"].partition("#")[0] if answer else "" for answer in answers]


@pytest.mark.parametrize("language", FOLDERS)
def test_each_title_finds_its_page_first(language: str, built_site: Path, visit: "Callable[[str], Page]") -> None:
    index = f"{FOLDERS[language]}search/index.json"
    pages = json.loads((built_site / index).read_text("utf-8"))["pages"]
    first = find_first(visit, language, [title for _, title, _ in pages])
    titles: dict[str, set[str]] = {}  # two pages may have one
    for url, title, _ in pages:
        titles.setdefault(title, set()).add(url)
    assert len(pages) > 40
    assert not [title for (_, title, _), url in zip(pages, first, strict=True) if url not in titles[title]]


@pytest.mark.parametrize("language", FOLDERS)
def test_what_a_page_is_called_finds_it_first(language: str, visit: "Callable[[str], Page]") -> None:
    assert find_first(visit, language, [*NAMES]) == [FOLDERS[language] + page for page in NAMES.values()]
