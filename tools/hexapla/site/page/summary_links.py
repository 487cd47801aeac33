"""A line that folds holds no links: pressing it folds, and what it links to stands first below it."""

import re

SUMMARY = re.compile(r"(<summary\b[^<>]*>)(.*?)</summary>", re.S)
LINK = re.compile(r"<a\b[^<>]*>(.*?)</a>", re.S)


def lower_summary_links(html: str) -> str:
    """Rendered HTML with the links of each summary below it.

    >>> lower_summary_links('<summary>See <a href="x">this</a>?</summary>')
    '<summary>See this?</summary><p><a href="x">this</a></p>'
    """
    def lower(found: re.Match[str]) -> str:
        links = " · ".join(link[0] for link in LINK.finditer(found[2]))
        title = LINK.sub(r"\1", found[2])
        return f"{found[1]}{title}</summary><p>{links}</p>" if links else found[0]

    return SUMMARY.sub(lower, html) if "<summary" in html else html
