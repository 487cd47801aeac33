"""What the head of a page says of the other languages."""

import pytest
from hexapla.site.page.alternate_links import without_relative_alternates
from mkdocs.exceptions import PluginError

KEPT = '<link rel="alternate" href="https://demo.example/zh/" hreflang="zh">\n<link rel="icon" href="a.svg">'


def test_relative_links_are_taken_out_and_absolute_ones_stay():
    head = f'<meta charset="utf-8">{KEPT}\n  <link rel="alternate" href="../zh/" hreflang="zh">'
    assert without_relative_alternates(head) == f'<meta charset="utf-8">{KEPT}'


@pytest.mark.parametrize("link", [
    '<link href="../zh/" hreflang="zh" rel="alternate">',
    "<link rel=alternate href=../zh/ hreflang=zh>",
    '<link rel="alternate" href="../zh/" hreflang="zh" title="中文">',
])
def test_a_relative_link_in_another_form_is_an_error(link):
    with pytest.raises(PluginError, match="cannot take out of the page's head"):
        without_relative_alternates(KEPT + link)
