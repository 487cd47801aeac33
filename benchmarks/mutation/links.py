"""Defects of links, anchors, images, includes and HTML."""

import re
from dataclasses import replace

from hexapla.pages import Link
from hexapla.pages.evidence_references import evidence_references
from hexapla.pages.reader import read

from benchmarks.mutation.spots import Seed, Seeder, Spot, at, atx, choose, runs


def swapped(spot: Spot, link: Link, target: str, what: str) -> Seed:
    """The page with one link's target replaced."""
    text = spot.page.text
    return Seed(text[: link.offset] + target + text[link.offset + len(link.written) :], link.line, what)


def written(spot: Spot, image: bool = False) -> list[Link]:
    """Links whose target stands in the page as it is."""
    return [link for link in spot.page.links if link.offset >= 0 and link.image is image and link.written
            and spot.page.text[link.offset : link.offset + len(link.written)] == link.written]


def inner(spot: Spot) -> list[Link]:
    """Links to pages of the tree that are there."""
    found = []
    for link in written(spot):
        leads = spot.case.tree.resolve(spot.case.document.path, spot.language, link.target)
        if leads is not None and leads.exists and leads.path.endswith((".md", ".mdx")):
            found.append(link)
    return found


def path_of(link: Link) -> str:
    """A target without its fragment."""
    return link.written.partition("#")[0]


def gone(spot: Spot) -> Seed | None:
    """A letter of a path changed, so that it names nothing."""
    chosen = choose(spot, [link for link in inner(spot) if re.search("[a-z]{3}", path_of(link))])
    if chosen is None:
        return None
    path = path_of(chosen)
    place = choose(spot, [match.start() for match in re.finditer(r"[a-z](?=[a-z_-]+(?:\.md|/|$|-|_))", path)])
    if place is None:
        return None
    return swapped(spot, chosen, path[:place] + "qz" + path[place + 1 :] + chosen.written[len(path) :], "path changed")


def anchor_gone(spot: Spot) -> Seed | None:
    """A fragment that names no id: a letter changed, or one added to a link without."""
    chosen = choose(spot, [link for link in inner(spot) if len(link.written.partition("#")[2]) > 2])
    if chosen is None:
        return None
    path, _, fragment = chosen.written.partition("#")
    place = spot.rng.randrange(len(fragment))
    return swapped(spot, chosen, f"{path}#{fragment[:place]}qz{fragment[place + 1 :]}", "fragment changed")


def elsewhere(spot: Spot) -> Seed | None:
    """A link to another page that the page links to as well, or another address at the same host."""
    found = written(spot)
    chosen = choose(spot, found)
    if chosen is None:
        return None
    if chosen.written.startswith("http"):
        return swapped(spot, chosen, chosen.written.split("#")[0].rstrip("/") + "/other", "address changed")
    others = [link for link in inner(spot) if path_of(link) != path_of(chosen) and path_of(link)]
    other = choose(spot, others)
    return None if other is None else swapped(spot, chosen, other.written, "other page")


INLINE = re.compile(r"(?<!!)\[([^\[\]\n]+)\]\(([^()\s]+)\)")


def unlinked(spot: Spot) -> Seed | None:
    """A link whose text is left alone."""
    targets = {(link.line, link.written) for link in written(spot)}
    found = [(number, match) for number, line in enumerate(spot.lines, 1) for match in INLINE.finditer(line)
             if (number, match[2]) in targets]
    chosen = choose(spot, found)
    if chosen is None:
        return None
    number, match = chosen
    return at(spot, number, match.string[: match.start()] + match[1] + match.string[match.end() :], "link lost")


def added(spot: Spot) -> Seed | None:
    """A link more, to a page or an address that the page links to already."""
    link, run = choose(spot, written(spot)), choose(spot, runs(spot.page, items=False))
    if link is None or run is None:
        return None
    return at(spot, run.last, spot.lines[run.last - 1].rstrip("\n") + f" [link]({link.written})\n", "link added")


def broken(spot: Spot) -> Seed | None:
    """A target that is no address: glued letters, words, a bracket that does not close."""
    targets = {(link.line, link.written) for link in written(spot)}
    found = [(number, match) for number, line in enumerate(spot.lines, 1) for match in INLINE.finditer(line)
             if (number, match[2]) in targets and match[2].startswith("http")]
    chosen = choose(spot, found)
    if chosen is None:
        return None
    number, match = chosen
    target, line = match[2], match.string
    wrong = spot.rng.choice((f"(T{target})", f"({target.replace('://', ':/', 1)})", "(请参阅 文档)", f"({target} "))
    return at(spot, number, line[: match.start(2) - 1] + wrong + line[match.end() :], "malformed")


def stranger(spot: Spot) -> Seed | None:
    """The host of an address changed as a phisher would."""
    chosen = choose(spot, [link for link in written(spot) if re.match(r"https?://[a-z][^/:]+(?:/|$)", link.written)])
    if chosen is None:
        return None
    host = chosen.written.split("/")[2]
    near = host.replace("o", "0", 1) if "o" in host else f"{host}.ru"
    other = spot.rng.choice((near, f"{host}.example.net", f"login-{host}"))
    return swapped(spot, chosen, chosen.written.replace(host, other, 1), "host changed")


PIN = re.compile(r"[ \t]*\{:?[ \t]*#([^\s{}]+)[ \t]*\}[ \t]*$|[ \t]*\[\[([^\[\]]+)\]\][ \t]*$")


def pinned(spot: Spot) -> list[tuple[int, re.Match[str]]]:
    """The headings with an id written out, whose words alone would give another."""
    return [(mine.line, match) for mine, other in atx(spot) if mine.id and mine.id == other.anchor
            and slug(mine.text) != mine.id and (match := PIN.search(spot.lines[mine.line - 1].rstrip("\n")))]


def slug(text: str) -> str:
    """An id as Python-Markdown makes it."""
    return re.sub(r"[-\s]+", "-", re.sub(r"[^\w\s-]", "", text.encode("ascii", "ignore").decode()).strip().lower())


def unpinned(spot: Spot) -> Seed | None:
    """A heading without the id that it had."""
    chosen = choose(spot, pinned(spot))
    return None if chosen is None else at(spot, chosen[0], chosen[1].string[: chosen[1].start()] + "\n", "id lost")


def renamed(spot: Spot) -> Seed | None:
    """A heading with another id than its source's."""
    chosen = choose(spot, pinned(spot))
    if chosen is None:
        return None
    number, match = chosen
    group = 1 if match[1] else 2
    line = f"{match.string[: match.end(group)]}-x{match.string[match.end(group) :]}\n"
    return at(spot, number, line, "id changed")


def counted(spot: Spot) -> Seed | None:
    """Two headings with the same words and a link to the second by the id that counts them."""
    chosen = choose(spot, runs(spot.page, items=False))
    if chosen is None:
        return None
    name = f"part{spot.rng.randrange(10**6)}"
    ids = {heading.anchor for heading in read("## X\n\n## X\n", spot.dialect).headings}
    joint = "_" if "x_1" in ids else "-"
    text = f"## {name}\n\n## {name}\n\n[link](#{name}{joint}1)\n\n{spot.lines[chosen.first - 1]}"
    return replace(at(spot, chosen.first, text, "counted id"), line=chosen.first + 4)


def doubled(spot: Spot) -> Seed | None:
    """A heading with the id of another one."""
    found = pinned(spot)
    if len(found) < 2:
        return None
    (_, other), (number, match) = spot.rng.sample(found, 2)
    group = 1 if match[1] else 2
    line = match.string[: match.start(group)] + (other[1] or other[2]) + match.string[match.end(group) :] + "\n"
    return at(spot, number, line, "id doubled")


def redirect_gone(spot: Spot) -> Seed | None:
    """Redirects in a translation, which only its source has."""
    front, text = "---\nredirects: {gone: nowhere.md#gone}\n", spot.page.text
    rest = text.removeprefix("---\n") if spot.page.meta else f"---\n{text}"
    return None if "redirects" in spot.page.meta else Seed(front + rest, 2, "redirect added")


def image_lost(spot: Spot) -> Seed | None:
    """An image with another file."""
    chosen = choose(spot, [link for link in written(spot, image=True) if re.search(r"[a-z]{2}\.\w+$", link.written)])
    return None if chosen is None else swapped(
        spot, chosen, re.sub(r"([a-z])(\.\w+)$", r"\1-old\2", chosen.written), "image changed")


UNSAFE = ("<script>alert(1)</script>", '<img src="x" onerror="alert(1)">', '<a href="javascript:alert(1)">x</a>',
          '<b onmouseover="alert(1)">x</b>',
          '<a href="java&#9;script&colon;alert(1)">x</a>', '<svg><set onbegin="alert(1)"></set></svg>',
          '<svg><a xlink:href="javascript:alert(1)"><text>x</text></a></svg>', '<body onpageshow="alert(1)">',
          '<template><script>alert(1)</script></template>', '<form action="https://example.net"></form>',
          '<meta http-equiv="refresh" content="0;url=https://example.net">', '<style>p { display: none }</style>')


FRAMES = ('<iframe src="https://example.net"></iframe>',)


def unsafe(spot: Spot, elements: tuple[str, ...] = UNSAFE) -> Seed | None:
    """HTML that runs or loads something, as a paragraph or inside one."""
    chosen = choose(spot, runs(spot.page, items=False))
    if chosen is None:
        return None
    line = spot.lines[chosen.first - 1]
    html = spot.rng.choice(elements)
    text = f"{html}\n\n{line}" if spot.rng.random() < 0.5 else f"{line.rstrip()} {html}\n"
    return at(spot, chosen.first, text, "unsafe HTML")


def framed(spot: Spot) -> Seed | None:
    """A frame, as a paragraph or inside one."""
    return unsafe(spot, FRAMES)


INCLUDE = re.compile(r'(--8<--[ \t]+")([^":\n]+)((?::[A-Za-z][-\w]*)?)(")')


def includes(spot: Spot) -> list[tuple[int, re.Match[str]]]:
    """The include directives of a page."""
    return [(include.line, match) for include in spot.page.includes
            if (match := INCLUDE.search(spot.lines[include.line - 1]))]


def include_with(spot: Spot, replacement: str, what: str) -> Seed | None:
    """A page with one include directive rewritten."""
    chosen = choose(spot, includes(spot))
    return None if chosen is None else at(spot, chosen[0], INCLUDE.sub(replacement, chosen[1].string), what)


def include_gone(spot: Spot) -> Seed | None:
    """An include of a file that is not there."""
    return include_with(spot, r"\1\2x\3\4", "file changed")


def section_gone(spot: Spot) -> Seed | None:
    """An include of a section that is not there."""
    return include_with(spot, r"\1\2:nosuch\4", "section changed")


def range_gone(spot: Spot) -> Seed | None:
    """An include of lines that the file has not."""
    return include_with(spot, r"\1\2:99990:99999\4", "range changed")


def figure_gone(spot: Spot) -> Seed | None:
    """A reference into the evidence of a snippet that is not there."""
    chosen = choose(spot, list(evidence_references(spot.page.text)))
    if chosen is None:
        return None
    text, place = spot.page.text, chosen.start + len("`{evidence} ")
    return Seed(f"{text[:place]}x{text[place:]}", chosen.line, "snippet changed")


SEEDERS: dict[str, tuple[Seeder, ...]] = {
    "link-target-missing": (gone,),
    "link-anchor-missing": (anchor_gone,),
    "link-differs": (elsewhere,),
    "link-missing": (unlinked,),
    "link-extra": (added,),
    "link-malformed": (broken,),
    "link-host-new": (stranger,),
    "anchor-unpinned": (unpinned,),
    "anchor-differs": (renamed,),
    "anchor-duplicate": (doubled,),
    "anchor-redirect": (redirect_gone,),
    "anchor-fragile": (counted,),
    "image-differs": (image_lost,),
    "html-unsafe": (unsafe,),
    "html-frame": (framed,),
    "include-missing": (include_gone,),
    "include-section-missing": (section_gone,),
    "include-empty": (range_gone,),
    "evidence-missing": (figure_gone,),
}
