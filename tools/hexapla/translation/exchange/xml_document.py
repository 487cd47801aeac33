"""XML as the exchange formats write it: UTF-8, indented, with a declaration."""

from lxml import etree

XML = "{http://www.w3.org/XML/1998/namespace}"


def xml_bytes(root: "etree._Element") -> bytes:
    """A document's bytes."""
    etree.indent(root)
    return bytes(etree.tostring(root, xml_declaration=True, encoding="UTF-8")) + b"\n"
