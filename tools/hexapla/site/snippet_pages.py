"""The files of each snippet in the site: its source as a page with an anchor per line, and its notebook."""

from collections.abc import Collection, Iterator
from html import escape
from string import Template

from hexapla.examples import notebook
from hexapla.examples.evidence import Status
from hexapla.site.sources import SiteSources

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


def source_url(path: str) -> str:
    """The address of a snippet's source, from the site's root."""
    return f"source/{path}.html"


def notebook_url(path: str) -> str:
    """The address of the notebook of a snippet that runs by itself, from the site's root."""
    return f"notebooks/{path.removesuffix('.py')}.ipynb"


def notebook_with(sources: SiteSources, path: str) -> str | None:
    """The address of the notebook that holds a file: a helper's is that of a snippet that uses it. None without one."""
    snippet = sources.snippets.run_by(path)
    return notebook_url(snippet) if snippet in sources.techniques else None


def snippet_files(sources: SiteSources, included: Collection[str]) -> Iterator[tuple[str, bytes]]:
    """Address and content of every file; a notebook is made again when its snippet has changed.

    `included` are the paths of the snippets that pages show.
    """
    cache = sources.project.root / ".hexapla" / "notebooks"
    for path in sorted({*included} | sources.techniques):
        yield source_url(path), source_page(path, sources.snippets.read(path)).encode()
    for path in sorted(sources.techniques):
        runs = [evidence.runs[path] for evidence in sources.evidence if path in evidence.runs]
        versions = next((run.versions for run in runs if run.status is Status.RAN), {})
        yield notebook_url(path), notebook.cached(cache, sources.snippets, path, versions)


def source_page(path: str, text: str) -> str:
    """The HTML page of the snippet `path`; line 12 has the id `L-12`."""
    lines = (f'<span id="L-{number}">{escape(line)}\n</span>' for number, line in enumerate(text.splitlines(), 1))
    root = "/".join([".."] * source_url(path).count("/"))
    return PAGE.substitute(title=escape(path), code=f"<pre>{''.join(lines)}</pre>", root=root)
