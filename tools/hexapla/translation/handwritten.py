"""Passages of derived pages that people wrote: they stand in place of what the conversion would make.

`translations/zh-Hant.yml` holds only what differs, by page: the passage as the original has it, a sentence, a paragraph
or a section with its heading, and what is to stand there. A passage that the original does not have any more is found.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

import yaml

from hexapla.files import read_text
from hexapla.translation.records.records import FOLDER
from hexapla.translation.sections.section_problems import Note
from hexapla.translation.translation_tree import TranslationTree
from hexapla.yaml_text import compose_yaml, locate_mistake

KEPT = "\ufdd6"  # stands for a passage while its page is converted: none of hexapla.hanzi.tables
FORM = "write `page.md:` and below it a list of `{from: ..., write: ...}`"


class WrittenPassage(NamedTuple):
    """A passage of a page as its original has it and as people wrote it; `line` is where the file says so."""

    page: str
    original: str
    written: str
    line: int


def passages_path(language: str) -> str:
    return f"{FOLDER}/{language}.yml"


def read_passages(root: Path, language: str) -> tuple[tuple[WrittenPassage, ...], tuple[Note, ...]]:
    """A derived language's passages, and what is wrong in their file."""
    file = root / passages_path(language)
    if not file.is_file():
        return (), ()
    try:
        return parse_passages(read_text(root, file).removeprefix("\ufeff"))
    except UnicodeDecodeError:
        return (), (Note(1, "is not UTF-8: save it as UTF-8"),)
    except yaml.YAMLError as error:
        return (), (Note(locate_mistake(error)[0], f"is not YAML: {FORM}"),)


def parse_passages(text: str) -> tuple[tuple[WrittenPassage, ...], tuple[Note, ...]]:
    """The passages of a file in its order, and what is wrong with others. Raises yaml.YAMLError."""
    root = compose_yaml(text)
    found: list[WrittenPassage] = []
    wrong: list[Note] = []
    if root is not None and not isinstance(root, yaml.MappingNode):
        return (), (Note(1, f"is no list of passages by page: {FORM}"),)
    for name, entries in root.value if root is not None else ():
        if not isinstance(entries, yaml.SequenceNode):
            wrong.append(Note(name.start_mark.line + 1, f"{name.value!r} has no list of passages: {FORM}"))
            continue
        for entry in entries.value:
            line, pairs = entry.start_mark.line + 1, entry.value if isinstance(entry, yaml.MappingNode) else ()
            fields = {key.value: value.value.strip() for key, value in pairs if isinstance(value, yaml.ScalarNode)}
            if set(fields) != {"from", "write"} or not fields["from"]:
                wrong.append(Note(line, f"is no passage: {FORM}"))
            else:
                found.append(WrittenPassage(str(name.value), fields["from"], fields["write"], line))
    return tuple(found), tuple(wrong)


def derive_page(text: str, passages: Iterable[WrittenPassage], convert: Callable[[str], str]) -> str:
    """A page's text converted, its passages as people wrote them; the longer one where one holds another."""
    written = {passage.original: passage.written for passage in passages}
    if not any(original in text for original in written):
        return convert(text)
    either = re.compile("|".join(map(re.escape, sorted(written, key=len, reverse=True))))
    text = text.replace(KEPT, "")
    kept = [written[match[0]] for match in either.finditer(text)]
    pieces = convert(either.sub(KEPT, text)).split(KEPT)
    return "".join(piece + passage for piece, passage in zip(pieces, [*kept, ""], strict=True))


def outdated_passages(
    passages: Iterable[WrittenPassage], read: Callable[[str], str | None], origin: str
) -> Iterator[Note]:
    """The passages whose original has changed; `read` gives a page's text in the language `origin`, None without it."""
    read = cache(read)
    for passage in passages:
        text = read(passage.page)
        if text is None:
            yield Note(passage.line, f"{origin} has no page {passage.page!r}: name the page, or remove the passage")
        elif passage.original not in text:
            yield Note(passage.line, f"{origin}/{passage.page} does not say {shorten(passage.original)!r} any more: "
                                     "see what it says now, and change both or remove the passage")


def shorten(text: str) -> str:
    line = text.split("\n")[0]
    return line if len(line) <= 30 else f"{line[:30]}…"


def passage_notes(tree: TranslationTree) -> Iterator[tuple[str, Note]]:
    """The passages written by hand for derived pages whose original has changed, and those that cannot be read."""
    layout = tree.layout
    for code in sorted(layout.derived):
        passages, mistakes = read_passages(layout.root, code)
        for origin in (each for each in layout.fallbacks.get(code, ())[:1] if each in tree.files):
            paths = {f"{name}{layout.suffix(origin)}": path for name, path in tree.files[origin].items()}
            texts = {page: tree.text(paths[page]) for page, *_ in passages if page in paths}
            mistakes += tuple(outdated_passages(passages, texts.get, origin))
        yield from ((passages_path(code), note) for note in mistakes)
