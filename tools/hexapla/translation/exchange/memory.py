"""What translators' tools learn from: the glossary as TBX, the pairs that are finished as TMX."""

from collections.abc import Iterable, Mapping, Sequence
from typing import cast

from lxml import etree

from hexapla.glossary import Term
from hexapla.translation.exchange.messages import Message

XML = "{http://www.w3.org/XML/1998/namespace}"
TBX = "urn:iso:std:iso:30042:ed-2"
NAMES = cast("Mapping[str, str]", {None: TBX})  # the default namespace, which the stubs do not know


def tbx(terms: Sequence[Term], source: str, language: str) -> bytes:
    """The glossary in two languages, TBX-Basic (ISO 30042:2019, dialect TBX-Basic, style dca)."""
    root = etree.Element(f"{{{TBX}}}tbx", {"style": "dca", "type": "TBX-Basic", f"{XML}lang": source}, NAMES)
    header = etree.SubElement(etree.SubElement(root, f"{{{TBX}}}tbxHeader"), f"{{{TBX}}}fileDesc")
    description = etree.SubElement(header, f"{{{TBX}}}sourceDesc")
    etree.SubElement(description, f"{{{TBX}}}p").text = "Exported by hexapla from the glossary of the documentation."
    body = etree.SubElement(etree.SubElement(root, f"{{{TBX}}}text"), f"{{{TBX}}}body")
    for number, term in enumerate(terms, 1):
        rendering = term.term if term.keep else term.renderings.get(language)
        if not rendering:
            continue
        entry = etree.SubElement(body, f"{{{TBX}}}conceptEntry", id=f"c{number}")
        words = [(source, term.term, "preferredTerm-admn-sts"), (language, rendering, "preferredTerm-admn-sts")]
        words += [(language, word, "admittedTerm-admn-sts") for word in term.also.get(language, ())]
        words += [(language, word, "deprecatedTerm-admn-sts") for word in term.forbidden.get(language, ())]
        sections: dict[str, etree._Element] = {}
        for code, word, status in words:
            if code not in sections:
                sections[code] = etree.SubElement(entry, f"{{{TBX}}}langSec", {f"{XML}lang": code})
            made = etree.SubElement(sections[code], f"{{{TBX}}}termSec")
            etree.SubElement(made, f"{{{TBX}}}term").text = word
            etree.SubElement(made, f"{{{TBX}}}termNote", type="administrativeStatus").text = status
    return packed(root)


def tmx(found: Iterable[Message], source: str, language: str, version: str) -> bytes:
    """The finished pairs, TMX 1.4."""
    root = etree.Element("tmx", version="1.4")
    etree.SubElement(root, "header", {
        "creationtool": "hexapla", "creationtoolversion": version, "segtype": "paragraph", "o-tmf": "markdown",
        "adminlang": "en", "srclang": source, "datatype": "plaintext",
    })
    body = etree.SubElement(root, "body")
    done = {(each.text, each.target): None for each in found if each.target and not each.fuzzy}
    for text, target in done:
        unit = etree.SubElement(body, "tu")
        for code, words in ((source, text), (language, target)):
            variant = etree.SubElement(unit, "tuv", {f"{XML}lang": code})
            etree.SubElement(variant, "seg").text = words
    return packed(root)


def packed(root: "etree._Element") -> bytes:
    """A document's bytes."""
    etree.indent(root)
    return bytes(etree.tostring(root, xml_declaration=True, encoding="UTF-8")) + b"\n"
