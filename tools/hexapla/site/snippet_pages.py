"""What the site has of each snippet beside the pages: its whole source, every line with an address, and a notebook."""

from collections.abc import Iterator
from html import escape
from string import Template

from hexapla.examples import notebook
from hexapla.examples.evidence import Status
from hexapla.site.sources import Tree

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


def notebook_url(path: str) -> str:
    """The address of a snippet's notebook, from the site's root."""
    return f"notebooks/{path.removesuffix('.py')}.ipynb"


def files(tree: Tree) -> Iterator[tuple[str, bytes]]:
    """Address and content of every file; notebooks are kept, and made again where a snippet has changed."""
    techniques = set(tree.snippets.names())
    kept = tree.project.root / ".hexapla" / "notebooks"
    for path in sorted(tree.included | techniques):
        yield url(path), render(path, tree.snippets.read(path)).encode()
    for path in sorted(techniques):
        runs = [evidence.runs[path] for evidence in tree.evidence if path in evidence.runs]
        versions = next((run.versions for run in runs if run.status is Status.RAN), {})
        yield notebook_url(path), notebook.cached(kept, tree.snippets, path, versions)


def render(path: str, text: str) -> str:
    """The page of the snippet `path`; line 12 is `#L-12`."""
    lines = (f'<span id="L-{number}">{escape(line)}\n</span>' for number, line in enumerate(text.splitlines(), 1))
    root = "/".join([".."] * url(path).count("/"))
    return PAGE.substitute(title=escape(path), code=f"<pre>{''.join(lines)}</pre>", root=root)
