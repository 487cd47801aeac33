"""Catalogs as PO files, for Poedit, OmegaT and other tools that read gettext's format."""

import re

import polib  # type: ignore[import-untyped]

from hexapla.errors import ConfigError
from hexapla.languages import bcp47, gettext_code
from hexapla.translation.memory.catalog import Catalog, Message, place_of

SUFFIX = ".po"
WIDTH = 100
EXPORTED = "exported "  # before the mark of the translation that was exported
COUNT = "X-Hexapla-Messages"  # how many there are: a file that was cut off has fewer
LINE = re.compile(
    r'(?:#[~|]+[ \t]*)?(?P<word>msgctxt|msgid|msgid_plural|msgstr(?:\[\d+\])?|)[ \t]*"(?:[^"\\]|\\.)*"[ \t]*')
CUT = "it seems to be cut off; get the whole file"


def dump(catalog: Catalog) -> bytes:
    """The file's bytes; the same for the same catalog, with no date in it."""
    file = polib.POFile(wrapwidth=WIDTH)
    file.metadata = {
        "Project-Id-Version": catalog.page,
        "Language": gettext_code(catalog.language),
        "Language-Team": "none",
        "Last-Translator": "none",
        "PO-Revision-Date": "YEAR-MO-DA HO:MI+ZONE",
        "MIME-Version": "1.0",
        "Content-Type": "text/plain; charset=UTF-8",
        "Content-Transfer-Encoding": "8bit",
        "X-Generator": "hexapla",
        **catalog.meta,
        "X-Hexapla-Page": catalog.page,
        "X-Hexapla-Source": catalog.blob,
        COUNT: str(len(catalog.messages)),
    }
    file += [entry_of(catalog, each, False) for each in catalog.messages]
    file += [entry_of(catalog, each._replace(exported="", line=0), True) for each in catalog.obsolete]
    return f"{file}\n".encode()


def entry_of(catalog: Catalog, message: Message, obsolete: bool) -> polib.POEntry:
    """The entry of a message; its comments say what it is, who made it, why it needs review, and what was exported."""
    named = {"needs review: ": message.review, "translation memory: ": message.memory, EXPORTED: message.exported}
    notes = message.kind, message.made, *(f"{name}{value}" for name, value in named.items() if value)
    return polib.POEntry(
        msgctxt=f"{catalog.page}#{message.place}", msgid=message.text, msgstr=message.target, obsolete=obsolete,
        comment="\n".join(filter(None, notes)), tcomment=message.remark, flags=["fuzzy"] * message.fuzzy,
        occurrences=[(catalog.source_path, str(message.line))] if message.line else [],
        previous_msgid=message.previous or None,
    )


def parse(data: bytes, name: str) -> Catalog:
    """The catalog in a file's bytes. Raises ConfigError: the message says where and what to do."""
    try:
        text = data.decode("utf-8-sig")
        require_whole(text, name)
        file = polib.pofile(text, wrapwidth=WIDTH)
    except UnicodeDecodeError as error:
        raise ConfigError(f"{name}: is not UTF-8 at byte {error.start}; save it as UTF-8") from error
    except (OSError, ValueError) as error:
        reason = " ".join(str(error).split())
        raise ConfigError(f"{name}: is no PO file ({reason}); export it again") from error
    page = file.metadata.get("X-Hexapla-Page", "")
    if not page:
        raise ConfigError(f"{name}: its header names no page (X-Hexapla-Page); import files that hexapla exported")
    found: dict[bool, list[Message]] = {False: [], True: []}
    for entry in file:
        if entry.msgctxt is None:
            continue
        section, number = place_of(entry.msgctxt.rpartition("#")[2])
        exported = re.search(rf"^{EXPORTED}(\w+)$", entry.comment, re.M)
        found[bool(entry.obsolete)].append(Message(
            section, entry.msgid, number, entry.msgstr, entry.linenum or 0, entry.fuzzy, entry.previous_msgid or "",
            exported=exported[1] if exported else "", remark=entry.tcomment,
        ))
    meta, count, written = file.metadata, len(found[False]), file.metadata.get(COUNT, "")
    if written.isdecimal() and count < int(written):
        raise ConfigError(
            f"{name}: holds {count} of its {written} messages; {CUT}, or take the line {COUNT} out of its header")
    last = found[False][-1].target if found[False] else ""
    if last != last.rstrip():  # between two of its lines: no message of a page ends by white space
        raise ConfigError(f"{name}: its last translation ends by white space; {CUT}, or take that out")
    return Catalog(page, bcp47(meta.get("Language", "")), "", "", meta.get("X-Hexapla-Source", ""),
                   tuple(found[False]), tuple(found[True]), meta)


def require_whole(text: str, name: str) -> None:
    """See that every string of a PO file is closed, and every message has its translation. Raises ConfigError."""
    lines, word = text.split("\n"), "msgstr"
    for number, line in enumerate(lines, 1):
        found = LINE.fullmatch(line.rstrip("\r"))
        if found is None and line.strip() and (not line.startswith("#") or line.startswith(("#~", "#|"))):
            raise ConfigError(f"{name}:{number}: is no PO file here ({line.strip()[:40]!r}); {CUT}, or export it again")
        word = found["word"] or word if found else word
    if not word.startswith("msgstr"):
        raise ConfigError(f"{name}:{len(lines)}: the last message has no msgstr; {CUT}")
    if lines[-1]:
        raise ConfigError(f"{name}:{len(lines)}: the last line has no end; {CUT}, or put a line break there")
