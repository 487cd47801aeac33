"""The glossary as TBX-Basic, which translators' tools import as a term base."""

from collections.abc import Sequence

from lxml import etree

from hexapla.glossary import Term
from hexapla.languages import bcp47
from hexapla.translation.exchange.xml_document import XML, xml_bytes

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
