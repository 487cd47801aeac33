"""Where the glossary's words come from."""

from urllib.parse import urlsplit

import pytest

from tests.guide.guide import DERIVED, SOURCE, TERMS, WRITTEN

# Terms whose rendering was found on no page of others. Whoever finds one takes the term out here.
UNSOURCED = {
    "static cache", "all-reduce", "column-wise parallel", "eager mode", "fused attention", "fused loss", "packing",
    "Pareto front", "prefill", "row-wise parallel", "tile quantization",
}
TRANSLATED = [term for term in TERMS if not term.keep]


def test_every_translated_term_has_a_page_that_uses_it_so():
    assert {term.term for term in TRANSLATED if not term.sources} == UNSOURCED


@pytest.mark.parametrize("term", TERMS, ids=lambda term: term.term)
def test_a_source_is_a_page_for_a_language_that_the_guide_has(term):
    assert set(term.sources) <= {*WRITTEN, *DERIVED} - {SOURCE}
    for address in term.sources.values():
        assert urlsplit(address).scheme == "https" and urlsplit(address).path.strip("/")
