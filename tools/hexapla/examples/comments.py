"""Translate the comments of a snippet, and nothing but its comments.

The table, `snippets/comments.yml`, has the comment's text without its `# `, and a line a language:

    "The optimizer sees 1 x 4 rows at each step.":
      zh: 优化器每一步看到 1 x 4 行。
      ja: オプティマイザはステップごとに 1 x 4 行を見る。
"""

import io
import tokenize
from collections.abc import Collection, Mapping
from dataclasses import dataclass

import yaml

Table = Mapping[str, Mapping[str, str]]


class CommentError(ValueError):
    """An entry of the table that cannot be used, or a translation that would change code."""


@dataclass(frozen=True, slots=True)
class Mistake:
    """What is wrong on a line of the table."""

    line: int
    message: str
    hint: str


def parse(text: str, languages: Collection[str]) -> tuple[Table, list[Mistake]]:
    """The table and what is wrong with it; a wrong entry is left out of the table."""
    try:
        root = yaml.compose(text, Loader=yaml.SafeLoader)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        return {}, [Mistake(mark.line + 1 if mark else 1, "the table of comments is not YAML", "correct it")]
    if root is None:
        return {}, []
    if not isinstance(root, yaml.MappingNode):
        return {}, [Mistake(1, "the table of comments is not a mapping", "write the comment, a colon, then languages")]
    table: dict[str, dict[str, str]] = {}
    mistakes: list[Mistake] = []
    for comment, renderings in root.value:
        line = comment.start_mark.line + 1
        if not isinstance(renderings, yaml.MappingNode):
            mistakes.append(Mistake(line, "a comment without languages", "write `zh: ...` below it, indented"))
            continue
        if comment.value in table:
            mistakes.append(Mistake(line, f"the comment {comment.value!r} stands here twice", "join the two"))
            continue
        entry = table.setdefault(comment.value, {})
        for language, rendering in renderings.value:
            line = language.start_mark.line + 1
            if language.value not in languages:
                known = ", ".join(languages)
                mistakes.append(Mistake(line, f"{language.value!r} is no language of this project", f"use {known}"))
            elif not isinstance(rendering, yaml.ScalarNode) or "\n" in rendering.value or "\r" in rendering.value:
                mistakes.append(Mistake(line, "a translated comment is not one line", "write it on one line"))
            else:
                entry[language.value] = rendering.value
    return table, mistakes


def translate(source: str, table: Table, language: str) -> str:
    """`source` with its comments in `language`, line by line as before; comments not in the table stay.

    Raises CommentError where the tokens other than comments would not be the same, or where `source` is no Python.
    """
    lines = source.splitlines(keepends=True)
    try:
        comments = [token for token in tokens(source) if token.type == tokenize.COMMENT]
    except (tokenize.TokenError, SyntaxError) as error:
        raise CommentError(f"is not Python ({error})") from error
    for token in comments:
        rendering = table.get(token.string.lstrip("#").strip(), {}).get(language)
        if rendering is not None:
            row, column = token.start
            ending = lines[row - 1][token.end[1] :]
            lines[row - 1] = f"{lines[row - 1][:column]}# {rendering}{ending}"
    translated = "".join(lines)
    if translated != source and code(translated) != code(source):
        raise CommentError("a translated comment would change the code")
    return translated


def tokens(source: str) -> list[tokenize.TokenInfo]:
    """Python's own tokens."""
    return list(tokenize.generate_tokens(io.StringIO(source).readline))


def code(source: str) -> list[tuple[int, str]]:
    """The tokens without comments; none of the source's layout is lost, since indentation is a token."""
    try:
        return [(token.type, token.string) for token in tokens(source) if token.type != tokenize.COMMENT]
    except (tokenize.TokenError, SyntaxError):
        return []


def comments_in(source: str) -> set[str]:
    """The text of every comment of a source, without its `# `."""
    try:
        return {token.string.lstrip("#").strip() for token in tokens(source) if token.type == tokenize.COMMENT}
    except (tokenize.TokenError, SyntaxError):
        return set()
