"""`hexapla next`, `submit` and `mcp`: a section to translate with its context, and its translation handed in."""

import argparse
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial

from hexapla.agents.section_tasks import (
    SectionContext,
    Submission,
    full_languages,
    next_section,
    place_of,
    submit_translation,
)
from hexapla.cache import Cache
from hexapla.checks.engine.unsaved_text import overlay_checker
from hexapla.cli.options import command_again, repeated_options, tree_options
from hexapla.cli.terminal import FOUND, require_extra, say
from hexapla.cli.translated_tree import translated_tree
from hexapla.config.discovery import find_layout
from hexapla.config.project import find_terms
from hexapla.errors import ConfigError
from hexapla.pages.invisible import visible
from hexapla.report_text import as_json
from hexapla.section_writer import SectionWriter


def writer_of(chosen: argparse.Namespace, cache: Cache) -> SectionWriter:
    """The writer of the tree that options name."""
    terms = partial(find_terms, chosen.root)
    return SectionWriter(lambda: translated_tree(chosen, cache),
                         lambda: overlay_checker(find_layout(tree_options(chosen)), terms()), terms)


@contextmanager
def opened_writer(chosen: argparse.Namespace) -> Iterator[SectionWriter]:
    """The writer of the tree that options name; its cache is closed at the end, however that comes."""
    cache = Cache(find_layout(tree_options(chosen)).root)
    try:
        yield writer_of(chosen, cache)
    finally:
        cache.close()


def show_next(chosen: argparse.Namespace) -> int:
    """Run `hexapla next`: the section that readers miss most, with its context."""
    with opened_writer(chosen) as writer:
        found = next_section(writer, chosen.places, chosen.language, chosen.views)
        full = [] if found else full_languages(writer, chosen.language)
    if chosen.format == "json":
        say(as_json(section=found.as_data() if found else None, **({"unread": full} if full else {})))
    else:
        lines = context_lines(found, repeated_options(chosen)) if found else full or ["nothing waits for a translator"]
        say("\n".join(lines))
    return 0


def context_lines(found: SectionContext, options: str) -> Iterator[str]:
    """A section for people: each of its texts below a line that names it."""
    yield f"{found.language}  {found.page}#{found.section}: {found.reason}"
    texts = {
        "source": found.source, "translation": found.translation, "source before": found.before,
        "doubts": "\n".join(f"line {doubt.line}: {doubt}" for doubt in found.doubts), "code": "\n".join(found.code),
        "output": "\n".join(found.output), "from the memory": found.remembered,
        "terms": "\n".join(f"{term} = {rendering}" for term, rendering in found.terms.items()),
        **{f"like {pair.source!r}": pair.translation for pair in found.similar},
        "instructions": found.instructions,
    }
    for name, text in texts.items():
        if text.strip():
            yield from (f"--- {visible(name)}", visible(text.rstrip()))
    place = f"{found.page}#{found.section}"
    command = command_again("submit", [place], ["--language", found.language], "--version", found.version)
    yield f"next: {command}{options}"


def submit_section(chosen: argparse.Namespace) -> int:
    """Run `hexapla submit`: a translation judged, and written with --write; 1 where it is not right."""
    try:
        text = chosen.file.read_bytes().decode() if chosen.file else sys.stdin.buffer.read().decode()
    except (OSError, UnicodeDecodeError) as error:
        why = getattr(error, "strerror", None) or error
        raise ConfigError(f"{chosen.file or 'standard input'}: {why}; give the section as UTF-8 text") from error
    with opened_writer(chosen) as writer:
        page, language, section = place_of(writer, chosen.place, chosen.language)
        given = Submission(page, language, section, text, chosen.version, chosen.by, chosen.meant)
        made = submit_translation(writer, given, chosen.write)
    if chosen.format == "json":
        say(as_json(**made.as_data()))
    else:
        for each in made.findings:
            say(visible(f"{each.line}:{each.column}: {each.severity}: {each.rule}: {each.message}; {each.hint}"))
        say(made.message + (f"\n--- as it stands there now\n{visible(made.text)}" if made.text else ""))
    return 0 if made.right else FOUND


def serve(chosen: argparse.Namespace) -> int:
    """Run `hexapla mcp`: the same for a client of the Model Context Protocol, which starts it."""
    with require_extra("agents"):
        from hexapla.agents.mcp_server import serve_sections

    with opened_writer(chosen) as writer:
        serve_sections(writer)
    return 0
