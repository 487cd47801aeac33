"""TMX: pairs that somebody brought to `translations/` from another translation memory."""

from collections.abc import Iterator
from pathlib import Path

from lxml import etree

from hexapla.config.layout import RECORDS, Layout
from hexapla.errors import ConfigError
from hexapla.files import join_inside, read_file, replace_if_unchanged
from hexapla.languages import bcp47
from hexapla.pages.invisible import HIDDEN
from hexapla.translation.memory.pairs import MemoryEntry

SUFFIX = ".tmx"
XML = "{http://www.w3.org/XML/1998/namespace}"


def tmx_pairs(layout: Layout, language: str) -> Iterator[MemoryEntry]:
    """The pairs of the files in `translations/` for a language, which nobody has read. Raises ConfigError."""
    folder = layout.root / RECORDS
    for file in sorted(folder.glob(f"*{SUFFIX}")) if folder.is_dir() else ():
        path = file.relative_to(layout.root).as_posix()
        for source, target in parse_tmx(read_tmx(join_inside(layout.root, path), path), path, layout.source, language):
            yield MemoryEntry(source, target, "", "", path, False)


def take_in(layout: Layout, file: Path, put: bool) -> str:
    """Copy a TMX file into `translations/`, with `put`, and say how many pairs it has for the tree."""
    data = read_tmx(file, str(file))
    counts = {code: len(parse_tmx(data, str(file), layout.source, code)) for code in layout.languages}
    told = ", ".join(f"{code} {count}" for code, count in counts.items() if count)
    if not told:
        raise ConfigError(f"{file}: has no pair of {layout.source} and {', '.join(layout.languages)}; name another one")
    target = f"{RECORDS}/{file.name}"
    if put:
        there = join_inside(layout.root, target)
        replace_if_unchanged(there, there.read_bytes() if there.is_file() else None, data)
    return f"{target}: {'written' if put else 'would be written, with --write'}; pairs by language: {told}\n"


def read_tmx(file: Path, name: str) -> bytes:
    """The bytes of a TMX file. Raises ConfigError."""
    try:
        return read_file(file.resolve().parent, file.resolve())
    except OSError as error:
        raise ConfigError(f"{name}: {error.strerror or error}; it has to be a TMX file that can be read") from error


def parse_tmx(data: bytes, name: str, source: str, language: str) -> list[tuple[str, str]]:
    """The pairs of two languages in a file's bytes. Raises ConfigError."""
    root = parse_xml(data, name)
    if root.tag != "tmx":
        raise ConfigError(f"{name}: is no TMX ({root.tag}); export the memory as TMX 1.4")
    found = (unit_texts(unit) for unit in root.iter("tu"))
    pairs = ((text_in_language(texts, source), text_in_language(texts, language)) for texts in found)
    return [pair for pair in dict.fromkeys(pairs) if all(pair) and not HIDDEN.search("".join(pair))]


def parse_xml(data: bytes, name: str) -> "etree._Element":
    """The root of a document; no entity is resolved, nothing is fetched. Raises ConfigError."""
    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False)
    try:
        return etree.fromstring(data, parser)
    except etree.XMLSyntaxError as error:
        raise ConfigError(f"{name}: is no XML ({error.msg}); export it again") from error


def unit_texts(unit: "etree._Element") -> dict[str, str]:
    """The texts of a unit by language; what a tool put in as markup of its own is left out."""
    return {
        bcp47(variant.get(f"{XML}lang") or variant.get("lang") or ""): segment_text(segment)
        for variant in unit.iterfind("tuv") if (segment := variant.find("seg")) is not None
    }


def segment_text(segment: "etree._Element") -> str:
    """The text of a segment with that of its highlights; native codes of other formats go."""
    parts = [segment.text or ""]
    for child in segment:
        parts += [segment_text(child) if child.tag in {"hi", "sub"} else "", child.tail or ""]
    return "".join(parts)


def text_in_language(texts: dict[str, str], language: str) -> str:
    """The text in a language: in just this one, else in one of its regions (`en-US` for `en`), "" for none."""
    wanted = bcp47(language)
    if wanted in texts:
        return texts[wanted]
    return next((text for code, text in texts.items() if code.partition("-")[0] == wanted), "")
