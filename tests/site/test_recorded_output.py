"""What a program printed is shown as text, as a table or as a picture, and none of it is the page's own HTML."""

import pytest
from hexapla.site.page.recorded_output import show_output

from tests.cases import cases


@pytest.mark.parametrize("case", cases("site/outputs"))
def test_case(case):
    assert show_output(case["output"], "Output") == case["shown"]
