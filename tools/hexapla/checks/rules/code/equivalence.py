"""Whether two listings do the same: compared as tokens, without comments and what a translator may translate."""

import re
from collections.abc import Iterable, Iterator
from functools import cache

from pygments.lexer import Lexer
from pygments.lexers import get_lexer_by_name
from pygments.token import Comment, Error, Generic, Literal, Name, String, Text, Token, _TokenType
from pygments.token import is_token_subtype as within
from pygments.util import ClassNotFound

from hexapla.languages import HAN, KANA, own_letters
from hexapla.sequences import opcodes

# What documentation calls languages that Pygments calls otherwise, or does not know.
ALIASES = {
    "py": "python", "python3": "python", "vue-html": "html", "vue": "html", "svelte": "html",
    "jsonl": "json", "json5": "javascript", "mjs": "javascript", "cjs": "javascript", "shell": "bash",
    "terminal": "console", "env": "bash", "dotenv": "bash", "proto": "protobuf",
}
PLAIN = frozenset({"", "text", "txt", "plain", "plaintext", "output", "log", "mermaid", "none", "markdown", "md"})
# A comment in a listing of no known language: behind # or //, an arrow, or in the marks of HTML.
PLAIN_COMMENT = re.compile(
    r"(?:(?:^|(?<=\s))(?:#|//|%%|;;|--\s|←|<-\s|→).*$)"
    r"|<!--(?:[^<\n]|<(?!!--))*?-->|/\*(?:[^/\n]|/(?!\*))*?\*/", re.M)
PLAIN_TOKEN = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)*|\d+|[^\w\s]|_+")
# Two words: Réponse d'Alfred, Alfred's response.
PROSE = re.compile(
    r"(?<![^\W\d_])[^\W\d_]{2,}+(?:['’][^\W\d_]{1,2})?[,.:;!?]?\s+(?:[^\W\d_]\s+)?(?:[^\W\d_]{1,2}['’])?[^\W\d_]{2,}"
)
ACCENTED = re.compile(r"[^\W\d_A-Za-z]")
YOURS = re.compile(r"(?<![^\W_])your(?![^\W_])", re.I)  # YOUR_APP.py, your-service-name: what the reader puts in
SHELLS = frozenset({"bash", "console", "shell", "sh", "zsh", "terminal", "powershell", "doscon", "bat"})
PROMPT = re.compile(r"^[^\n]{0,40}[$#>%] ", re.M)
COMMANDS = SHELLS - {"console", "terminal"}  # which show no output
SHELL_COMMENT = re.compile(r"^[ \t]*//[ \t].*$", re.M)  # as some sites write in a terminal's listing
PLACEHOLDER = re.compile(r"<[^\W\d_][^<>\n]{1,40}>")  # <your-branch-name>, what the reader puts in

# Text between tags in JavaScript, which Pygments takes for names: behind a tag, or between an expression and an end.
JAVASCRIPT = frozenset({"js", "jsx", "tsx", "javascript", "mjs", "cjs", "ts", "typescript"})
JSX_TEXT = re.compile(r"(?<=[\w\"'/}]>)[^<>{};=]++(?=[<{])|(?<=\})[^<>{};=()\n]++(?=[{<])|(?<=\})[^<>{};=]++(?=</)")

NESTING = frozenset({"python", "py", "python3", "yaml", "yml"})  # languages whose white space says what belongs where
WIDE = re.compile("[\u3000-\u303f\uff00-\uffef]")  # punctuation of East Asian sentences
STOP = f"(?<=[{HAN}{KANA}])\uff1a(?=[\\w.])"  # of words in another language: 版本：1.2 is `version: 1.2`

# Tokens that may be words of a language: output, text between tags, names only in prose-like code.
FREE = (Generic, Text, Error, Literal.Scalar, Name.Entity)
BLANKS = " \t\r\n\f"
INDENTATION = "indentation"  # what first_difference says where white space alone differs
Tokens = list[tuple[bool, str]]  # whether a translator may translate it, and its text


@cache
def find_lexer(language: str) -> Lexer | None:
    """Pygments' lexer of a language by the name that stands behind the fence; None where it has none."""
    if language in PLAIN:
        return None
    try:
        return get_lexer_by_name(ALIASES.get(language, language), stripnl=False, ensurenl=False)
    except ClassNotFound:
        return None


def same_language(first: str, second: str) -> bool:
    """Whether two words behind fences name one language: py and python."""
    return first == second or type(find_lexer(first)) is type(find_lexer(second))


def tokenize_code(code: str, language: str) -> Tokens:
    """The tokens of a listing but for comments, docstrings and white space; of an unknown language its words."""
    found, code = find_lexer(language), re.sub(STOP, ": ", code) if "\uff1a" in code else code
    if language in SHELLS:
        code = PLACEHOLDER.sub("PLACEHOLDER", SHELL_COMMENT.sub("", code))
    if language in JAVASCRIPT and "<" in code:
        code = JSX_TEXT.sub(quote_text, code)
    if found is None:
        bare = PLAIN_COMMENT.sub("", code)
        return [(not word[0].isdigit(), word) for word in PLAIN_TOKEN.findall(bare)]
    return list(join_strings(found, code))


def quote_text(match: re.Match[str]) -> str:
    """Text between tags as a string of JavaScript, white space as it is.

    >>> JSX_TEXT.sub(quote_text, "<p>Don't</p>")
    '<p>"Don\\'t"</p>'
    """
    words = " ".join(match[0].replace('"', "'").split())
    return f'"{words}"' if words.strip("()[],:.&|") else match[0]


def join_strings(found: Lexer, code: str) -> Iterator[tuple[bool, str]]:
    """Pygments' tokens, the pieces of a string joined, so that escapes inside it cut nothing."""
    string = ""
    for kind, text in found.get_tokens(code):
        if within(kind, String.Doc) or (within(kind, Comment) and not within(kind, Comment.Preproc)):
            continue
        if within(kind, String) and not within(kind, String.Interpol) and not within(kind, String.Affix):
            string += text
            continue
        if string:
            yield True, string
            string = ""
        if bare := text.strip(BLANKS):  # a space that does not break is no white space to a shell or an interpreter
            yield is_any_of(kind, FREE) and not bare.isspace(), bare
    if string:
        yield True, string


def is_any_of(kind: _TokenType, kinds: Iterable[_TokenType]) -> bool:
    """Whether a kind of tokens is one of some kinds or of a kind of them; Pygments says nothing of the plainest."""
    return kind is Token or any(within(kind, other) for other in kinds)


def first_difference(source: str, target: str, target_language: str, fence: str) -> str | None:
    """What the second listing says where it first does another thing than the first; None where they do the same.

    `fence` is the language of the listings. Words of a string or of printed output may be translated: that is told by
    the letters of the target language, or, where that is written in Latin, by being words at all.
    """
    if source == target or squeeze_code(source) == squeeze_code(target):
        return None
    if fence not in COMMANDS and fence in SHELLS and not PROMPT.search(source):
        fence = "bash"  # commands alone
    first, second = tokenize_code(source, fence), tokenize_code(target, fence)
    plain = find_lexer(fence) is None
    changes = [(a, b, c, d) for kind, a, b, c, d in opcodes(first, second) if kind != "equal"]
    if plain and own_letters(target_language) is None:
        changes = join_changes(changes)
    for a, b, c, d in changes:
        printed = any(text[:1] in "\"'" and " " in text for _, text in first[a:b])  # words that a command may print
        if not is_translation(first[a:b], second[c:d], target_language, plain, fence in COMMANDS and not printed):
            return " ".join(text for _, text in second[c:d])[:60] or " ".join(text for _, text in first[a:b])[:60]
    found = find_lexer(fence) if fence in NESTING and not changes else None
    there, here = ([len(line) - len(line.lstrip()) for line in code.splitlines() if line.strip()]
                   for code in (source, target))
    if found is None or there == here:
        return None
    return INDENTATION if list(nesting_depths(found, source)) != list(nesting_depths(found, target)) else None


def nesting_depths(found: Lexer, code: str) -> Iterator[int]:
    """How deep each line of a listing stands, 0 at no level; comments and lines in brackets and strings left out."""
    stack: list[int] = []
    brackets, width, fresh = 0, 0, True
    for kind, text in found.get_tokens(code.expandtabs(8)):
        bare = text.strip()
        if fresh and bare and not within(kind, Comment):
            fresh = False
            if not brackets and not within(kind, String.Doc):
                width += len(text) - len(text.lstrip())
                before = stack[-1] if stack else 0
                while len(stack) > 1 and width < stack[-1]:
                    stack.pop()
                if not stack or width > stack[-1]:
                    stack.append(width)
                    yield len(stack) if width >= before else 0  # back to where no line above stands
                else:
                    yield len(stack)
        if not within(kind, String):
            brackets += sum(text.count(mark) for mark in "([{") - sum(text.count(mark) for mark in ")]}")
        if "\n" in text and not within(kind, String):
            fresh, width = True, 0
            text = text.rpartition("\n")[2]
        if fresh and not bare:
            width += len(text)


def join_changes(changes: list[tuple[int, int, int, int]]) -> list[tuple[int, int, int, int]]:
    """Changes with at most two tokens between them as one: a sentence in another language keeps some of its words."""
    found: list[tuple[int, int, int, int]] = []
    for a, b, c, d in changes:
        if found and (a - found[-1][1] < 3 or c - found[-1][3] < 3):
            found[-1] = (found[-1][0], b, found[-1][2], d)
        else:
            found.append((a, b, c, d))
    return found


def squeeze_code(code: str) -> str:
    """The listing without what no reader sees: blank lines, white space at the ends of lines."""
    return "\n".join(line.rstrip() for line in code.splitlines() if line.strip())


def is_translation(source: Tokens, target: Tokens, language: str, plain: bool, shell: bool) -> bool:
    """Whether `target` says in another language what `source` says; `plain` text holds more words than strings do.

    A command of a `shell` holds none, but for what the reader puts in.
    """
    if [text for free, text in source if not free] != [text for free, text in target if not free]:
        return False
    said, now = (" ".join(text for free, text in side if free) for side in (source, target))
    own = own_letters(language)
    if own is not None:
        return bool(own.search(now) or WIDE.search(now))
    if now and ((ACCENTED.search(now) and not ACCENTED.search(said)) or (YOURS.search(said) and not YOURS.search(now))):
        return True
    if shell:
        return False  # the words of a command are its own
    words = re.compile(r"[^\W\d_]{2,}") if plain else PROSE
    return bool(words.search(now) and (plain or words.search(said)))
