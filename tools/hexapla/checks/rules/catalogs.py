"""Messages of PO files whose translation lacks what it has to keep: links, roles, inline code, placeholders."""

import re
from collections import Counter
from collections.abc import Iterator

from hexapla.checks.finding import Finding
from hexapla.checks.site_index import SiteIndex
from hexapla.errors import ConfigError
from hexapla.frameworks.catalogs import MessageCatalog, TranslatedMessage, find_catalogs, read_catalog

# What stands in a message: code or a role of MyST or reStructuredText, the target of a link, a substitution, a value.
KEPT = re.compile(
    r"""(?:\{(?P<myst>[\w:+-]+)\}|(?<![\w:]):(?P<role>[\w:+-]+):)?
        (?<!`)(?P<ticks>`+)(?!`)(?P<code>.+?)(?<!`)(?P=ticks)(?!`)(?P<named>__?)?
      | \]\((?P<target>[^()\s]*(?:\([^()\s]*\)[^()\s]*)*)
      | (?<![\w|])\|(?P<name>[A-Za-z][\w.-]*)\|
      | (?P<value>%(?:\(\w+\))?[-+#0]?\d*(?:\.\d+)?[diouxXeEfFgGcrsa]\b|\{[\w.!:]*\})""", re.X | re.S)
WORDS = {"abbr", "dfn", "guilabel", "kbd", "menuselection", "sub", "sup", "term"}  # roles whose text is translated
TARGET = re.compile(r"(?s).*<(?P<target>[^<>]+)>$")
FENCE = ("```", "~~~")


def message_differs(tree: SiteIndex) -> Iterator[Finding]:
    """`message-differs` for each thing that the translation of a message of a PO file has not kept."""
    root = tree.layout.root
    for path, language in find_catalogs(root, tree.layout.site, tree.layout.framework):
        try:
            yield from catalog_findings(read_catalog(root, path, language))
        except ConfigError:
            return  # the first lines say what to install
        except (OSError, ValueError) as error:
            reason = " ".join(str(error).split())
            told = re.search(r"line (\d+)", reason)
            line = int(told[1]) if told else 1
            yield Finding(path=path, line=line, column=1, rule="page-unreadable", language=language,
                          message=f"this is no PO file: {reason}", hint="write it again with gettext's tools")


def catalog_findings(catalog: MessageCatalog) -> Iterator[Finding]:
    """The findings of one file."""
    for message in catalog.messages:
        if message.source.startswith(FENCE):
            continue  # a program, whose comments are translated
        wanted, found = (kept_things(text, message) for text in (message.source, message.target))
        if wanted == found:
            continue
        lost, new = wanted - found, found - wanted
        for (kind, thing), _ in sorted(lost.items()):
            if kind == "code" and any(each == "code" and thing.rstrip("/") in one for each, one in found):
                continue  # named in another piece, with its value or the object that has it
            if kind == "link" and "://" in thing and any(each == "link" and "://" in one for each, one in new):
                continue  # the page of that name in the reader's language
            if kind == "code" and " " in thing and any(each == "code" for each, _ in new):
                continue  # words in code, which are translated
            yield message_finding(catalog, message, f"the {kind} {thing!r} of the message is missing", thing,
                                  "bring it back as the message has it")


def kept_things(text: str, message: TranslatedMessage) -> Counter[tuple[str, str]]:
    """What a text has to keep, by kind."""
    found: Counter[tuple[str, str]] = Counter()
    for match in KEPT.finditer(text):
        role, code = match["myst"] or match["role"], match["code"]
        inner = TARGET.match(code) if code else None
        if match["target"] is not None:
            found["link", match["target"]] += 1
        elif match["name"]:
            found["substitution", match["name"]] += message.rest
        elif match["value"]:
            found["placeholder", match["value"]] += message.formatted
        elif role:
            found["role", f"{role} {inner['target'] if inner else code}"] += role.rpartition(":")[2] not in WORDS
        elif match["named"]:
            found["link", inner["target"] if inner else ""] += inner is not None
        else:
            found["code", " ".join(code.split())] += len(match["ticks"]) > 1 or not message.rest
    return +found


def message_finding(catalog: MessageCatalog, message: TranslatedMessage, said: str, thing: str, hint: str) -> Finding:
    """A finding at the thing in the file, or at the start of the translation."""
    line, column = message.line, catalog.lines[message.line - 1].find('"') + 2
    for number in range(message.line, len(catalog.lines) + 1):
        text = catalog.lines[number - 1]
        if number > message.line and not text.startswith('"'):
            break
        if (place := text.find(thing.rpartition(" ")[2])) >= 0:
            line, column = number, place + 1
            break
    return Finding(path=catalog.path, line=line, column=column, rule="message-differs", language=catalog.language,
                   message=said, hint=hint, subject=thing, severity="warning")
