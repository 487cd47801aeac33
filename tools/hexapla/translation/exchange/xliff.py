"""Catalogs as XLIFF 2.0 files, for Poedit and other tools: code, targets and tags are placeholders there."""

from collections import defaultdict, deque
from collections.abc import Mapping, Sequence
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
    for segment, _ in segments[len(catalog.messages) :]:  # XLIFF has no word for what is there no more
        cast("etree._Element", segment.getparent()).set("translate", "no")
    etree.indent(root)
    for (segment, pieces), each in zip(segments, every, strict=True):  # white space counts inside of these
        segment.text = "\n        "
        segment.append(inline_element("source", each.text, pieces))
        if each.target:
            segment[-1].tail = segment.text
            segment.append(inline_element("target", each.target, pieces))
        segment[-1].tail = "\n      "
    return bytes(etree.tostring(root, xml_declaration=True, encoding="UTF-8")) + b"\n"


def add_unit(
    file: "etree._Element", message: Message, number: int, path: str
) -> "tuple[etree._Element, list[str]]":
    """A unit for one message: its segment, still empty, and what stands in the source as placeholders, in order."""
    made = etree.SubElement(file, name_tag("unit"), id=f"u{number}", name=message.place)
    notes = etree.SubElement(made, name_tag("notes"))
    location = f"{path}:{message.line}" if message.line else ""
    told = {"location": location, "kind": message.kind, "made": message.made, "previous": message.previous,
            "needs review": message.review, "translation memory": message.memory, "remark": message.remark,
            "exported": message.exported}
    for category, text in told.items():
        if text:
            etree.SubElement(notes, name_tag("note"), category=category).text = text
    pieces = [match.group() for match in find_verbatim(message.text)]
    if pieces:
        data = etree.SubElement(made, name_tag("originalData"))
        for piece, name in piece_names(pieces).items():
            etree.SubElement(data, name_tag("data"), {"id": name, f"{XML}space": "preserve"}).text = piece
    segment = etree.SubElement(made, name_tag("segment"))
    if message.target:
        segment.set("state", "initial" if message.fuzzy else "translated")
    return segment, pieces


def piece_names(pieces: Sequence[str]) -> dict[str, str]:
    """The names of a unit's pieces of code, targets and tags."""
    return {piece: f"d{number}" for number, piece in enumerate(dict.fromkeys(pieces), 1)}


def inline_element(name: str, text: str, pieces: Sequence[str]) -> "etree._Element":
    """A text with its placeholders, each with the id that it has in the source; other pieces stay text."""
    made = etree.Element(name_tag(name), {f"{XML}space": "preserve"})
    names = piece_names(pieces)
    left: defaultdict[str, deque[int]] = defaultdict(deque)  # the numbers of each piece that are not used yet
    for number, piece in enumerate(pieces, 1):
        left[piece].append(number)
    position, last, children = 0, None, 0
    for match in find_verbatim(text):
        piece = match.group()
        if piece not in names:
            continue
        append_text(made, last, text[position : match.start()])
        children += 1
        number = left[piece].popleft() if left[piece] else len(pieces) + children  # oftener than in the source
        last = etree.SubElement(made, name_tag("ph"), id=f"p{number}", dataRef=names[piece], disp=piece)
        position = match.end()
    append_text(made, last, text[position:])
    return made


def append_text(parent: "etree._Element", last: "etree._Element | None", text: str) -> None:
    """Put text after the last child of an element, or at its start."""
    if last is None:
        parent.text = (parent.text or "") + text
    else:
        last.tail = (last.tail or "") + text


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
