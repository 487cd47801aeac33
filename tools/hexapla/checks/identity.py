"""What a link stands for, whatever the language: two links that ought to lead to the same place have one identity."""

import re
from posixpath import join, normpath
from urllib.parse import unquote, urlsplit

from hexapla.checks.context import Case, Document, Target
from hexapla.pages import Link

Identity = tuple[str, ...]
ANY = "*"  # a place on a page that is some heading's, nobody can tell which of the source's

# A language in an address: `ja.`, `zh-hans.`, `/zh-CN/`, `?hl=ko`. Two letters alone are taken for one only where
# they are a language's; the list is that of translations seen in the wild.
CODES = (
    "ar|az|be|bg|bn|bs|ca|cn|cs|da|de|el|en|eo|es|et|eu|fa|fi|fil|fr|ge|gl|he|hi|hr|hu|hy|id|it|ja|jp|ka|kk|ko|kr|lt|"
    "lv|mk|ml|mn|mr|ms|my|nb|ne|nl|no|pl|pt|ro|ru|si|sk|sl|sq|sr|sv|sw|ta|te|th|tl|tr|tw|uk|ur|uz|vi|yo|zh"
)
LANGUAGE = rf"(?:(?:{CODES})(?:[-_](?:[a-z]{{2}}|[a-z]{{4}}|419))?)"
HOST_LANGUAGE = re.compile(rf"^(?:www\.)?(?:(?P<code>{LANGUAGE})\.)?(?:m\.)?(?=[^.]+\.[^.])", re.I)
INNER_LANGUAGE = re.compile(rf"(?<=\.){LANGUAGE}\.(?=[^.]+\.[^.])", re.I)  # v2.cn.vuejs.org
PATH_LANGUAGE = re.compile(rf"(?:^|(?<=/))(?:(?:lang|i18n|intl|locales?|l10n)/)?{LANGUAGE}(?=/|$)", re.I)
QUERY_LANGUAGE = re.compile(rf"(?:^|&)(?:hl|lang|locale|language)={LANGUAGE}(?=&|$)", re.I)
FILE_LANGUAGE = re.compile(rf"[-_.]{LANGUAGE}(?=\.[a-z0-9]+$)", re.I)
INDEX = re.compile(r"(?:^|/)(?:_?index|README)$")
RELATIVE = re.compile(r"\.{1,2}/(?!.*\.mdx?\b)")
TEXT_VALUE = re.compile(r"(?<==)[^&=]*[+ ][^&=]*[+ ][^&=]*")  # the words of a search or a demonstration
STATE = 60  # characters of a fragment from which on it is the state of a playground, not an id
# Sites that moved and whose old addresses lead to the new ones.
MOVED = {"twitter.com": "x.com", "hf.co": "huggingface.co", "vitejs.dev": "vite.dev", "reactjs.org": "react.dev"}
WIKIS = re.compile(r"(?:^|\.)(wikipedia|wiktionary|wikibooks|wikiquote|wikisource|wikimedia)\.org$", re.I)


def host(target: str) -> str:
    """The host of an address without `www.` and without a language, "" for none."""
    try:
        name = urlsplit(target.strip()).hostname or ""
    except ValueError:
        return ""
    bare = INNER_LANGUAGE.sub("", HOST_LANGUAGE.sub("", name))
    return MOVED.get(bare, bare)


def identity(case: Case, document: Document, link: Link) -> Identity:
    """The page and the place on it, for a link inside the tree; the address without its language for another."""
    leads = case.tree.resolve(document.path, document.language, link.target)
    if leads is not None and leads.path:
        return ("page", INDEX.sub("", leads.name), place(case, document, leads))
    if leads is not None:
        return ("nowhere", address(link.target))
    if name := site_page(case, link.target):
        return ("page", name, link.target.partition("#")[2])
    if RELATIVE.match(link.target):
        return ("address", address(normpath(join("/", document.name, link.target))))
    return ("address", address(link.target))


def site_page(case: Case, target: str) -> str:
    """The page that a site path (`/course/chapter1/2`) names behind the site's own prefix, "" for none."""
    if not target.startswith("/") or target.startswith("//"):
        return ""
    parts = PATH_LANGUAGE.sub("", unquote(target.partition("#")[0].partition("?")[0])).strip("/").split("/")
    for start in range(min(3, len(parts))):
        name = "/".join(filter(None, parts[start:]))
        if "/" in name and any(case.tree.translated(name + index) for index in ("", "/index", "/_index")):
            return INDEX.sub("", name)
    return ""


def place(case: Case, document: Document, leads: Target) -> str:
    """An anchor as the source calls it: a translated id stands for that of the same heading of the source's page."""
    if not leads.anchor or case.source is None or document is case.source:
        return leads.anchor
    own = case.tree.ids(leads.path)
    theirs = case.tree.source_ids(leads.name)
    if own is None or theirs is None or leads.anchor in theirs or leads.anchor not in own.headings:
        return leads.anchor
    number = own.headings.index(leads.anchor)
    return theirs.headings[number] if len(own.headings) == len(theirs.headings) else ANY


def address(target: str) -> str:
    """An address with its language taken out."""
    try:
        parts = urlsplit(target.strip())
    except ValueError:
        return target
    name = host(target)
    path = PATH_LANGUAGE.sub("", unquote(parts.path)).replace("//", "/").strip("/")
    query = TEXT_VALUE.sub("", QUERY_LANGUAGE.sub("", unquote(parts.query)))
    fragment = unquote(parts.fragment)
    if len(fragment) >= STATE and "://" not in fragment:
        fragment = ""
    elif "/" in fragment:
        fragment = PATH_LANGUAGE.sub("", fragment).replace("//", "/")
    return f"{name or parts.scheme + ':'}/{path}?{query}#{fragment}"


def is_translated(target: str, source: str) -> bool:
    """Whether an address names a language other than the source's, or an id that is not English."""
    try:
        parts = urlsplit(target.strip())
    except ValueError:
        return False
    codes = [match[0] for match in PATH_LANGUAGE.finditer(parts.path)]
    codes += [match["code"] for match in [HOST_LANGUAGE.match(parts.hostname or "")] if match and match["code"]]
    return any(code.lower().split("-")[0] != source for code in codes) or not unquote(parts.fragment).isascii()


def encyclopedia(address: str) -> str:
    """The host of an encyclopedia's address, "" for another's."""
    name = address.partition("/")[0]
    return name if WIKIS.search(name) else ""


def file_name(target: str) -> str:
    """The last part of an image's path, without a language and without letter case."""
    last = unquote(target.partition("?")[0].rpartition("/")[2])
    return FILE_LANGUAGE.sub("", last).lower()
