"""From the front page the right section is two clicks away: a page, then a section of it."""

from pathlib import Path

import pytest
import yaml

TASKS = yaml.safe_load((Path(__file__).parents[1] / "cases/guide/tasks.yml").read_text(encoding="utf-8"))
LANGUAGES = {"en": "/", "zh": "/zh/", "zh-Hant": "/zh-Hant/", "ja": "/ja/"}
IN_VIEW = """id => {
    const heading = document.getElementById(id).getBoundingClientRect()
    const header = document.querySelector(".md-header").getBoundingClientRect()
    return heading.top >= header.bottom && heading.bottom <= window.innerHeight
}"""


@pytest.mark.parametrize(("quarter", "language"), list(enumerate(LANGUAGES)))
def test_two_clicks_lead_to_the_section(visit, site_url, quarter, language):
    front = LANGUAGES[language]
    page = visit(front)
    walked = TASKS[quarter::4]  # each task in one language; that every language has the links, tests/guide sees
    assert len(walked) >= 8
    goals = [task["goal"].partition(".md#")[::2] for task in walked]
    first = {}
    for name, _ in goals:
        link = page.locator(f'article a[href^="{name}/"] >> visible=true').first
        link.click(trial=True)  # it can be clicked; where it leads is opened below
        first[name] = link.evaluate("link => link.href")
    for task, (name, section) in zip(walked, goals, strict=True):
        page.goto(first[name], wait_until="domcontentloaded")
        page.locator(f'.md-sidebar--secondary a[href="#{section}"]').click()
        page.wait_for_function(IN_VIEW, arg=section)
        assert page.url == f"{site_url}{front}{name}/#{section}", task["task"]
        assert page.locator(f'article [id="{section}"]').evaluate("at => at.closest('[lang]').lang") == language
