"""No markup of a glossary reaches the site, and no address but one of the web."""

from pathlib import Path

import pytest
import yaml
from hexapla.config.project import Language
from hexapla.glossary import GlossaryError, parse
from hexapla.site.page.glossary_table import make_table
from markdown import markdown
from selectolax.lexbor import LexborHTMLParser

CASES = yaml.safe_load((Path(__file__).parents[1] / "cases/hostile/glossary.yml").read_text(encoding="utf-8"))


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
def test_a_glossary_gives_words_and_addresses_alone(case):
    entry = yaml.safe_dump([{"term": "batch", "zh": case.get("zh", "批次"), "sources": case["sources"]}])
    if case.get("refused"):
        with pytest.raises(GlossaryError, match="`sources` has no address"):
            parse(entry)
        return
    shown = make_table(parse(entry), [Language("en", "English"), Language("zh", "中文")], "en")
    page = LexborHTMLParser(markdown(shown, extensions=["tables"]))
    assert not page.css("script, code, b")
    assert [link.attributes["href"] for link in page.css("a")] == case["links"]


@pytest.mark.parametrize("place", [
    "javascript:alert(1).md#a", "//a.example/b.md#c", "https://a.example/b.md#c", "a](javascript:alert(1))[b.md#c",
    "../a.md#b", "a.md", "a.md#", [["a.md#b"]],
])
def test_an_explanation_is_a_section_below_the_languages_folder(place):
    with pytest.raises(GlossaryError, match="`explained` is no page and id"):
        parse(yaml.safe_dump([{"term": "batch", "explained": place}]))
