"""The title of a page is read off its first line where that is plain, in time that grows with the line."""

import pytest
from hexapla.site.serve.site_in_memory import plain_title

from tests.growth.growth import superlinear

TITLES = {
    "# Home\n": "Home", "# Home {#home}\n": "Home", "# 模型（上）：训练\n": None, "# 模型：训练\n": "模型：训练",
    "# A, b/c-d: e (f)\n": None, "# A, b/c-d: e!\n": "A, b/c-d: e!", '# Home {#home data-id="[[home]]"}\n': None,
    "# `code`\n": None, "---\ntitle: Named\n---\n# Home\n": "Named",
}


@pytest.mark.parametrize("text", TITLES)
def test_a_plain_title_is_that_of_the_first_line(text):
    assert plain_title(text, text, True)[0] == TITLES[text]


@pytest.mark.parametrize("word", ["a", "ab ", "页、"])
def test_a_title_that_is_not_plain_takes_time_by_its_length(word):
    def reading(count):
        line = f'# {word * count}a {{#home data-id="[[home]]"}}\n'
        return lambda: plain_title(line, line, True)

    assert superlinear(reading, 10_000) == ""
