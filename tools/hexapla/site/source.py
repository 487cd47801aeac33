"""A page for each snippet shown on the site: its whole source, every line with an address."""

from html import escape
from string import Template

from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import get_lexer_for_filename
from pygments.util import ClassNotFound

PAGE = Template("""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width,initial-scale=1">
<meta name="robots" content="noindex">
<title>$title</title>
<link rel="stylesheet" href="$root/assets/hexapla/source.css">
</head>
<body>
<main>
<h1>$title</h1>
$code
</main>
</body>
</html>
""")


def url(path: str) -> str:
    """The address of a snippet's page, from the site's root."""
    return f"source/{path}.html"


def render(path: str, text: str) -> str:
    """The page of the snippet `path`; line 12 is `#L-12`."""
    formatter = HtmlFormatter(linespans="L")
    try:
        code = highlight(text, get_lexer_for_filename(path), formatter)
    except ClassNotFound:
        code = f"<pre>{escape(text)}</pre>"
    root = "/".join([".."] * url(path).count("/"))
    return PAGE.substitute(title=escape(path), code=code, root=root)
