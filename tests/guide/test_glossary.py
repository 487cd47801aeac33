"""Where the glossary's words come from."""

from urllib.parse import urlsplit

from tests.guide.guide import DERIVED, SOURCE, TERMS, WRITTEN

# Terms whose rendering was found on no page of others. Whoever finds one takes the term out here.
UNSOURCED = {
    "static cache", "all-reduce", "column-wise parallel", "eager mode", "fused attention", "fused loss", "packing",
    "Pareto front", "prefill", "row-wise parallel", "tile quantization",
}
TRANSLATED = [term for term in TERMS if not term.keep]


def test_every_translated_term_has_a_page_that_uses_it_so():
    assert {term.term for term in TRANSLATED if not term.sources} == UNSOURCED


def is_page(address):
    """Whether an address is that of a page, and not of a whole site."""
    return urlsplit(address).scheme == "https" and urlsplit(address).path.strip("/")


def test_a_source_is_a_page_for_a_language_that_the_guide_has():
    languages = {*WRITTEN, *DERIVED} - {SOURCE}
    assert not [
        (term.term, language, address) for term in TERMS for language, address in term.sources.items()
        if language not in languages or not is_page(address)
    ]
