"""Catalogs as XLIFF 2.0 files, for Poedit and other tools: code, targets and tags are placeholders there."""

from collections import defaultdict, deque
from collections.abc import Mapping
from typing import cast

from lxml import etree

from hexapla.errors import ConfigError
from hexapla.languages import bcp47
from hexapla.pages.verbatim import find_verbatim
from hexapla.translation.memory.catalog import Catalog, Message, place_of
from hexapla.translation.memory.tmx import XML, parse_xml

SUFFIX = ".xlf"
NAMESPACE = "urn:oasis:names:tc:xliff:document:2.0"
NAMES = cast("Mapping[str, str]", {None: NAMESPACE})  # the default namespace, which the stubs do not know
DONE = {"translated", "reviewed", "final"}
POEDIT_FUZZY = "poedit:fuzzy"  # it writes that beside the state `translated`
# Categories of notes; others are a translator's.
OURS = {"location", "kind", "made", "previous", "needs review", "exported", "translation memory"}
KEPT = {"mrk", "pc"}  # what a tool may put around text
SILENT = {"sm", "em"}


class UnreadableTargetError(ValueError):
    """A target that cannot be read back as text."""


def name_tag(name: str) -> str:
    return f"{{{NAMESPACE}}}{name}"


def dump(catalog: Catalog) -> bytes:
    """The file's bytes."""
    languages = {"srcLang": bcp47(catalog.source), "trgLang": bcp47(catalog.language)}
    root = etree.Element(name_tag("xliff"), {"version": "2.0", **languages}, NAMES)
    file = etree.SubElement(root, name_tag("file"), id="page", original=catalog.source_path)
    notes = etree.SubElement(file, name_tag("notes"))
    for category, value in (("page", catalog.page), ("source", catalog.blob)):
        etree.SubElement(notes, name_tag("note"), category=category).text = value
    every = (*catalog.messages, *catalog.obsolete)
    segments = [add_unit(file, each, number, catalog.source_path) for number, each in enumerate(every, 1)]
    for segment in segments[len(catalog.messages) :]:  # XLIFF has no word for what is there no more
        cast("etree._Element", segment.getparent()).set("translate", "no")
    etree.indent(root)
    for segment, each in zip(segments, every, strict=True):  # white space counts inside of these
        segment.text = "\n        "
        segment.append(inline_element("source", each.text, each.text))
        if each.target:
            segment[-1].tail = segment.text
            segment.append(inline_element("target", each.target, each.text))
        segment[-1].tail = "\n      "
    return bytes(etree.tostring(root, xml_declaration=True, encoding="UTF-8")) + b"\n"


def add_unit(file: "etree._Element", message: Message, number: int, path: str) -> "etree._Element":
    """Add a unit for one message, with what its placeholders stand for; its segment, still empty."""
    made = etree.SubElement(file, name_tag("unit"), id=f"u{number}", name=message.place)
    notes = etree.SubElement(made, name_tag("notes"))
    location = f"{path}:{message.line}" if message.line else ""
    told = {"location": location, "kind": message.kind, "made": message.made, "previous": message.previous,
            "needs review": message.review, "translation memory": message.memory, "remark": message.remark,
            "exported": message.exported}
    for category, text in told.items():
        if text:
            etree.SubElement(notes, name_tag("note"), category=category).text = text
    if pieces := number_pieces(message.text):
        data = etree.SubElement(made, name_tag("originalData"))
        for name, piece in enumerate(pieces, 1):
            etree.SubElement(data, name_tag("data"), {"id": f"d{name}", f"{XML}space": "preserve"}).text = piece
    segment = etree.SubElement(made, name_tag("segment"))
    if message.target:
        segment.set("state", "initial" if message.fuzzy else "translated")
    return segment


def number_pieces(text: str) -> dict[str, deque[int]]:
    """The pieces of code, targets and tags in a text, each with its numbers among them, from 1."""
    found: defaultdict[str, deque[int]] = defaultdict(deque)
    for number, match in enumerate(find_verbatim(text), 1):
        found[match.group()].append(number)
    return found


def inline_element(name: str, text: str, source: str) -> "etree._Element":
    """A text with its placeholders, each with the id that it has in the source; other pieces stay text."""
    made = etree.Element(name_tag(name), {f"{XML}space": "preserve"})
    left = number_pieces(source)  # the numbers that are not used yet
    names, more = {piece: f"d{name}" for name, piece in enumerate(left, 1)}, sum(map(len, left.values()))
    texts, position = [], 0
    for match in find_verbatim(text):
        if (piece := match.group()) in left:
            texts.append(text[position : match.start()])
            number = left[piece].popleft() if left[piece] else more + len(texts)  # oftener than in the source
            etree.SubElement(made, name_tag("ph"), id=f"p{number}", dataRef=names[piece], disp=piece)
            position = match.end()
    made.text, *tails = *texts, text[position:]
    for child, tail in zip(made, tails, strict=True):
        child.tail = tail
    return made


def parse(data: bytes, name: str) -> Catalog:
    """The catalog in a file's bytes. Raises ConfigError."""
    root = parse_xml(data, name)
    if root.getroottree().docinfo.internalDTD is not None:
        raise ConfigError(f"{name}: declares a document type, which XLIFF has not; remove the DOCTYPE")
    if root.tag != name_tag("xliff"):
        raise ConfigError(f"{name}: is no XLIFF 2.0 ({root.tag}); export it again, or convert it to 2.0")
    notes = root.iterfind(f"{name_tag('file')}/{name_tag('notes')}/*")
    noted = {note.get("category"): note.text or "" for note in notes}
    if not noted.get("page"):
        raise ConfigError(f"{name}: names no page (a note of category `page`); import files that hexapla exported")
    found: dict[bool, list[Message]] = {False: [], True: []}
    for element in root.iter(name_tag("unit")):
        found[element.get("translate") == "no"].append(read_unit(element))
    languages = root.get("trgLang") or "", root.get("srcLang") or ""
    return Catalog(noted["page"], *languages, "", noted.get("source", ""), tuple(found[False]), tuple(found[True]))


def read_unit(unit: "etree._Element") -> Message:
    """One message; a target that holds what is not XLIFF's becomes a problem."""
    data = {each.get("id"): each.text or "" for each in unit.iter(name_tag("data"))}
    section, number = place_of(unit.get("name") or "")
    source = target = problem = ""
    fuzzy = False
    for segment in unit.iter(name_tag("segment")):
        source += text_of(segment.find(name_tag("source")), data)
        fuzzy = fuzzy or segment.get("state", "translated") not in DONE or segment.get("subState") == POEDIT_FUZZY
        try:
            target += text_of(segment.find(name_tag("target")), data)
        except UnreadableTargetError as error:
            problem = str(error)
    line = cast(int, unit.sourceline) or 0
    noted = {note.get("category"): note.text or "" for note in unit.iterfind(f"{name_tag('notes')}/{name_tag('note')}")}
    remark = "\n".join(text for category, text in noted.items() if category not in OURS)
    return Message(
        section, source, number, "" if problem else target, line, fuzzy, noted.get("previous", ""), problem=problem,
        exported=noted.get("exported", ""), remark=remark,
    )


def text_of(element: "etree._Element | None", data: dict[str | None, str]) -> str:
    """The text of a source or target. Raises UnreadableTargetError."""
    if element is None:
        return ""
    parts = [element.text or ""]
    for child in element:
        if not isinstance(child.tag, str):
            raise UnreadableTargetError(f"it holds an entity or an instruction ({child.text})")
        name = child.tag.removeprefix(f"{{{NAMESPACE}}}")
        if name == "ph" and child.get("dataRef") in data:
            parts.append(data[child.get("dataRef")])
        elif name in KEPT:
            parts.append(text_of(child, data))
        elif name not in SILENT:
            raise UnreadableTargetError(f"it holds <{name}>, which is not among the placeholders that were exported")
        parts.append(child.tail or "")
    return "".join(parts)
