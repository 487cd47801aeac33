"""Includes, front matter and fences: what makes a page unbuildable or shows readers something else than was meant.

pymdownx.snippets passes over an unknown section, a range out of reach, an unclosed section and a stray character
after the quote without a message; readers see an empty block or the directive itself. Each is an error here.
"""

from collections.abc import Callable, Iterator
from itertools import zip_longest
from posixpath import basename

from hexapla.checks import alignment
from hexapla.checks.context import RuleContext, Violation
from hexapla.checks.finding import Finding
from hexapla.config.layout import Layout
from hexapla.pages import Include, Page, SectionError, excerpt
from hexapla.sequences import opcodes

Reader = Callable[[str], str]


def includes(context: RuleContext) -> Iterator[Violation]:
    """`include-*`, `front-matter`, `code-unclosed`, `page-unreadable` of a page, and includes that the source has."""
    for found in page_violations(context.page, context.settings.snippet or (lambda path: path)):
        if found.rule.startswith("include-") and context.settings.snippet is None:
            continue
        if found.rule != "anchor-duplicate":
            yield found
    yield from check_inclusions(context, context.tree.layout)


def page_violations(page: Page, read: Reader) -> Iterator[Violation]:
    """What the parser could not read, and broken includes; `read` returns a file's text or raises OSError, ValueError.
    """
    for problem in page.problems:
        subject = page.lines[problem.line - 1].strip() if problem.rule in {"include-missing", "code-unclosed"} else ""
        yield Violation(problem.rule, subject, problem.message, problem.hint, problem.line, problem.column)
    for include in page.includes:
        yield from include_violations(include, read)


def include_violations(include: Include, read: Reader) -> Iterator[Violation]:
    """Why one include cannot show what it names."""
    lines = f"{include.first}-{include.last}" if include.first is not None else ""
    subject = ":".join(filter(None, (include.path, include.section, lines)))

    def found(rule: str, message: str, hint: str) -> Violation:
        return Violation(rule, subject, message, hint, include.line, include.column)

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


def check_inclusions(context: RuleContext, layout: Layout) -> Iterator[Violation]:
    """Directives whose file does not exist, and those of the source that the page lacks or changes.

    They are those of `Layout.inclusions` and of the framework; what is relative to a page is compared by its name.
    """
    marks = ("{" if layout.inclusions is not None else "") + layout.framework.includes
    here = [item for item in context.page.inclusions if item.mark in marks]
    gone = [item for item in here if not context.tree.has_included(item.path, context.document.path)]
    for shown in gone:
        yield Violation("include-missing", shown.path, f"there is no file {shown.path!r}",
                        "correct the path or add the file", shown.line, shown.column)
    wanted = [item for item in context.source.page.inclusions if item.mark in marks] if context.source else []
    first, second = ([(item.path if item.mark == "{" else basename(item.path), item.lines) for item in items]
                     for items in (wanted, here))
    for kind, start, end, begin, stop in opcodes(first, second):
        if kind == "equal":
            continue
        for one, other in zip_longest(wanted[start:end], here[begin:stop]):
            if one is None:
                continue  # a page may show more than its source
            said = f"{one.path} {one.lines}".strip()
            if other is None:
                yield Violation("include-missing", said, f"the source shows {said!r}, this page does not",
                                "bring the directive back",
                                alignment.find_landing(context.original, context.page, one.line), 1, one.line)
            elif other not in gone:
                yield Violation("include-missing", said, f"the source shows {said!r} here",
                                "show what the source shows", other.line, other.column, one.line)


def undecodable_page(path: str, language: str, data: bytes, error: UnicodeDecodeError) -> Finding:
    """`encoding`: a page whose bytes are not UTF-8, at the position of the first that is not."""
    before = data[: error.start]
    line, column = before.count(b"\n") + 1, len(before.rpartition(b"\n")[2].decode("utf-8", "replace")) + 1
    message = f"byte {data[error.start]:02x} is not UTF-8"
    return Finding(path=path, line=line, column=column, rule="encoding", message=message, language=language,
                   hint="save the page as UTF-8")
