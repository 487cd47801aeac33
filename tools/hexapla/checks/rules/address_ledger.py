"""The ledger of published addresses, `addresses.txt`: every page and id that was published, by release.

    # schema: 1
    [0.1.0]
    docs/en/training.md	Training
    docs/en/training.md#mixed-precision	Mixed precision

Each line has an address below the tree's root and, after a tab, the title it had. `hexapla addresses --write` adds
those that are new; none is taken out. The ids of a translation stand there where its source's page lacks them, as links
to the others are the source's promise.
"""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from difflib import SequenceMatcher
from pathlib import Path
from posixpath import dirname, normpath
from typing import Any, NamedTuple

from hexapla.checks.finding import Finding
from hexapla.checks.rules.id_redirects import Redirect, redirects_of
from hexapla.checks.site_index import INDEX, SiteIndex
from hexapla.config.mkdocs_yaml import plugin_options, site_settings
from hexapla.files import later_schema, read_text
from hexapla.pages import Problem, parse

FILE = "addresses.txt"
RESTORE = f"bring it back as it was: git checkout HEAD -- {FILE}"
SCHEMA = 1
RELEASE = re.compile(r"\[(?P<name>[^\[\]]+)\]")
MARK = re.compile(r"(?:<{7}|={7}|>{7}|\|{7})(?: .*)?")  # of a merge
INTRODUCTION = (
    "# Every address that was published, by release. `hexapla addresses --write` adds to it; what stands here is a "
    f"promise.\n# schema: {SCHEMA}\n"
)
WORDS = re.compile(r"\w+")
LIKE = 0.5  # of the words of an address and its title: less is chance


class Address(NamedTuple):
    """A page, or a section of it by its id, as it was published; `line` is the ledger's, 0 for one that is new."""

    path: str
    id: str
    title: str
    line: int = 0

    @property
    def written(self) -> str:
        """As the ledger names it."""
        return f"{self.path}#{self.id}" if self.id else self.path


class Ledger(NamedTuple):
    """The addresses of a ledger in its order, those that can be read, the release of each, and what is wrong with it.

    `problem` is that of the first line that is not as it should be.
    """

    addresses: tuple[Address, ...] = ()
    problem: Problem | None = None
    releases: tuple[str, ...] = ()


def parse_ledger(text: str) -> Ledger:
    """The ledger in a file's text.

    >>> [each.written for each in parse_ledger("[1.0]\\ndocs/en/a.md\\tA\\ndocs/en/a.md#b\\tB\\n").addresses]
    ['docs/en/a.md', 'docs/en/a.md#b']
    """
    found, releases, problem, release = [], [], None, ""
    for number, line in enumerate(text.removeprefix("\ufeff").splitlines(), 1):
        address, tab, title = line.partition("\t")
        path, _, section = address.partition("#")
        if later := later_schema(line, SCHEMA):
            return Ledger(problem=problem_of(number, *later.split("; ")))
        if named := RELEASE.fullmatch(line):
            release = named["name"]
        elif tab and path and path == normpath(path) and not path.startswith(("/", "..")):
            found.append(Address(path, section, title, number))
            releases.append(release)
        elif line and not line.startswith("#") and MARK.fullmatch(line):
            problem = problem or problem_of(number, "a merge left its marks here", "keep the addresses of both sides, "
                                            "and delete the lines with <<<<<<<, ======= and >>>>>>>")
        elif line and not line.startswith("#"):
            problem = problem or problem_of(number, "this line is no address, release or comment", RESTORE)
    return Ledger(tuple(found), problem, tuple(releases))


def read_ledger(root: Path) -> Ledger:
    """The ledger of the tree at `root`, an empty one where there is none."""
    if not (root / FILE).exists():
        return Ledger()
    try:
        return parse_ledger(read_text(root, FILE))
    except (UnicodeDecodeError, OSError) as error:
        reason = "is not UTF-8" if isinstance(error, UnicodeDecodeError) else "is no file that can be read"
        return Ledger(problem=problem_of(1, reason, RESTORE))


def problem_of(line: int, message: str, hint: str) -> Problem:
    """What is wrong with a ledger, and what to do."""
    return Problem("address-lost", message, hint, line, 1)


def add_to_ledger(text: str, release: str, new: Iterable[Address]) -> str:
    """The ledger with new addresses at the end of a release, which is begun where it has none yet."""
    rows = "".join(f"{each.written}\t{each.title}\n" for each in new)
    before, mark, after = (text or INTRODUCTION).partition(f"\n[{release}]\n")
    if not mark:
        return f"{before}\n[{release}]\n{rows}"
    listed, following, later = after.partition("\n[")
    return f"{before}{mark}{listed}{rows}{following}{later}"


def published(tree: SiteIndex, titles: Mapping[str, Mapping[str, str]]) -> Iterator[Address]:
    """The addresses of a tree. `titles` has what each page promises: its ids with their titles, its own at ""."""
    source = tree.pages[tree.layout.source]
    for language in (tree.layout.source, *tree.layout.languages):
        for name, path in sorted(tree.pages[language].items()):
            original = None if language == tree.layout.source or name not in source else tree.ids(source[name])
            for section, title in titles[path].items():
                if original is None or not section or section not in original:
                    yield Address(path, section, title)


class Moved(NamedTuple):
    """Where a page or section went: the page's path below its language's folder, and the id there, "" for the page."""

    path: str
    id: str


def redirect_maps(settings: Mapping[str, Any], plugins: Sequence[str] = ("redirects", "hexapla")) -> dict[str, Moved]:
    """The pages and sections that moved, by the plugins' `redirect_maps` in a mkdocs.yml; another site's have its `://`.

    >>> redirect_maps({"plugins": [{"hexapla": {"redirect_maps": {"old.md": "new.md#id"}}}]})
    {'old.md': Moved(path='new.md', id='id')}
    """
    found = {}
    for plugin in plugins:
        table = (plugin_options(settings, plugin) or {}).get("redirect_maps")
        for old, new in table.items() if isinstance(table, dict) else ():
            path, _, section = str(new).partition("#")
            found[str(old)] = Moved(path if "://" in path else normpath(path), section)
    return found


def settings_file(tree: SiteIndex) -> str:
    """The file whose `redirect_maps` say where pages of a tree went, "" where the site's host has to be told."""
    moved = tree.layout.framework.moved
    return "mkdocs.yml" if moved and (tree.layout.root / "mkdocs.yml").is_file() else moved


class Redirects:
    """Where the addresses of a tree went that are no more: `redirect_maps`, and `redirects` of the source's pages."""

    def __init__(self, tree: SiteIndex) -> None:
        self.tree = tree
        settings = site_settings(tree.layout.root / dirname(settings_file(tree)))
        self.maps, self.flat = redirect_maps(settings), settings.get("use_directory_urls") is False
        # Rows of sections whose page is still there: the plugin `redirects` follows them, ours those of front matters.
        self.sections = redirect_maps(settings, ["redirects"])
        self.pages: dict[str, Collection[Redirect]] = {}

    def moved_from(self, path: str) -> Collection[Redirect]:
        """The `redirects` of the source's page of a path."""
        _, name = self.tree.owners[path]
        source = self.tree.pages[self.tree.layout.source].get(name, path)
        if source not in self.pages:
            text = read_text(self.tree.layout.root, source, errors="replace")
            self.pages[source] = tuple(redirects_of(parse(text), f"{name}.md")) if "\nredirects:" in text else ()
        return self.pages[source]

    def place_of(self, address: Address) -> str:
        """Where a published address leads today, by itself or by a redirect: as written there, "" for nowhere."""
        tree, path = self.tree, self.page_now(address)
        if path in tree.owners:
            return self.section_of(path, address.id)
        language, name = language_and_name(tree, path)
        moved = self.maps.get(f"{name}.md#{address.id}") or self.maps.get(f"{name}.md")
        if moved is None:
            return address.written if name in tree.addresses else ""
        if "://" in moved.path:
            return moved.path
        target = tree.page_at(tree.roots[language] + moved.path, language)
        return "" if target is None else self.section_of(target, moved.id or address.id)

    def page_now(self, address: Address) -> str:
        """The page at a published address; `a.md` and `a/index.md` have the same, and a fallback has its language's."""
        language, name = language_and_name(self.tree, address.path)
        if address.path in self.tree.owners or self.flat:
            return address.path
        return self.tree.page_at(self.tree.roots[language] + INDEX.sub("", name), language) or address.path

    def section_of(self, path: str, section: str) -> str:
        """Where the section of a page that is there can be found today, "" if nowhere."""
        ids, (language, name) = self.tree.ids(path), self.tree.owners[path]
        if not section or ids is None or ids.open or section in ids:
            return Address(path, section, "").written
        rows = [*((each.path, each.id) for each in self.moved_from(path) if each.old == section),
                *(moved for old, moved in self.sections.items() if old == f"{name}.md#{section}")]
        return next((Address(self.tree.roots[language] + new, anchor, "").written for new, anchor in rows), "")


def language_and_name(tree: SiteIndex, path: str) -> tuple[str, str]:
    """The language of a page's path, and its name in every language; the longest folder that fits decides."""
    fitting = [code for code, folder in tree.roots.items() if path.startswith(folder)]
    language = max(fitting or [tree.layout.source], key=lambda code: len(tree.roots[code]))
    return language, path.removeprefix(tree.roots[language]).removesuffix(tree.layout.suffix(language))


def address_lost(tree: SiteIndex) -> Iterator[Finding]:
    """`address-lost`: addresses of the ledger that lead nowhere now, and what is wrong with the ledger itself."""
    ledger = read_ledger(tree.layout.root)
    if ledger == Ledger():
        return
    redirects = Redirects(tree)
    if problem := ledger.problem or foreign_ledger(ledger, redirects):
        yield Finding(path=FILE, **problem._asdict())
    if problem and problem != ledger.problem:
        return
    lost: dict[tuple[str, str], list[Address]] = {}  # in several languages, which one redirect serves, it is one
    gone: set[str] = set()  # a page that is gone, or another language's now, is one finding, not one an id
    for address in ledger.addresses:
        own = language_and_name(tree, address.path)
        if address.path not in gone and not redirects.place_of(address):
            now = redirects.page_now(address)
            if (now not in tree.owners and not address.id) or tree.owners.get(now, own)[0] != own[0]:
                gone.add(address.path)
            lost.setdefault((own[1], address.id), []).append(address)
    for address, *others in lost.values():
        also = ", ".join(dict.fromkeys(language_and_name(tree, each.path)[0] for each in others))
        hint = hint_of(tree, address._replace(path=redirects.page_now(address)))
        message = (f"{address.written} ({address.title!r}) was published{f', in {also} too,' * bool(also)} and leads "
                   "nowhere now")
        yield Finding(path=FILE, line=address.line, column=1, rule="address-lost", subject=address.written,
                      message=message, hint=hint)


def foreign_ledger(ledger: Ledger, redirects: Redirects) -> Problem | None:
    """What is wrong with a ledger of whose pages and ids none is here: it is another site's."""
    pages, tree = [each for each in ledger.addresses if not each.id], redirects.tree
    ids = {each.id for each in ledger.addresses} - {""}
    if len(pages) < 2 or any(map(redirects.place_of, pages)) or any(
        ids & found.names for path in tree.owners if (found := tree.ids(path))
    ):
        return None
    return problem_of(
        pages[0].line, f"none of its {len(pages)} pages and of their ids is here: it is the ledger of another site",
        f"bring this site's back: git checkout HEAD -- {FILE}; if the pages' folder has a new name, write that into it")


def hint_of(tree: SiteIndex, address: Address) -> str:
    """What to do about a lost address, with the likeliest place of today."""
    language, name = language_and_name(tree, address.path)
    near = likeliest_place(tree, address, language)
    settings = settings_file(tree)
    if not settings:
        todo = "give the section its id back" if address.path in tree.owners else (
            "bring the page back, or redirect it where the site's host does: _redirects, netlify.toml, vercel.json")
        return todo + (f"; the likeliest place now is {near}" if near else "")
    near = near or "page.md"
    there = address.path in tree.owners
    if there and settings == "mkdocs.yml":
        return f"give the section its id back, or write under `redirects` of the page: `{address.id}: {near}`"
    what = "give the section its id back" if there else "bring the page back"
    old = f"{name}.md#{address.id}" if address.id else f"{name}.md"
    return f"{what}, or write under `redirect_maps` in {settings}: `{old}: {near}`"


def likeliest_place(tree: SiteIndex, address: Address, language: str) -> str:
    """The page or section of today whose name is most like an address that is gone, "" where none is like it."""
    wanted = words_of(address.path.removeprefix(tree.roots[language]), address.id, address.title)
    best, place = LIKE, ""
    for name, path in sorted(tree.pages[language].items()):
        ids = tree.ids(path)
        for section in ("", *(ids.headings if ids and address.id else ())):
            if bool(section) != bool(address.id) or (path, section) == (address.path, address.id):
                continue
            likeness = 2.0 if section == address.id != "" else compare_words(wanted, words_of(name, section, ""))
            if likeness > best:
                best, place = likeness, f"{name}.md#{section}" if section else f"{name}.md"
    return place


def words_of(path: str, section: str, title: str) -> str:
    """The words that an address is recognized by: those of its id, or of its page, and of its title."""
    return " ".join(dict.fromkeys(WORDS.findall(f"{section or path} {title}".replace("_", " ").lower())))


def compare_words(one: str, other: str) -> float:
    """How alike two short texts are, from 0 to 1."""
    matcher = SequenceMatcher(None, one, other, autojunk=False)
    return matcher.ratio() if matcher.real_quick_ratio() > LIKE and matcher.quick_ratio() > LIKE else 0.0
