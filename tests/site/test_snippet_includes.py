"""A block may show several parts of a snippet, such as its imports and a function: one note stands below them."""

import re
from dataclasses import replace
from types import SimpleNamespace

import pytest
from hexapla.checks.rules.evidence import undescribed_pictures
from hexapla.examples.client import PNG_END, PNG_START, text_of
from hexapla.examples.evidence import Run, RunState, Status
from hexapla.pages import parse
from hexapla.pages.lines import read
from hexapla.site.page.page_inputs import SiteInputs
from hexapla.site.page.page_markdown import MarkdownPage, note_lines
from hexapla.site.page.snippet_evidence import EvidenceState, SnippetEvidence
from hexapla.site.page.snippet_includes import PLACEHOLDER, expand_includes, make_note
from hexapla.site.page.snippet_pages import NO_LINKS, SnippetLinks
from selectolax.lexbor import LexborHTMLParser as HTMLParser

SOURCE = """\
# --8<-- [start:imports]
import math
# --8<-- [end:imports]
import sys


# --8<-- [start:area]
def area(radius):
    return math.pi * radius**2
# --8<-- [end:area]
"""
TWO_PARTS = '--8<-- "demo/area.py:imports"\n\n--8<-- "demo/area.py:area"\n'
TWO_FILES = '--8<-- "demo/area.py:imports"\n--8<-- "demo/other.py:area"\n'


IN_PLACE = """\
``` { .python run="add" }
total = 3
```

- shown in two parts

    ``` { .python run="add" }
    print(total)
    ```

``` { .python run="other" }
print(total)
```
"""


def expanded(block):
    return expand(f"```python\n{block}```\n")


def expand(text):
    sources = SimpleNamespace(snippets=SimpleNamespace(name=lambda path: path))
    known = {SiteInputs.code: SOURCE, SiteInputs.runs_block: True}
    inputs = SimpleNamespace(
        read=lambda method, path, *_: path != "guide/start#other.py" and known[method],
        site=SimpleNamespace(sources=sources),
    )
    return expand_includes([*read(f"# Title {{#title}}\n\n{text}")], inputs, "en", "guide/start.md")


def test_the_parts_of_a_file_in_a_block_have_one_note_from_the_first_line_to_the_last():
    text, included = expanded(TWO_PARTS)
    assert "import math\n\ndef area(radius):" in text
    assert "sys" not in text
    assert [(each.excerpt.first, each.excerpt.last, each.last) for each in included] == [(1, 6, True)]
    assert [text.count(PLACEHOLDER.format(number=number)) for number in (0, 1)] == [1, 0]


def test_two_files_in_a_block_have_a_note_each():
    text, included = expanded(TWO_FILES)
    assert [each.include.path for each in included] == ["demo/area.py", "demo/other.py"]
    assert all(text.count(PLACEHOLDER.format(number=number)) == 1 for number in range(2))


@pytest.mark.parametrize("block", [TWO_PARTS, TWO_FILES])
def test_every_note_has_its_place(block):
    text, included = expanded(block)
    assert all(PLACEHOLDER.format(number=number) in text for number in range(len(included)))


def test_a_program_in_the_page_has_a_note_below_each_part_and_its_output_below_the_last():
    text, included = expand(IN_PLACE)
    assert [(each.include.path, each.last) for each in included] == [
        ("guide/start#add.py", False), ("guide/start#add.py", True)]
    assert [text.partition(PLACEHOLDER.format(number=number))[0].count("```") for number in (0, 1)] == [2, 4]
    assert f"\n    {PLACEHOLDER.format(number=1)}" in text


@pytest.mark.parametrize(("path", "links", "shown"), [
    ("demo/area.yml", SnippetLinks("source.html", "area.ipynb", "area.py", "colab"), [["source.html?last=6#L-1"]]),
    ("demo/area.py", SnippetLinks("source.html", "area.ipynb", "area.py", "colab"),
     [["source.html?last=6#L-1", "area.ipynb", "colab"]]),
    ("guide/start#add.py", NO_LINKS, []),
])
def test_a_note_without_runs_has_its_source_and_only_a_program_its_notebook(path, links, shown):
    _, (included,) = expanded(TWO_PARTS)
    included = replace(included, include=included.include._replace(path=path))
    note = HTMLParser(make_note(included, SnippetEvidence(path, (), (), False, None), "en", links))
    found = [[link.attributes["href"] for link in line.css("a")] for line in note.css(".hx-run__source")]
    assert found == shown


@pytest.mark.parametrize("opening", ['{ .python run="add" alt="Loss &amp; \'steps\'" }', "{ .python alt=Loss }"])
def test_a_png_that_was_printed_is_shown_with_the_words_of_its_block(opening):
    name = "area.py" if "run" not in opening else "guide/start#add.py"
    body = '--8<-- "area.py:imports"' if name == "area.py" else "print()"
    output = "".join(text_of(b"peak\n" + PNG_START + b"\xff\n" + PNG_END + b"after\n"))
    run = Run(Status.RAN, "", "2026-11-27", 0.0, 0, {}, output)
    evidence = SnippetEvidence(name, (EvidenceState(RunState.RAN, "CPU", run, "cpu", "CPU"),), (), True, None)
    page = f"``` {opening}\n{body}\n```\n"
    _, (included,) = expand(page)
    shown = make_note(included, evidence, "en", NO_LINKS)
    assert 'base64,iVBORw0KGgoAAAANSUhEUv8KAAAAAElFTkSuQmCC" alt="Loss' in shown
    assert "after" in shown
    described = MarkdownPage("", "", "", "", "", "en", "en", name, False, {}, "")
    told = "\n".join(note_lines(included, evidence, described))
    assert "[PNG sha256_" in told
    assert "base64" not in told
    silent = re.sub(" alt=[^}]*", " ", page)
    found = [[each.subject for each in undescribed_pictures(parse(text), "guide/start.md", {name}.__contains__)]
             for text in (page, silent, f"{silent}\n{page}", f"{page}\n{silent}")]
    assert found == [[], [name], [], [name]]


@pytest.mark.parametrize(("gpu", "badge"), [
    (None, ["hx-run__partly ran on CPU without the part that needs CUDA"]),
    (RunState.RAN, ["hx-run__partly ran on CPU without the part that needs CUDA",
                    "hx-run__ran Ran on NVIDIA GPU, 2026-11-27"]),
])
def test_a_badge_says_what_the_part_needs_that_was_left_out(gpu, badge):
    left = Run(Status.RAN, "", "2026-11-27", 0.0, 0, {}, "No snapshot: it needs CUDA, and PyTorch finds none here")
    states = [EvidenceState(RunState.PARTLY, "EPYC", left, "cpu", "CPU")]
    states += [EvidenceState(gpu, "H100", left._replace(output="3"), "gpu", "NVIDIA GPU")] if gpu else []
    evidence = SnippetEvidence("demo/area.py", tuple(states), (), True, None)
    _, (included,) = expanded('--8<-- "demo/area.py:area"\n')
    note = HTMLParser(make_note(included, evidence, "en", NO_LINKS))
    spans = note.css("summary span")
    assert [f"{each.attributes['class']} {each.text()}" for each in spans] == badge
    assert "it needs CUDA" in note.css_first(".hx-run__output").text()
