"""The index of a tree: its pages, their ids, and where the links between them lead, fallbacks of languages included."""

import contextlib
import os
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from posixpath import basename, dirname, join, normpath, relpath
from typing import NamedTuple
from urllib.parse import unquote

from hexapla.cache import Cache
from hexapla.checks.memo import memoized
from hexapla.config.layout import INDEXES, Layout, fixed_folder, index_pages
from hexapla.examples.page_blocks import read_blocks
from hexapla.examples.snippet import Snippets
from hexapla.file_digests import FileDigests
from hexapla.files import open_file, read_text, walk_files
from hexapla.frameworks.hosted_redirects import redirected_addresses
from hexapla.frameworks.jekyll_permalinks import fill_permalink
from hexapla.pages.slugs import github_slug, is_loose, loose_id
from hexapla.yaml_text import texts_in

SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:|//")
UNKNOWABLE = re.compile(r"^(?:@[\w-]+|~[\w-]*)/|\{\{|\{%|\{[\w.]+\}|%7B%7B|\$\{|<|>")
FEED = re.compile(r"(?:^|/)(?:(?:rss|atom|feed|sitemap)[\w-]*\.xml|llms[\w-]*\.txt)$")  # which a build writes
ALIASES = "<aliases>"     # in `dependencies`: all aliases of the tree
SNIPPET = "<snippet>"     # in `dependencies`: before the path of an included file
FIGURE = "<figure>"       # in `dependencies`: before a reference into the evidence
HEAD = 4096  # bytes of a page in which its other addresses are looked for
LISTED = re.compile(
    r"^(?P<key>\w+):[ \t]*(?:\[(?P<flow>[^\]]*)\]|\n(?P<block>(?:[ \t]*-[ \t]+[^\n]+\n)+)|(?P<one>[^\s\[][^\n]*))", re.M
)
IGNORED_PAGE = re.compile(r"(?:^|/)\*(?:\.mdx?)?$|\.mdx?$")  # `*.md` and `a/*` for a folder, `a.md` for a page
COLLECTED = (".md", ".markdown", ".html")
REDIRECTING = {"aliases", "redirect_from"}
PARTIAL = re.compile(r"/(?:_[^/]*|includes|partials|snippets)/")
INDEX = re.compile(rf"(?:^|/)(?:{'|'.join(INDEXES)})$")


class Target(NamedTuple):
    """Where a link leads: `name` is the page's, or the path of a file that is no page; `path` is "" for nowhere."""

    name: str
    anchor: str
    path: str
    exists: bool


@dataclass(frozen=True, slots=True)
class Ids:
    """The ids of a page that links can name. `headings` are in order, `names` all; `open` says that there may be more.

    `included` are the paths of the files that the page shows as text, whose ids are its own.
    """

    headings: tuple[str, ...]
    names: frozenset[str]
    open: bool
    included: tuple[str, ...] = ()

    def __contains__(self, anchor: object) -> bool:
        return anchor in self.names


class SiteIndex:
    """The pages of a tree by language and name, and where a link leads. `read_ids` returns the ids of a page.

    `dependencies` collects what answers were made of: paths of pages and of other files, there or not. `files`, and
    their cache, are for rules of the tree that know all that theirs are made of.
    """

    def __init__(self, layout: Layout, read_ids: Callable[[str], Ids], files: FileDigests | None = None) -> None:
        self.layout = layout
        self.files = files or FileDigests(Cache(None))
        self.read_ids = read_ids
        self.pages = index_pages(layout)
        self.owners = {path: (code, name) for code, pages in self.pages.items() for name, path in pages.items()}
        self.known_ids: dict[str, Ids] = {}
        self.dependencies: set[str] = set()
        self.generated = tuple(generated_folders(layout))
        self.redirected = frozenset(redirected_addresses(layout.root, layout.site, layout.framework))
        self.redirected_below = tuple(each for each in self.redirected if each.endswith("/"))
        self.roots = {code: layout.start(code) for code in self.pages}

    def open_snippets(self) -> Iterator[Snippets]:
        """The folders that pages include from, each with the programs that stand in pages."""
        pages = self.pages[self.layout.source] if self.layout.run_blocks else {}
        blocks = read_blocks((name, self.layout.root / path) for name, path in pages.items())
        return (Snippets(folder, self.layout.snippets, blocks) for folder in self.layout.snippets)

    @cached_property
    def folders(self) -> frozenset[str]:
        """Folders below a language's that have pages of their own, not an index alone."""
        names = {self.bare_name(name) for pages in self.pages.values() for name in pages}
        return frozenset(dirname(name) for name in names if name.rpartition("/")[2] not in INDEXES)

    @cached_property
    def tops(self) -> frozenset[str]:
        """The pages and folders that lie directly in a language's."""
        return frozenset({self.bare_name(name).split("/")[0] for pages in self.pages.values() for name in pages})

    def own(self, file: str) -> bool:
        """Whether a site path is the tree's own, and not that of a part of the site that is built elsewhere."""
        parts = re.sub(r"\.html?$", "", file).strip("/").split("/")
        if parts[0] in self.pages:
            parts = parts[1:] or [""]
        if self.layout.framework.base == f"{parts[0]}/":
            parts = parts[1:] or [""]
        return parts == [""] or (parts[0] in self.tops if len(parts) == 1 else "/".join(parts[:-1]) in self.folders)

    def ids(self, path: str) -> Ids | None:
        """The ids of the page at `path`, None where it is no page."""
        if path not in self.owners:
            return None
        self.dependencies.add(path)
        language, name = self.owners[path]
        source = self.source_ids(name) if language in self.layout.completed else None
        if path not in self.known_ids:
            own = self.read_ids(path)
            if source is not None or self.layout.plugin_ids:
                own = replace(own, names=own.names | self.layout.plugin_ids | (source.names if source else frozenset()),
                              open=own.open or (source is not None and source.open))
            self.known_ids[path] = own
        return self.known_ids[path]

    def translated(self, name: str) -> bool:
        """Whether a language other than the source's has the page of that name."""
        return any(name in self.pages[code] for code in self.layout.languages)

    def source_ids(self, name: str) -> Ids | None:
        """The ids of the source's page of that name, None where there is none."""
        return self.ids(self.pages[self.layout.source].get(name, ""))

    def has_included(self, path: str, page: str) -> bool:
        """Whether the file is there that such a directive names in a page.

        VitePress' other paths than `@/` are seen from the page's file: what lies beside the root, as in a repository of
        several packages, is not looked for. The other directives stay in the root.
        """
        # os.path: a name that no file can have is one that is not there; Path raises OSError
        base = dirname(page) if self.layout.inclusions is None else relpath(self.layout.inclusions, self.layout.root)
        bases = self.alias_folders(page) if path.startswith("@/") else [base]
        places = [normpath(join(each, path.removeprefix("@/"))) for each in bases]
        self.dependencies.update(places)
        if any(place.startswith("../") for place in places):
            return self.layout.inclusions is None
        return any(not place.startswith("/") and os.path.isfile(self.layout.root / place)  # noqa: PTH113
                   for place in places)

    def alias_folders(self, page: str) -> list[str]:
        """What VitePress' `@` may be on a page: the folder of its site, or the one below with the site's pages.

        Where each language has a site, the latter is one of those between the page and the site.
        """
        around = list(folders_around(page))
        marks = [join(each, ".vitepress") for each in around]
        self.dependencies.update(marks)
        last = next((n for n, mark in enumerate(marks) if (self.layout.root / mark).is_dir()), len(around) - 1)
        content = self.layout.source_pattern.partition("{")[0]
        if not around[last] or content.startswith(f"{around[last]}/"):
            return [around[last], content]
        return around[: last + 1]

    def resolve(self, path: str, language: str, target: str, image: bool = False) -> Target | None:
        """Where `target` leads from the page at `path`; None where it leaves the tree or cannot be known.

        An image shows a file, never what a label names.
        """
        target = section_target(target.strip(), self.layout.framework.section_key)
        if SCHEME.match(target) or UNKNOWABLE.search(target):
            return None
        file, _, fragment = target.partition("#")
        anchor = unquote(fragment.partition(":~:")[0])
        if is_loose(self.layout.anchors):
            anchor = loose_id(anchor)
        file = unquote(file.partition("?")[0])
        if self.layout.framework.labels and not image and re.fullmatch(self.layout.framework.labels, file):
            return None
        if anchor.startswith("/"):
            return None  # an address of a program on the page, which takes it from there
        if FEED.search(file) or (file and not file.startswith("/") and is_partial(self.layout, path)):
            return None
        if not file:
            return Target(self.owners[path][1], anchor, path, True)
        if file.startswith("/"):
            candidates = list(self.absolute(file.strip("/"), language))
        else:
            candidates = list(self.relative(path, file))
            candidates += [place for each in candidates for place in self.served(each, language)]
        candidates = [normpath(each) if ".." in each else each for each in candidates]  # what leaves the root says so
        for candidate in candidates:
            if found := self.page_at(candidate, language, file.startswith("/")):
                self.dependencies.add(found)
                return Target(self.owners[found][1], anchor, found, True)
        if file.startswith("/") and not self.own(file):
            return None
        if self.generated and any(f"{candidate}/".startswith(self.generated) for candidate in candidates):
            return None
        for candidate in candidates:
            for place in self.fallback_paths(candidate, language):
                for each in dict.fromkeys((place, re.sub(r"\.html$", ".md", place))):
                    self.dependencies.add(each)
                    if not each.startswith("../") and os.path.exists(self.layout.root / each):  # noqa: PTH110
                        return Target(each, anchor, each, True)
        self.dependencies.update(candidates)
        other = self.page_at_address(candidates, language)
        if other is not None:
            return Target(self.owners[other][1], anchor, other, True) if other else None
        return Target(candidates[0] if candidates else file, anchor, "", False)

    @cached_property
    def addresses(self) -> dict[str, dict[str, str]]:
        """By site path, without slashes around it: the page that each language has there besides its own path.

        It is "" for a path that only redirects.
        """
        found = {place: {self.layout.source: ""} for place in self.redirected}
        if not (self.layout.framework.keys or self.layout.framework.order or self.layout.framework.slugs):
            return found
        permalinks = self.layout.framework.permalinks(self.layout.root / self.layout.site)
        beside = walk_files(self.layout.root, self.layout.site.rstrip("/")) if self.layout.framework.collects else ()
        for path in (each for each in beside if each.endswith(COLLECTED) and each not in self.owners):
            for _, place in self.written_addresses(path):
                found.setdefault(place.strip("/"), {})[self.layout.source] = ""
        for code, name, path in ((code, *item) for code, pages in self.pages.items() for item in pages.items()):
            inside = path.removeprefix(self.layout.site)
            if given := next((link for folder, link in permalinks if inside.startswith(folder)), ""):
                place = re.sub(r"(?:(?:^|/)index)?\.html$", "", fill_permalink(given, inside).strip("/"))
                for each in (place, f"{place}.html"):
                    found.setdefault(each, {})[code] = path
            if (bare := self.bare_name(name)) != name:
                found.setdefault(INDEX.sub("", bare), {})[code] = path
            for key, each in self.written_addresses(path):
                place = normpath(join("/", dirname(bare), each)).strip("/")
                found.setdefault(place, {})[code] = "" if key in REDIRECTING else path
        return found

    def written_addresses(self, path: str) -> Iterator[tuple[str, str]]:
        """The addresses that a file's front matter gives it, each with the framework's key for it."""
        with contextlib.suppress(OSError), open_file(self.layout.root, path) as stream:  # its check says so
            head = stream.read(HEAD).decode("utf-8", "replace").replace("\r\n", "\n")
            for key, each in written_addresses(head.partition("\n---")[0]) if head.startswith("---") else ():
                if key in self.layout.framework.keys:
                    yield key, each

    @cached_property
    def places(self) -> dict[str, str]:
        """By page: the site path that it has besides its own."""
        return {path: place for place, pages in self.addresses.items() for path in pages.values() if path}

    def bare_name(self, name: str) -> str:
        """The name of a page as its address has it: `start/install` of `1.start/2.install`, `a/v20` of `A/v2.0`."""
        framework = self.layout.framework
        bare = re.sub(rf"(^|/){framework.order}", r"\1", name) if framework.order else name
        return "/".join(map(github_slug, bare.split("/"))) if framework.slugs else bare

    def page_at_address(self, candidates: list[str], language: str) -> str | None:
        """The page that is reached at an address which its file does not have, "" for a redirect, None for none."""
        self.dependencies.add(ALIASES)
        for place in candidates:
            for code in sorted(self.roots, key=lambda each: (each != language, -len(self.roots[each]))):
                inside = place.removeprefix(self.roots[code]).strip("/")
                if not place.startswith(self.roots[code]):
                    continue
                if pages := self.addresses.get(inside):
                    return pages.get(code, pages.get(self.layout.source, ""))
                if inside.startswith(self.redirected_below):
                    return ""
        return None

    def absolute(self, file: str, language: str) -> Iterator[str]:
        """Paths that a site path may stand for: in the page's language, or in the one it starts with."""
        first, _, rest = file.partition("/")
        localizes = self.layout.framework.localizes or self.layout.elsewhere is not None
        base, home = self.layout.framework.base, language if localizes else self.layout.source
        suffix = self.layout.suffix(first) if first in self.roots else ""
        if suffix and suffix != self.layout.suffix(self.layout.source):
            yield from (f"{self.roots[first]}{each}{suffix}" for each in (rest, join(rest, "index")))
        for code, inside in ((first, rest), (home, file)):
            if code in self.roots:
                yield self.roots[code] + inside
                if base and inside.startswith(base):
                    yield self.roots[code] + inside.removeprefix(base)
        yield from self.served(self.roots[home] + file, home)

    def served(self, candidate: str, language: str) -> Iterator[str]:
        """The files that the site serves from its root and that a path in a language's folder may stand for."""
        root = self.roots[language]
        if candidate.startswith(root):
            shared = fixed_folder(self.layout.pattern)
            for folder in self.layout.framework.static:
                place = shared if folder == "{content}" else f"{self.layout.site}{folder}"
                yield join(place, candidate.removeprefix(root))

    def relative(self, path: str, file: str) -> Iterator[str]:
        """Paths that a relative target may stand for: seen from the page's file, and from its address on the site."""
        suffix = next((each for each in self.layout.suffixes(self.owners[path][0]) if path.endswith(each)), "")
        named = "." in file.rsplit("/", 1)[-1].strip(".")
        for origin in self.layout.framework.links:
            if origin == "file" or (origin == "named file" and named):
                yield normpath(join(dirname(path), file))
            elif origin == "folder":
                named_so = basename(path).removesuffix(suffix) in {*INDEXES, basename(dirname(path))}
                if place := self.places.get(path):
                    yield self.roots[self.owners[path][0]] + normpath(join(dirname(place), file))
                elif named_so:
                    yield normpath(join(dirname(dirname(path)), file))
            elif origin == "root":
                yield from self.absolute(normpath(file), self.owners[path][0])
            elif origin == "content" and not file.startswith("."):
                yield self.roots[self.owners[path][0]] + file
            elif origin == "address" and not file.endswith((".md", ".mdx")):
                address = path.removesuffix(suffix)
                parent, _, last = address.rpartition("/")
                yield normpath(join(parent if last in INDEXES else address, file))

    def page_at(self, candidate: str, language: str, absolute: bool = True) -> str | None:
        """The page that a path stands for, in its own language or in one shown instead of it.

        Where the languages are endings of names, a path that is not absolute stays in the page's.
        """
        codes = self.roots if absolute else {language: self.roots[language], **self.roots}
        first = "" if absolute or "{lang}" in self.layout.source_pattern else self.layout.suffix(self.layout.source)
        if first and (own := candidate.removesuffix(first) + self.layout.suffix(language)) in self.owners:
            return own
        for place in self.fallback_paths(candidate, language):
            if place in self.owners:
                return place
            code = next((code for code, folder in codes.items() if place.startswith(folder)), language)
            bare = re.sub(r"\.mdx?$" if self.layout.framework.slugs else r"(?:(?:^|/)index)?\.html?$", "", place)
            fronts = (*INDEXES, basename(bare)) if "folder" in self.layout.framework.links else INDEXES
            for suffix in self.layout.suffixes(code):
                for name in (bare + suffix, *(join(bare, front) + suffix for front in fronts)):
                    if name in self.owners:
                        return name
        return None

    def fallback_paths(self, candidate: str, language: str) -> Iterator[str]:
        """A path in its own language, then the same one in the languages shown instead."""
        candidate = "" if candidate == "." else candidate
        yield candidate
        own = self.roots[language]
        if candidate == own.rstrip("/") or candidate.startswith(own):
            inside = candidate[len(own) :]
            suffix, mine = self.layout.suffix(language), self.layout.suffix
            for other in self.layout.shown(language)[1:] if self.layout.framework.falls_back else ():
                if inside.endswith(suffix) and suffix != mine(other):
                    inside = inside.removesuffix(suffix) + mine(other)
                yield self.roots[other] + inside


def section_target(target: str, key: str) -> str:
    """A target as a path and an anchor, where a program on the page takes both out of its query.

    >>> section_target("/#/guide/a?id=b", "id"), section_target("a#b", "")
    ('/guide/a#b', 'a#b')
    """
    if not key:
        return target
    file, _, query = re.sub(r"^[./]*#/", "/", target).partition("?")
    named = re.search(rf"(?:^|&){key}=([^&#]*)", query)
    return f"{file}#{named[1]}" if named else file


def folders_around(path: str) -> Iterator[str]:
    """The folders that a path lies in, from the innermost one to the root, which is "".

    >>> list(folders_around("docs/guide/a.md"))
    ['docs/guide', 'docs', '']
    """
    while path:
        path = dirname(path)
        yield path


def is_partial(layout: Layout, path: str) -> bool:
    """Whether a page is part of others, as those below a folder `_includes` are: its address is theirs.

    One that the navigation names has an address of its own.
    """
    if not PARTIAL.search(f"/{path}"):  # hardly any: each link of each page asks
        return False
    codes = (layout.source, *layout.languages)
    inside = path.removeprefix(next(filter(path.startswith, map(layout.start, codes)), ""))
    if not PARTIAL.search(f"/{inside}"):
        return False
    first = layout.suffix(layout.source)  # the navigation names the source's pages
    names = {inside.removesuffix(layout.suffix(code)) + first for code in codes}
    return named_in(layout.navigation).isdisjoint(names)


@memoized
def named_in(navigation: object) -> frozenset[str]:
    """All that a navigation names."""
    return frozenset(texts_in(navigation))


def generated_folders(layout: Layout) -> Iterator[str]:
    """What something else makes: the navigation names folders that are not there, git ignores pages, Hugo mounts."""
    folders = [layout.folder(code) for code in (layout.source, *layout.languages)]
    for inside in layout.framework.fill(layout.root / layout.site, fixed_folder(layout.source_pattern)):
        yield from (f"{folder}{inside}" for folder in folders)
    for path in ignored_paths(layout):
        yield f"{path}/"
        if path.startswith(folders[0]):
            yield from (f"{folder}{path.removeprefix(folders[0])}/" for folder in folders[1:])
    for entry in texts_in(layout.navigation):
        if entry.endswith("/") and "://" not in entry and not (layout.root / folders[0] / entry).is_dir():
            yield from (folder + entry for folder in folders)


def ignored_paths(layout: Layout) -> Iterator[str]:
    """The folders and pages, without ending, that git is told not to keep: what is not there is made.

    That is told beside the site or among its pages.
    """
    sources = walk_files(layout.root, fixed_folder(layout.source_pattern))
    among = [path for path in sources if path.endswith("/.gitignore")]
    for file in dict.fromkeys((f"{layout.site}.gitignore", *among)):
        with contextlib.suppress(OSError):
            lines = read_text(layout.root, file, "replace").splitlines()
            whole = file in among and not any(line.startswith("!") for line in lines)  # that may admit pages
            for line in lines:
                name = IGNORED_PAGE.sub("", line.strip().strip("/"))
                if (name or whole) and not set(name) & set("#*?[!.") and line.strip():
                    yield f"{dirname(file)}/{name}".strip("/")


def written_addresses(head: str) -> Iterator[tuple[str, str]]:
    """The addresses that a front matter names, each with its key: a text, or a YAML list in either of its forms."""
    for match in LISTED.finditer(f"{head}\n"):
        flow = match["flow"]
        for entry in flow.split(",") if flow is not None else (match["block"] or match["one"]).split("\n"):
            if address := entry.strip().removeprefix("- ").strip().strip("\"'"):
                yield match["key"], address
