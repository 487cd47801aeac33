"""An exercise's answer is computed: it has a figure out of the evidence; a table of published runs has its sources."""

import re

import pytest
import yaml

from tests.guide.guide import ROOT, SOURCES, WRITTEN

CHAPTERS = ("roofline.md", "communication.md", "sharding.md", "model_memory_anatomy.md")
EXERCISE = re.compile(r'^\?\?\? question "(?P<title>.*)"\n(?P<answer>(?: {4}.*\n|\n)+)', re.MULTILINE)
PUBLISHED = yaml.safe_load((ROOT / "snippets/roofline/published.yml").read_text("utf-8"))


@pytest.mark.parametrize("language", WRITTEN)
@pytest.mark.parametrize("chapter", CHAPTERS)
def test_a_chapter_has_eight_to_twelve_exercises(chapter: str, language: str) -> None:
    assert 8 <= len(EXERCISE.findall(SOURCES.pages[language, chapter].text + "\n")) <= 12


@pytest.mark.parametrize("language", WRITTEN)
@pytest.mark.parametrize("page", (*CHAPTERS, "perf_infer_gpu_many.md", "serving.md"))
def test_the_answers_to_exercises_are_computed(page: str, language: str) -> None:
    exercises = EXERCISE.findall(SOURCES.pages[language, page].text + "\n")
    assert exercises and [title for title, answer in exercises if "`{evidence" not in answer] == []


@pytest.mark.parametrize("language", WRITTEN)
def test_the_page_of_published_runs_has_each_run_and_each_source(language: str) -> None:
    text = SOURCES.pages[language, "published.md"].text
    assert [name for name in PUBLISHED["runs"] if f"roofline/published > {name} > share" not in text] == []
    assert [source["url"] for source in PUBLISHED["sources"].values() if source["url"] not in text] == []
    assert str(PUBLISHED["read"]) in text
