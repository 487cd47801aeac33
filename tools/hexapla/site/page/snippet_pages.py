"""The files of each snippet in the site: a page of its source, its notebook, and the program as one file."""

import ast
import re
from collections.abc import Callable, Collection, Iterator
from pathlib import Path
from typing import NamedTuple

from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import PythonLexer, TextLexer

from hexapla.cache import Cache, key_of
from hexapla.examples import notebook
from hexapla.examples.evidence import Status
from hexapla.examples.snippet import Snippets
from hexapla.pages import MARKER
from hexapla.site.page.part_templates import render_part
from hexapla.site.page.site_bar import root_from
from hexapla.site.page.site_files import relative_url
from hexapla.site.sources import SiteSources
from hexapla.translation.status.status_html import PageTop

GITHUB = re.compile(r"https://github\.com/([\w.-]+/[\w.-]+?)(?:\.git)?/?")
IMPORTS = "from os import getpid\nfrom pathlib import Path\n"
# The processes of a program start it at the same time: each file appears when it is whole.
WRITE = ("if not Path({name!r}).exists():\n    part = Path({name!r} + str(getpid()))\n    part.write_text({text})\n"
         "    part.replace({name!r})\n")


class SnippetLinks(NamedTuple):
    """Addresses of what belongs to a snippet, relative to a page: its source, and what only a whole program has."""

    source: str
    notebook: str | None
    program: str | None
    colab: str | None


NO_LINKS = SnippetLinks("", None, None, None)


def snippet_links(path: str, notebook: str | None, colab_root: str, page: str) -> SnippetLinks:
    """The links of a snippet from the page at an address; `notebook` is None without one, `colab_root` may be ""."""
    source = relative_url(source_url(path), page)
    if notebook is None:
        return SnippetLinks(source, None, None, None)
    relative = relative_url(notebook, page), relative_url(program_url(notebook), page)
    return SnippetLinks(source, *relative, colab_root + notebook if colab_root else None)


def colab_root(repository: str, branch: str) -> str:
    """Where Colab opens the notebooks of a site that `mkdocs gh-deploy` publishes, "" without a GitHub `repo_url`."""
    found = GITHUB.fullmatch(repository)
    return f"https://colab.research.google.com/github/{found[1]}/blob/{branch}/" if found else ""


def source_url(path: str) -> str:
    """The address of a snippet's source, from the site's root."""
    return f"source/{path}.html"


def notebook_url(path: str) -> str:
    """The address of the notebook of a snippet that runs by itself, from the site's root."""
    return f"notebooks/{path.removesuffix('.py')}.ipynb"


def program_url(notebook: str) -> str:
    """The address of the program of a notebook as one file, from the site's root."""
    return notebook.replace("notebooks/", "programs/", 1).removesuffix(".ipynb") + ".py"


def snippet_files(
    sources: SiteSources, included: Collection[str], describe: Callable[[str], tuple[PageTop, str, str]]
) -> Iterator[tuple[str, bytes]]:
    """Address and content of every file; a notebook is made, and code coloured, again when its snippet has changed.

    `included` are the paths of the snippets that pages show; `describe` gives the top of a source's page, and the title
    of a page that shows the source with the address from there.
    """
    cache = Cache(sources.project.root)
    for path in sorted({*included} | sources.techniques):
        code = kept_code(cache, path, sources.snippets)
        yield source_url(path), source_page(path, sources, code, *describe(path)).encode()
    for path in sorted(sources.techniques):
        runs = (evidence.runs[path] for evidence in sources.evidence if path in evidence.runs)
        ran = next((run for run in runs if run.status is Status.RAN), None)
        yield notebook_url(path), notebook.cached_notebook(cache, sources.snippets, path, ran)
        yield f"programs/{path}", make_program(path, sources.snippets).encode()
    cache.close()


def make_program(path: str, snippets: Snippets) -> str:
    """A snippet as one file that runs alone: below its docstring it writes the files that it needs beside it."""
    text = notebook.MARKER.sub("", snippets.read(path))
    beside = {Path(name).name: snippets.read(name) for name in notebook.files_beside(snippets, path)}
    if not beside:
        return text
    written = "".join(WRITE.format(name=name, text=quote_text(other)) for name, other in beside.items())
    tree, lines = ast.parse(text), text.splitlines(keepends=True)
    end = tree.body[0].end_lineno if ast.get_docstring(tree) else 0
    head, rest = "".join(lines[:end]) + "\n" * bool(end), "".join(lines[end:])
    return f"{head}{IMPORTS}\n# The files that {Path(path).name} needs beside it.\n{written}\n{rest}"


def quote_text(text: str) -> str:
    """A text as a literal of Python that stays readable where it can."""
    text = notebook.MARKER.sub("", text)
    return repr(text) if "'''" in text or "\\" in text else f"'''\\\n{text}'''"


def kept_code(cache: Cache, path: str, snippets: Snippets) -> str:
    """The lines of a snippet as `code_lines` gives them, from the cache if they were coloured before."""
    text = snippets.read(path)
    key = key_of("code lines", path, text, MARKER.pattern)
    code: str | None = cache.get(key)
    if code is None:
        code = "".join(code_lines(path, text))
        cache.put(key, code)
    return code


def source_page(path: str, sources: SiteSources, code: str, top: PageTop, title: str, address: str) -> str:
    """The HTML page of the snippet `path`, its lines coloured, with the way to a page that shows it.

    Line 12 has the id `L-12`.
    """
    return render_part(
        "source.html", sources.project.source.code, path=path, code=code, root=root_from(source_url(path)), top=top,
        title=title, address=address, notebook=notebook_url(path) if path in sources.techniques else "",
    )


def code_lines(path: str, text: str) -> Iterator[str]:
    """The lines of a file, coloured, each with its id; markers are left out."""
    lexer = PythonLexer if path.endswith(".py") else TextLexer
    formatter = HtmlFormatter(nowrap=True)
    coloured = highlight(text, lexer(stripnl=False, ensurenl=False), formatter)
    lines = zip(text.splitlines(), coloured.splitlines(), strict=False)
    for number, shown in enumerate((shown for line, shown in lines if not MARKER.search(line)), 1):
        yield f'<span id="L-{number}">{shown}\n</span>'
