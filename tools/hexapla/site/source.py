"""A page for each snippet shown on the site: its whole source, every line with an address."""

from html import escape
from string import Template

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
    lines = (f'<span id="L-{number}">{escape(line)}\n</span>' for number, line in enumerate(text.splitlines(), 1))
    root = "/".join([".."] * url(path).count("/"))
    return PAGE.substitute(title=escape(path), code=f"<pre>{''.join(lines)}</pre>", root=root)
