"""The doors of a front page, the grid of links by what a reader looks for, for a page that stands elsewhere."""

from urllib.parse import urljoin

from selectolax.lexbor import LexborHTMLParser


def find_doors(html: str, address: str) -> str:
    """The grids of doors in the HTML of the front page at an address, which then lead there from everywhere.

    >>> find_doors('<p>A</p><div class="hx-doors"><img src="../b.svg"><a href="c/#d">C</a></div>', "/ja/")
    '<div class="hx-doors"><img src="/b.svg"><a href="/ja/c/#d">C</a></div>'
    """
    tree = LexborHTMLParser(html)
    for name in ("href", "src"):
        for element in tree.css(f".hx-doors [{name}]"):
            element.attrs[name] = urljoin(address, element.attributes[name] or "")
    return "".join(each.html or "" for each in tree.css(".hx-doors"))
