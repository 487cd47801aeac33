"""Links of one page: whether each leads to something that is there, and is one at all."""

import re
from collections.abc import Iterator
from posixpath import basename

from hexapla.checks.context import RuleContext, Violation
from hexapla.checks.nearest import nearest_name
from hexapla.checks.rules.links.identity import heading_places
from hexapla.pages import Link
from hexapla.pages.slugs import link_id

SCHEMES = {
    "about", "chrome", "data", "doi", "file", "ftp", "ftps", "git", "http", "https", "irc", "ircs", "javascript",
    "magnet", "mailto", "news", "slack", "sms", "ssh", "tel", "urn", "vbscript", "vscode", "ws", "wss", "xmpp",
}
SCHEME = re.compile(r"(?P<scheme>[A-Za-z][A-Za-z0-9+.-]*):")
GLUED = re.compile(r"[A-Za-z]+?(?=https?://)|https?:/?(?=[^/])|https?;//|https?//", re.I)
# A link that the renderer did not make: `[text](target` with no end, or a space between the brackets' two pairs.
UNCLOSED = re.compile(
    r"""(?<!\\)\[[^\[\]\n]{1,200}\]\((?:[a-z]+://|\.{0,2}/|\#|[\w-]+\.md)[^()\s{}]*(?:[ \t]*$|[ \t]+(?!["'<{]))""", re.X
)
# A link that the renderer did not make although its brackets close: CommonMark takes no target with a space in it.
SHOWN = re.compile(r"\[[^\[\]\n\ufffc]{1,200}\]\([^()\n\ufffc\"']{1,200}[ \t][^()\n\ufffc\"']{1,200}\)")
SHOWS = re.compile(r"[ \t>]*@\[[a-z]")  # VuePress' way to show a file or a film: `@[code ts](@/a.ts)`, `@[youtube](id)`
# A table that a program writes, whose links to `#content-name` are titles of pictures.
BOT_TABLE = re.compile(r"<!-- ALL-CONTRIBUTORS-LIST:START.*?<!-- ALL-CONTRIBUTORS-LIST:END", re.S)
UNKNOWABLE = re.compile(r"\{\{|\{%|\$\{")
FRAGILE = re.compile(r"_\d+|(?P<base>.+)[_-]\d+")
PATH_WITH_SPACE = re.compile(r"^[#/.]|\{|\.\w{1,5}(?:[#?]|$)")
NEAREST = 10_000  # ids that those which are not there are compared with, on one page


def broken(context: RuleContext) -> Iterator[Violation]:
    """Links to pages, files and ids that are not there, and links to ids that the next heading added will move."""
    document, left = context.document, NEAREST
    text = context.page.text
    made = {line for match in BOT_TABLE.finditer(text)
            for line in range(text.count("\n", 0, match.start()), text.count("\n", 0, match.end()))}
    for link in context.page.links:
        if link.target.startswith("#") and link.line - 1 in made:
            continue
        if describe_malformation(link) or SHOWS.match(context.page.lines[link.line - 1]):
            continue
        leads = context.tree.resolve(document.path, document.language, link.target, link.image)
        if leads is None:
            continue
        where = (link.line, link.column)
        if not leads.exists:
            message = f"this {'image' if link.image else 'link'} leads nowhere: {link.target!r}"
            yield Violation("link-target-missing", link.target, message, "correct the path", *where)
            continue
        ids = context.tree.ids(leads.path)
        if ids is None or not leads.anchor or leads.anchor == "top":
            continue
        if leads.anchor not in ids and link_id(leads.anchor, context.tree.layout.anchors) not in ids:
            if not ids.open:
                left -= len(ids.headings)
                near = nearest_name(leads.anchor, ids.headings) if left > 0 else ""
                hint = f"did you mean #{near}?" if near else "name an id it has"
                message = f"{leads.path} has no id {leads.anchor!r}"
                yield Violation("link-anchor-missing", f"{leads.name}#{leads.anchor}", message, hint, *where)
        elif moves_with_headings(leads.anchor, ids.headings):
            yield Violation(
                "anchor-fragile", link.target,
                f"the id {leads.anchor!r} counts headings and changes when one is added",
                f"give that heading of {leads.path} an id of its own and link to it", *where,
            )


def moves_with_headings(anchor: str, headings: tuple[str, ...]) -> bool:
    """Whether an id is a number, or that of a second heading with the same words."""
    match = FRAGILE.fullmatch(anchor)
    if match is None:
        return False
    known = heading_places(headings)
    return anchor in known and (match["base"] is None or match["base"] in known)


def malformed(context: RuleContext) -> Iterator[Violation]:
    """Targets that are no address and no path, and links that never became one."""
    framework = context.tree.layout.framework
    lists = basename(context.document.path) == framework.contents
    for link in context.page.links:
        if lists and not link.target:
            continue
        if reason := describe_malformation(link):
            yield Violation("link-malformed", link.target or link.text, reason, "write the address or the path alone",
                            link.line, link.column, shared=link.target or reason)
        elif (not link.text and not link.image and not framework.titles and link.offset > 2
              and context.page.text.startswith("[](", link.offset - 3)):
            yield Violation("link-malformed", link.target,
                            f"the link to {link.target!r} has no words, so nobody can follow it",
                            "write its words between the brackets", link.line, link.column)
    for block in context.page.blocks:
        if "](" not in block.text:
            continue
        line, column = block.line, 1
        spaced = {match.start() for match in SHOWN.finditer(block.text)}
        for match in UNCLOSED.finditer(block.text):
            if match.start() in spaced:
                continue  # told below, with all of its target
            message = f"this was to be a link and is shown as text: {match.group().strip()!r}"
            line, column = find_text(context, match.group().strip(), block.line, (line, column))
            yield Violation("link-malformed", match.group().strip(), message, "close its brackets", line, column)
        line, column = block.line, 1
        for match in SHOWN.finditer(block.text):
            line, column = find_text(context, match.group(), block.line, (line, column))
            if column > 1 and context.page.lines[line - 1][column - 2] == "\\":
                continue  # its author escaped it
            found = context.page.lines[line - 1].startswith(match.group(), column - 1)
            if found and not UNKNOWABLE.search(match.group()):
                message = f"this was to be a link and is shown as text: {match.group()!r}"
                yield Violation("link-malformed", match.group(), message, "write an address or a path without spaces",
                                line, column)


def describe_malformation(link: Link) -> str:
    """What is wrong with a target as such, "" for nothing."""
    target = link.target
    if not target:
        return f"the link {link.text!r} has no target" if not link.image else "an image without a path"
    if GLUED.match(target):
        return f"{target!r} is no address: something stands before or inside its scheme"
    scheme = SCHEME.match(target)
    name = scheme["scheme"].lower() if scheme else ""
    if name and name not in SCHEMES and "://" in target and set(name) <= set("https"):  # htttps, htps
        return f"{target!r} is no address"
    if scheme is None and " " in target and not PATH_WITH_SPACE.search(target):
        return f"text stands where a path belongs: {target!r}"
    if scheme is None and re.search(r"[\u3000-\u303f\uff00-\uff65]", re.split("[?#]", target, maxsplit=1)[0]):
        return f"punctuation of the sentence stands in the target: {target!r}"
    if name in SCHEMES and (re.search(r"[\u3001\u3002\uff0c\uff08\uff09\uff1a]", target.partition("#")[0])
                            or target[-1] in "\u3001\u3002\uff0c"):
        return f"punctuation of the sentence stands in the address: {target!r}"
    return ""


def find_text(context: RuleContext, written: str, line: int, after: tuple[int, int]) -> tuple[int, int]:
    """The line and column of a text that stands on `line` or below, (line, 1) where it cannot be found.

    It is looked for first from `after` on, where the one before it was found: a line may hold thousands.
    """
    for first, start in (after, (line, 1)):
        for number, text in enumerate(context.page.lines[first - 1 : line + 200], first):
            if (column := text.find(written, start - 1 if number == first else 0)) >= 0:
                return number, column + 1
    return line, 1
