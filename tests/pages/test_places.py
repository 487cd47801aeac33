"""Where the things of a page stand: the situations of tests/cases/pages."""

import pytest
from hexapla.pages.dialects import make_dialect
from hexapla.pages.reader import read

from tests.cases import cases

DIALECT = make_dialect("", None)


@pytest.mark.parametrize("case", cases("pages"))
def test_a_record_says_where_it_stands(case):
    page = read(case["text"], DIALECT)
    assert [[block.line, block.column, block.text] for block in page.blocks] == case["blocks"]
    for kind in ("codes", "links", "lists", "tables", "admonitions"):
        assert [[one.line, one.column] for one in getattr(page, kind)] == case.get(kind, []), kind
