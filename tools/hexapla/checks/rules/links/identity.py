"""What a link stands for, whatever the language: two links that ought to lead to the same place have one identity."""

import re
from functools import lru_cache
from posixpath import join, normpath
from urllib.parse import unquote, urlsplit

from hexapla.checks.context import Document, RuleContext
from hexapla.checks.memo import memoized
from hexapla.checks.site_index import Target
from hexapla.languages import ADDRESS_CODES, base, match_any_code
from hexapla.pages import Link

Identity = tuple[str, ...]
ANY = "*"  # a place on a page that is some heading's, nobody can tell which of the source's

# A language in an address: `ja.`, `zh-hans.`, `/zh-CN/`, `?hl=ko`. Two letters alone are taken for one only where
# they are a language's.
LANGUAGE = rf"(?:(?:{match_any_code(ADDRESS_CODES)})(?:[-_](?:[a-z]{{2}}|[a-z]{{4}}|419))?)"
PATH_LANGUAGE = re.compile(rf"(?:^|(?<=/))(?:(?:lang|i18n|intl|locales?|l10n)/)?{LANGUAGE}(?=/|$)", re.I)
# Texts, for `re` to compile when it is asked: few addresses can have a language there, and compiling takes its time.
HOST_LANGUAGE = rf"(?i)^(?:www\.)?(?:(?P<code>{LANGUAGE})\.)?(?:m\.)?(?=[^.]+\.[^.])"
INNER_LANGUAGE = rf"(?i)(?<=\.){LANGUAGE}\.(?=[^.]+\.[^.])"  # v2.cn.vuejs.org
QUERY_LANGUAGE = rf"(?i)(?:^|&)(?:hl|lang|locale|language)={LANGUAGE}(?=&|$)"
FILE_LANGUAGE = rf"(?i)[-_.]{LANGUAGE}(?=\.[a-z0-9]+$)"
INDEX = re.compile(r"(?:^|/)(?:_?index|README)$")
RELATIVE = re.compile(r"\.{1,2}/(?!.*\.mdx?\b)")
TEXT_VALUE = re.compile(r"(?<==)[^&=]*[+ ][^&=]*[+ ][^&=]*")  # the words of a search or a demonstration
STATE = 60  # characters of a fragment from which on it is the state of a playground, not an id
# Sites that moved and whose old addresses lead to the new ones.
MOVED = {"twitter.com": "x.com", "hf.co": "huggingface.co", "vitejs.dev": "vite.dev", "reactjs.org": "react.dev"}
WIKIS = r"(?i)(?:^|\.)(wikipedia|wiktionary|wikibooks|wikiquote|wikisource|wikimedia)\.org$"


@lru_cache(maxsize=4096)
def host_of(target: str) -> str:
    """The host of an address without `www.` and without a language, "" for none."""
    try:
        name = urlsplit(target.strip()).hostname or ""
    except ValueError:
        return ""
    if name.count(".") > 1:
        name = re.sub(HOST_LANGUAGE, "", name)
    if name.count(".") > 2:
        name = re.sub(INNER_LANGUAGE, "", name)
    return MOVED.get(name, name)


def link_identity(context: RuleContext, document: Document, link: Link) -> Identity:
    """The page and the place on it, for a link inside the tree; the address without its language for another."""
    leads = context.tree.resolve(document.path, document.language, link.target, link.image)
    if leads is not None and leads.path:
        return ("page", INDEX.sub("", leads.name), anchor_in_source(context, document, leads))
    if leads is not None:
        return ("nowhere", address_without_language(link.target))
    if name := site_page(context, link.target):
        return ("page", name, link.target.partition("#")[2])
    if RELATIVE.match(link.target):
        return ("address", address_without_language(normpath(join("/", document.name, link.target))))
    return ("address", address_without_language(link.target))


def site_page(context: RuleContext, target: str) -> str:
    """The page that a site path (`/course/chapter1/2`) names behind the site's own prefix, "" for none."""
    if not target.startswith("/") or target.startswith("//"):
        return ""
    parts = PATH_LANGUAGE.sub("", unquote(target.partition("#")[0].partition("?")[0])).strip("/").split("/")
    for start in range(min(3, len(parts))):
        name = "/".join(filter(None, parts[start:]))
        if "/" in name and any(context.tree.translated(name + index) for index in ("", "/index", "/_index")):
            return INDEX.sub("", name)
    return ""


def anchor_in_source(context: RuleContext, document: Document, leads: Target) -> str:
    """An anchor as the source calls it: a translated id stands for that of the same heading of the source's page."""
    if not leads.anchor or context.source is None or document is context.source:
        return leads.anchor
    own = context.tree.ids(leads.path)
    theirs = context.tree.source_ids(leads.name)
    if own is None or theirs is None or leads.anchor in theirs:
        return leads.anchor
    number = heading_places(own.headings).get(leads.anchor)
    if number is None:
        return leads.anchor
    return theirs.headings[number] if len(own.headings) == len(theirs.headings) else ANY


@memoized
def heading_places(headings: tuple[str, ...]) -> dict[str, int]:
    """The place of each heading's id among a page's, the first of equal ones."""
    return {anchor: number for number, anchor in reversed([*enumerate(headings)])}


@lru_cache(maxsize=4096)
def address_without_language(target: str) -> str:
    """An address with its language taken out."""
    try:
        parts = urlsplit(target.strip())
    except ValueError:
        return target
    name = host_of(target)
    path = PATH_LANGUAGE.sub("", unquote(parts.path)).replace("//", "/").strip("/")
    query = TEXT_VALUE.sub("", re.sub(QUERY_LANGUAGE, "", unquote(parts.query))) if parts.query else ""
    fragment = unquote(parts.fragment)
    if len(fragment) >= STATE and "://" not in fragment:
        fragment = ""
    elif "/" in fragment:
        fragment = PATH_LANGUAGE.sub("", fragment).replace("//", "/")
    return f"{name or parts.scheme + ':'}/{path}?{query}#{fragment}"


def languages_named(target: str) -> list[str]:
    """The codes of the languages that an address names, in its path and its host.

    >>> languages_named("https://ja.react.dev/ko/page.html")
    ['ko', 'ja']
    """
    try:
        parts = urlsplit(target.strip())
    except ValueError:
        return []
    codes = [match[0].rpartition("/")[2] for match in PATH_LANGUAGE.finditer(parts.path)]
    match = re.match(HOST_LANGUAGE, parts.hostname or "")
    return [*codes, match["code"]] if match and match["code"] else codes


def is_translated(target: str, source: str) -> bool:
    """Whether an address names a language other than the source's, or an id that is not English."""
    named = any(base(code) != source for code in languages_named(target))
    return named or not unquote(target.partition("#")[2]).isascii()


def is_localized(target: str, language: str) -> bool:
    """Whether an address, or its file's name, names the language that it is in, as somebody chose it.

    >>> is_localized("https://example.org/zh-CN/docs/", "zh"), is_localized("https://example.org/en/docs/", "zh")
    (True, False)
    """
    in_file = re.search(FILE_LANGUAGE, target.partition("#")[0].partition("?")[0])
    return base(language) in {*map(base, languages_named(target)), in_file and base(in_file[0][1:])}


def encyclopedia_host(address: str) -> str:
    """The host of an encyclopedia's address, "" for another's."""
    name = address.partition("/")[0]
    return name if re.search(WIKIS, name) else ""


def file_name(target: str) -> str:
    """The last part of an image's path, without a language and without letter case."""
    last = unquote(target.partition("?")[0].rpartition("/")[2])
    return re.sub(FILE_LANGUAGE, "", last).lower()
