"""What stops a site from being built: pages that cannot be read, and includes that would show nothing.

pymdownx.snippets passes over an unknown section, a range out of reach, an unclosed section and a stray character
after the quote without a word; readers see an empty block or the directive itself. Each is an error here.
"""

from collections.abc import Callable, Iterator

from hexapla.checks.finding import Finding
from hexapla.pages import Include, Page, SectionError, excerpt

Reader = Callable[[str], str]


def page_findings(page: Page, path: str, language: str, read: Reader) -> Iterator[Finding]:
    """What is wrong with one page; `read` gives an included file's text or raises OSError or ValueError."""
    for problem in page.problems:
        yield Finding(path, problem.line, problem.column, problem.rule, problem.message, problem.hint, language)
    for include in page.includes:
        yield from include_findings(include, path, language, read)


def include_findings(include: Include, path: str, language: str, read: Reader) -> Iterator[Finding]:
    """What keeps one include from showing what it names."""

    def found(rule: str, message: str, hint: str) -> Finding:
        return Finding(path, include.line, include.column, rule, message, hint, language)

    try:
        text = read(include.path)
    except FileNotFoundError:
        yield found("include-missing", f"there is no snippet {include.path!r}", "correct the path or add the snippet")
        return
    except UnicodeDecodeError:
        yield found("include-missing", f"the snippet {include.path!r} is not UTF-8", "save it as UTF-8")
        return
    except (OSError, ValueError) as error:
        yield found("include-missing", str(error), "name a file below the snippets folder")
        return
    try:
        excerpt(text, include.section, include.first, include.last)
    except SectionError as error:
        where = f"{include.path}:{error.line}" if error.line else include.path
        yield found(error.rule, f"{where}: {error.message}", error.hint)


def undecodable(path: str, language: str, data: bytes, error: UnicodeDecodeError) -> Finding:
    """A page whose bytes are not UTF-8, with the place of the first that is not."""
    before = data[: error.start]
    line, column = before.count(b"\n") + 1, len(before.rpartition(b"\n")[2].decode("utf-8", "replace")) + 1
    message = f"byte {data[error.start]:02x} is not UTF-8"
    return Finding(path, line, column, "encoding", message, "save the page as UTF-8", language)
