"""The title of every page finds that page first, in every language."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.site.test_search import ASK

if TYPE_CHECKING:
    from playwright.sync_api import Page

FOLDERS = {"en": "", "zh": "zh/", "zh-Hant": "zh-Hant/", "ja": "ja/"}


@pytest.mark.parametrize("language", FOLDERS)
def test_each_title_finds_its_page_first(language: str, built_site: Path, visit: "Callable[[str], Page]") -> None:
    index = f"{FOLDERS[language]}search/index.json"
    pages = json.loads((built_site / index).read_text("utf-8"))["pages"]
    asked = [f"assets/hexapla/search-worker.js?index=../../{index}", [title for _, title, _ in pages]]
    answers = visit("/").evaluate(ASK, asked)
    first = [answer[0][0]["location"].partition("#")[0] if answer else "" for answer in answers]
    titles: dict[str, set[str]] = {}  # two pages may have one
    for url, title, _ in pages:
        titles.setdefault(title, set()).add(url)
    assert len(pages) > 40
    assert not [title for (_, title, _), url in zip(pages, first, strict=True) if url not in titles[title]]
