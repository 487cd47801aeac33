"""The glossary as TBX-Basic and finished translations as TMX: a term base and a memory for translators' tools."""

from collections.abc import Iterable, Sequence

from lxml import etree

from hexapla.glossary import Term
from hexapla.languages import bcp47
from hexapla.translation.memory.catalog import Message

XML = "{http://www.w3.org/XML/1998/namespace}"
BASIC = "http://www.lisa.org/fileadmin/standards/tbx_basic/TBXBasicXCSV02.xcs"


def tbx(terms: Sequence[Term], source: str, language: str) -> bytes:
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


def tmx(found: Iterable[Message], source: str, language: str, version: str) -> bytes:
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
    return xml_bytes(root)


def xml_bytes(root: "etree._Element") -> bytes:
    """A document's bytes: UTF-8, indented, with a declaration."""
    etree.indent(root)
    return bytes(etree.tostring(root, xml_declaration=True, encoding="UTF-8")) + b"\n"
