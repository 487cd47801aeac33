"""From the front page the right section is two clicks away: a page, then a section of it."""

import pytest
import yaml

from tests.guide.guide import PAGES, PROJECT, ROOT
from tests.guide.test_pages import targets

TASKS = yaml.safe_load((ROOT / "tests/cases/guide/tasks.yml").read_text(encoding="utf-8"))


@pytest.mark.parametrize("language", [language.code for language in PROJECT.languages])
def test_two_clicks_lead_to_the_section(language):
    linked = {target.partition("#")[0] for target in targets(PAGES[language, "index.md"])}
    lost = []
    for task in TASKS:
        file, _, section = task["goal"].partition("#")
        if file not in linked or section not in {heading.id for heading in PAGES[language, file].headings}:
            lost.append(f"{task['task']}: {task['goal']}")
    assert not lost
