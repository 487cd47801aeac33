"""The edit that puts the source's code back, line by line; what is words for a reader stays as it was translated."""

import re

from pygments.token import Comment, Error, Generic, Literal, Name, String, Text

from hexapla.checks.alignment import line_starts
from hexapla.checks.rules.code.equivalence import ALIASES, find_lexer, first_difference, is_any_of
from hexapla.languages import own_letters
from hexapla.pages import Fence, Page
from hexapla.pages.edits import CODE_BLOCK, PageEdit

# Tokens that are never overwritten: strings, comments, text between tags, output, whatever a lexer does not know.
WORDS = (Comment, String, Text, Generic, Error, Literal.Scalar, Literal.Date, Name.Entity)
DIRECTIVE = re.compile(r"^[ \t]*-+8<-+.*$", re.M)  # an include: its target is no string of the code
# Languages with text between tags, which Pygments' lexers of JavaScript take for names.
TAGGED = frozenset({
    "html", "javascript", "js", "jsx", "typescript", "ts", "tsx", "vue", "astro", "mdx", "svelte", "xml",
})
BETWEEN_TAGS = re.compile(r">([^<>{}]*[^\W\d_][^<>{}]*)(?=[<{])|\}([^<>{}\n]*[^\W\d_][^<>{}\n]*)(?=<)")
WORDS_ALONE = re.compile(r"^[ \t]*([^\W\d_][\w '’.,:!?-]*)[ \t]*$", re.M)


def tokens_of_words(code: str, language: str) -> list[str]:
    """The tokens that are words for a reader; of a language without a lexer all that is no white space."""
    found = find_lexer(language)
    if found is None:
        return code.split()
    return [" ".join(text.split()) for kind, text in found.get_tokens(code) if is_any_of(kind, WORDS) and text.strip()]


def text_between_tags(code: str, language: str) -> list[str]:
    """What stands between tags, and lines of words alone, in languages that have tags."""
    if ALIASES.get(language, language) not in TAGGED:
        return []
    between = [" ".join((one or other).split()) for one, other in BETWEEN_TAGS.findall(code)]
    return [*between, *(line.strip() for line in WORDS_ALONE.findall(code))]


def code_fix(page: Page, source: Fence, target: Fence, language: str) -> PageEdit | None:
    """The source's lines in place of those that do another thing; None where the blocks have not as many lines.

    A line that only translates a comment or words stays, and no word of the translation is lost: where a line has both
    another code and other words, there is no fix. `language` is the translation's.
    """
    theirs, ours = source.content.splitlines(), target.content.splitlines()
    lines = page.lines
    if len(theirs) != len(ours) or not target.end_line or target.line + len(ours) > len(lines):
        return None
    there, here = common_margin(theirs), common_margin(ours)
    made: dict[int, str] = {}
    for number, (wanted, found) in enumerate(zip(theirs, ours, strict=True), target.line):
        if wanted != found and first_difference(f"{wanted}\n", f"{found}\n", language, source.language) is not None:
            made[number] = here + wanted.removeprefix(there) if wanted.strip() else ""
    inside = range(target.line, target.end_line - 1)
    whole = "".join(f"{made.get(number, lines[number].rstrip())}\n" for number in inside)
    if not made or first_difference(source.content, whole, language, source.language) is not None:
        return None
    if not keeps_words(target.content, whole, source.language, language):
        return None
    starts = line_starts(lines)
    return PageEdit(CODE_BLOCK, starts[target.line], starts[target.end_line - 1], whole)


def keeps_words(before: str, after: str, code_language: str, language: str) -> bool:
    """Whether a block has the same words, in the same order, and as many letters of the translation's own script."""
    before, after = (DIRECTIVE.sub("", code) for code in (before, after))
    own = own_letters(language)
    if own is not None and own.findall(before) != own.findall(after):
        return False
    return all(words(before, code_language) == words(after, code_language)
               for words in (tokens_of_words, text_between_tags))


def common_margin(lines: list[str]) -> str:
    """The white space that all lines of a block start with."""
    found = [line[: len(line) - len(line.lstrip())] for line in lines if line.strip()]
    return min(found, key=len, default="")
