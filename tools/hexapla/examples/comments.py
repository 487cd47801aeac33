"""Translate the comments of a snippet, and nothing but its comments.

The table, `snippets/comments.yml`, has the comment's text without its `# `, and a line a language:

    "Each optimizer step covers 1 x 4 samples.":
      zh: 优化器的每一步包含 1 x 4 个样本。
      ja: オプティマイザの1ステップは1 x 4サンプル分。
"""

import io
import tokenize
from collections.abc import Callable, Collection, Mapping
from functools import lru_cache
from typing import NamedTuple

import yaml

from hexapla.yaml_text import compose_yaml, locate_mistake


class CommentError(ValueError):
    """A translation that would change code, or a source whose comments cannot be found."""


class CommentTable(NamedTuple):
    """Translations by comment, then language; `lines` has each comment's line in the table's file."""

    translations: Mapping[str, Mapping[str, str]] = {}
    lines: Mapping[str, int] = {}


class CommentMistake(NamedTuple):
    """A wrong entry of the table, by its line."""

    line: int
    message: str
    hint: str


def parse_comments(text: str, languages: Collection[str]) -> tuple[CommentTable, list[CommentMistake]]:
    """Parse the table, with a list of its wrong entries; a wrong entry is left out of the table."""
    try:
        root = compose_table(text)
    except yaml.YAMLError as error:
        line, _, problem = locate_mistake(error)
        return CommentTable(), [CommentMistake(line, f"the table of comments is not YAML ({problem})", "correct it")]
    if root is None:
        return CommentTable(), []
    if not isinstance(root, yaml.MappingNode):
        hint = "write the comment, a colon, then languages"
        return CommentTable(), [CommentMistake(1, "the table of comments is not a mapping", hint)]
    table: dict[str, dict[str, str]] = {}
    lines: dict[str, int] = {}
    mistakes: list[CommentMistake] = []
    for comment, renderings in root.value:
        line = comment.start_mark.line + 1
        if not isinstance(renderings, yaml.MappingNode):
            mistakes.append(CommentMistake(line, "a comment without languages", "write `zh: ...` below it, indented"))
            continue
        if comment.value in table:
            mistakes.append(CommentMistake(line, f"the comment {comment.value!r} stands here twice", "join the two"))
            continue
        entry = table.setdefault(comment.value, {})
        lines[comment.value] = line
        for language, rendering in renderings.value:
            line = language.start_mark.line + 1
            if language.value not in languages:
                known = ", ".join(languages)
                message = f"{language.value!r} is no language of this project"
                mistakes.append(CommentMistake(line, message, f"use {known}"))
            elif not isinstance(rendering, yaml.ScalarNode) or not is_one_line(rendering.value):
                mistakes.append(CommentMistake(line, "a translated comment is not one line", "write it on one line"))
            else:
                entry[language.value] = rendering.value
    return CommentTable(table, lines), mistakes


compose_table = lru_cache(maxsize=4)(compose_yaml)  # the editor reads the table with each page that it opens


def derive_comments(table: CommentTable, origin: str, language: str, convert: Callable[[str], str]) -> CommentTable:
    """Add `language` to the table, converted from `origin` for comments without a translation of their own."""
    translations = {
        comment: {language: convert(renderings[origin])} | dict(renderings) if origin in renderings else renderings
        for comment, renderings in table.translations.items()
    }
    return CommentTable(translations, table.lines)


def translate_comments(source: str, table: CommentTable, language: str) -> str:
    """Translate the comments of a source that are in the table. Raises CommentError if any other token would change."""
    lines = source.split("\n")  # as the tokenizer counts them
    try:
        comments = [token for token in tokenize_source(source) if token.type == tokenize.COMMENT]
    except (tokenize.TokenError, SyntaxError) as error:
        raise CommentError(f"is not Python ({error})") from error
    for token in comments:
        rendering = table.translations.get(comment_text(token), {}).get(language)
        if rendering is not None:
            if not is_one_line(rendering):
                raise CommentError("a translated comment is not one line")
            row, column = token.start
            ending = lines[row - 1][token.end[1] :]
            lines[row - 1] = f"{lines[row - 1][:column]}# {rendering}{ending}"
    translated = "\n".join(lines)
    if translated != source and code_tokens(translated) != code_tokens(source):
        raise CommentError("a translated comment would change the code")
    return translated


def is_one_line(text: str) -> bool:
    """Whether a text is one line, not empty, without any of Unicode's line ends."""
    return text.splitlines() == [text]


@lru_cache(maxsize=256)  # a source is tokenized once, for all languages
def tokenize_source(source: str) -> tuple[tokenize.TokenInfo, ...]:
    return tuple(tokenize.generate_tokens(io.StringIO(source).readline))


def code_tokens(source: str) -> list[tuple[int, str]]:
    """The tokens without comments; none of the source's layout is lost, since indentation is a token."""
    try:
        return [(token.type, token.string) for token in tokenize_source(source) if token.type != tokenize.COMMENT]
    except (tokenize.TokenError, SyntaxError):
        return []


def comment_text(comment: tokenize.TokenInfo) -> str:
    """A comment's text without its `# `."""
    return comment.string.lstrip("#").strip()


@lru_cache(maxsize=4096)  # of all snippets, which are more than `tokens` keeps
def comments_in(source: str) -> Mapping[str, int]:
    """The wording of every comment of a source with the line of the first one, none if it is not Python."""
    try:
        return {comment_text(token): token.start[0]
                for token in reversed(tokenize_source(source)) if token.type == tokenize.COMMENT}
    except (tokenize.TokenError, SyntaxError):
        return {}
