"""TMX and TBX: pairs that somebody brought to `translations/`, and a memory and a glossary for translators' tools."""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from lxml import etree

from hexapla.config.layout import RECORDS, Layout
from hexapla.errors import ConfigError
from hexapla.files import inside, replace_if_unchanged, resolve_inside
from hexapla.glossary import Term
from hexapla.languages import bcp47
from hexapla.pages.invisible import HIDDEN
from hexapla.translation.memory.catalog import Message
from hexapla.translation.memory.pairs import MemoryEntry

SUFFIX = ".tmx"
LARGEST = 64_000_000  # bytes of a file
XML = "{http://www.w3.org/XML/1998/namespace}"
BASIC = "http://www.lisa.org/fileadmin/standards/tbx_basic/TBXBasicXCSV02.xcs"


def tmx_pairs(layout: Layout, language: str) -> Iterator[MemoryEntry]:
    """The pairs of the files in `translations/` for a language; nobody has read them against this source.

    Raises ConfigError for a file that cannot be read.
    """
    folder = layout.root / RECORDS
    for file in sorted(folder.glob(f"*{SUFFIX}")) if folder.is_dir() else ():
        path = file.relative_to(layout.root).as_posix()
        resolve_inside(layout.root, path)
        for source, target in parse_tmx(read_file(file, path), path, layout.source, language):
            yield MemoryEntry(source, target, "", "", path, False)


def take_in(layout: Layout, file: Path, put: bool) -> str:
    """Copy a TMX file into `translations/`, with `put`, and say how many pairs it has in the languages of the tree.

    Raises ConfigError for a file that cannot be read, or has none.
    """
    data = read_file(file, str(file))
    counts = {code: len(parse_tmx(data, str(file), layout.source, code)) for code in layout.languages}
    told = ", ".join(f"{code} {count}" for code, count in counts.items() if count)
    if not told:
        raise ConfigError(f"{file}: has no pair of {layout.source} and {', '.join(layout.languages)}; name another one")
    target = f"{RECORDS}/{file.name}"
    if put:
        there = inside(layout.root, target)
        replace_if_unchanged(there, there.read_bytes() if there.is_file() else None, data)
    return f"{target}: {'written' if put else 'would be written, with --write'}; pairs by language: {told}\n"


def read_file(file: Path, name: str) -> bytes:
    """The bytes of a TMX file. Raises ConfigError."""
    try:
        if file.stat().st_size > LARGEST:
            raise ConfigError(f"{name}: is larger than {LARGEST // 1_000_000} MB; export a part of that memory")
        return file.read_bytes()
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


def write_tbx(terms: Sequence[Term], source: str, language: str) -> bytes:
    """The glossary in two languages: TBX-Basic of ISO 30042:2008, since OmegaT and others do not read that of 2019.

    A forbidden rendering is put in a note: some tools would offer a deprecated term.
    """
    root = etree.Element("martif", {"type": "TBX-Basic", f"{XML}lang": bcp47(source)})
    header = etree.SubElement(root, "martifHeader")
    description = etree.SubElement(etree.SubElement(header, "fileDesc"), "sourceDesc")
    etree.SubElement(description, "p").text = "Exported by hexapla from the glossary of the documentation."
    etree.SubElement(etree.SubElement(header, "encodingDesc"), "p", type="XCSURI").text = BASIC
    body = etree.SubElement(etree.SubElement(root, "text"), "body")
    for number, term in enumerate(terms, 1):
        rendering = term.term if term.keep else term.renderings.get(language)
        if not rendering:
            continue
        entry = etree.SubElement(body, "termEntry", id=f"c{number}")
        lang_set(entry, source, [term.term])
        target = lang_set(entry, language, [rendering, *term.also.get(language, ())])
        if wrong := term.forbidden.get(language):
            note = etree.Element("note")
            note.text = f"not: {', '.join(wrong)}"
            target.insert(0, note)
    etree.indent(root)
    return xml_bytes(root)


def lang_set(entry: "etree._Element", language: str, words: Sequence[str]) -> "etree._Element":
    """The terms for a concept in one language, the preferred one first."""
    made = etree.SubElement(entry, "langSet", {f"{XML}lang": bcp47(language)})
    for number, word in enumerate(words):
        term = etree.SubElement(made, "tig")
        etree.SubElement(term, "term").text = word
        if number:
            etree.SubElement(term, "termNote", type="administrativeStatus").text = "admittedTerm-admn-sts"
    return made


def write_tmx(found: Iterable[Message], source: str, language: str, version: str) -> bytes:
    """The finished pairs, TMX 1.4; of a message that changed, what it was before and its translation."""
    root = etree.Element("tmx", version="1.4")
    etree.SubElement(root, "header", {
        "creationtool": "hexapla", "creationtoolversion": version, "segtype": "paragraph", "o-tmf": "markdown",
        "adminlang": "en", "srclang": bcp47(source), "datatype": "plaintext",
    })
    body = etree.SubElement(root, "body")
    finished = ((each.previous if each.fuzzy else each.text, each.target) for each in found)
    for text, target in dict.fromkeys(pair for pair in finished if all(pair)):
        unit = etree.SubElement(body, "tu")
        for code, words in ((source, text), (language, target)):
            variant = etree.SubElement(unit, "tuv", {f"{XML}lang": bcp47(code)})
            etree.SubElement(variant, "seg").text = words
    etree.indent(root)
    return xml_bytes(root)


def xml_bytes(root: "etree._Element") -> bytes:
    """A document's bytes: UTF-8, with a declaration."""
    return bytes(etree.tostring(root, xml_declaration=True, encoding="UTF-8")) + b"\n"
