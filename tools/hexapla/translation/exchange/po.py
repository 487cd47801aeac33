"""Catalogs as PO files, for Poedit, OmegaT and other tools that read gettext's format."""

import polib  # type: ignore[import-untyped]

from hexapla.errors import ConfigError
from hexapla.languages import bcp47, locale
from hexapla.translation.exchange.catalog import Catalog, Message, place_of

SUFFIX = ".po"
WIDTH = 100


def dump(catalog: Catalog) -> bytes:
    """The file's bytes; the same for the same catalog, with no date in it."""
    file = polib.POFile(wrapwidth=WIDTH)
    file.metadata = {
        "Project-Id-Version": catalog.page,
        "Language": locale(catalog.language),
        "Language-Team": "none",
        "Last-Translator": "none",
        "PO-Revision-Date": "YEAR-MO-DA HO:MI+ZONE",
        "MIME-Version": "1.0",
        "Content-Type": "text/plain; charset=UTF-8",
        "Content-Transfer-Encoding": "8bit",
        "X-Generator": "hexapla",
        "X-Hexapla-Page": catalog.page,
        "X-Hexapla-Source": catalog.blob,
    }
    for each in catalog.messages:
        file.append(polib.POEntry(
            msgctxt=f"{catalog.page}#{each.place}", msgid=each.text, msgstr=each.target,
            comment="\n".join(filter(None, (each.kind, each.review and f"needs review: {each.review}"))),
            occurrences=[(catalog.source_path, str(each.line))], flags=["fuzzy"] if each.fuzzy else [],
            previous_msgid=each.previous or None, previous_msgctxt=None,
        ))
    return f"{file}\n".encode()


def parse(data: bytes, name: str) -> Catalog:
    """The catalog in a file's bytes. Raises ConfigError: the message says where and what to do."""
    try:
        file = polib.pofile(data.decode("utf-8-sig"), wrapwidth=WIDTH)
    except UnicodeDecodeError as error:
        raise ConfigError(f"{name}: is not UTF-8 at byte {error.start}; save it as UTF-8") from error
    except (OSError, ValueError) as error:
        reason = " ".join(str(error).split())
        raise ConfigError(f"{name}: is no PO file ({reason}); export it again") from error
    page = file.metadata.get("X-Hexapla-Page", "")
    if not page:
        raise ConfigError(f"{name}: its header names no page (X-Hexapla-Page); import files that hexapla exported")
    found = []
    for entry in file:
        if entry.obsolete or entry.msgctxt is None:
            continue
        section, number = place_of(entry.msgctxt.rpartition("#")[2])
        found.append(Message(section, entry.msgid, number, entry.msgstr, entry.linenum or 0, entry.fuzzy))
    language = bcp47(file.metadata.get("Language", ""))
    return Catalog(page, language, "", "", file.metadata.get("X-Hexapla-Source", ""), tuple(found))
