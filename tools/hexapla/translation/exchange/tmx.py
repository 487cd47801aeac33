"""Finished translations as TMX, which translators' tools import as a translation memory."""

from collections.abc import Iterable

from lxml import etree

from hexapla.languages import bcp47
from hexapla.translation.exchange.catalog import Message
from hexapla.translation.exchange.xml_document import XML, xml_bytes


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
