"""Recognise the site of a folder by its files; a configuration that is a program is never run, but read as text."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from pathlib import Path
from posixpath import basename, normpath
from typing import NamedTuple

from hexapla.config.layout import compile_pattern, is_translation, usual_spellings
from hexapla.errors import ConfigError
from hexapla.files import NO_PAGES, is_own_file, read_text, walk_files
from hexapla.frameworks.catalogs import find_catalogs
from hexapla.frameworks.framework import Framework, Patterns
from hexapla.frameworks.registry import BY_KEY, FRAMEWORKS, PLAIN
from hexapla.languages import base, is_code, is_language
from hexapla.text_language import language_of

WORKSPACES = ("packages", "apps", "sites", "docs")  # folders of a repository with several packages
SITES = ("docs", "website", "site")  # folders of a package that may be its site
VERSION = re.compile(r"v?\d+(?:\.\d+)+")
BEFORE_CODE = re.compile(r"^|[._-]")  # in the name of a folder: `zh`, `source_zh`
MANY = 10   # translations that stand beside their sources in a tree of more pages
SAMPLE = 20  # pages whose text tells the language of a tree that does not say it


class FoundSite(NamedTuple):
    """A site: its framework, its folder below the root ("" or with a final slash), and where its pages lie."""

    framework: Framework
    folder: str
    pattern: str
    source_pattern: str
    source: str
    languages: tuple[str, ...]
    ids: str = ""  # the rule that makes ids, where it is not the framework's
    lenient: bool = False  # whether a page that is no MDX is Markdown
    plugin_ids: frozenset[str] = frozenset()  # of sections that plugins add to every page
    shared: int = 0  # pages of translations that the source has


def find_site(root: Path, source: str = "", framework: str = "") -> FoundSite | None:
    """The site in a folder, a folder in it, or a package of a workspace there; those in several languages go first.

    Raises ConfigError where there are several, which it names, unless each is a language's.
    """
    sites = list(sites_in(root, source, framework))
    for wanted in (lambda each: each.languages, lambda each: not each.folder, lambda each: True):
        found = [each for each in sites if wanted(each)]
        if len({each.framework.name for each in found}) == 1:  # the root's own goes before others of its kind
            found = [each for each in found if not each.folder] or found
        if len(found) > 1 and len({each.folder for each in found}) > 1:
            if len({(each.framework.name, *("" if is_code(part) else part for part in each.folder.split("/")))
                    for each in found}) == 1:
                return None
            names = ", ".join(f"{each.framework.name} in {each.folder or '.'}" for each in found)
            raise ConfigError(f"{root}: has several sites ({names}); name one: --root {root / found[0].folder}")
        if len(found) > 1:
            names = " and ".join(each.framework.name for each in found)
            raise ConfigError(f"{root / found[0].folder}: has the files of {names}; "
                              f"name one: --framework {found[0].framework.key}")
        if found:
            return found[0]
    return None


def sites_in(root: Path, source: str, framework: str) -> Iterator[FoundSite]:
    """Every site that is recognised, by the first framework whose files are there and which finds its pages."""
    seen: set[object] = set()
    chosen = (BY_KEY[framework],) if framework else FRAMEWORKS
    for folder in site_folders(root):
        for each in chosen:
            files = marking_files(root, folder, each)
            if not files:
                continue
            site = read_site(root, folder, each, files, source)
            if site is None and folder:  # its pages may lie beside it
                site = read_site(root, "", each, files, source)
            pages = (site.pattern, site.source_pattern) if site else ()
            if site and seen.isdisjoint({pages, files}):
                seen |= {pages, files}
                yield site
    if framework and not seen and (site := read_site(root, "", BY_KEY[framework], (), source)):
        yield site


def site_folders(root: Path) -> Iterator[str]:
    """The folders below the root that a site may lie in, "" or with a final slash."""
    yield ""
    for folder in inner_folders(root):
        yield f"{folder}/"
        versions = [each for each in inner_folders(root / folder) if VERSION.fullmatch(each)]
        yield from (f"{folder}/{each}/" for each in sorted(versions, key=version_key)[-1:])  # the newest one alone
        if folder in WORKSPACES:
            for package in inner_folders(root / folder):
                yield f"{folder}/{package}/"
                inner = (f"{folder}/{package}/{each}/" for each in SITES)
                yield from (each for each in inner if (root / each).is_dir())


def version_key(name: str) -> list[int]:
    """What versions are ordered by.

    >>> sorted(["v1.10", "v1.9"], key=version_key)
    ['v1.9', 'v1.10']
    """
    return [int(number) for number in re.findall(r"\d+", name)]


def inner_folders(folder: Path) -> list[str]:
    """The names of the folders in a folder that may hold pages."""
    return sorted(each.name for each in folder.iterdir() if each.is_dir() and not each.is_symlink()
                  and not each.name.startswith(".") and each.name not in NO_PAGES)


def marking_files(root: Path, folder: str, framework: Framework) -> tuple[Path, ...]:
    """The files and folders of a site's that tell its framework, () where it is another."""
    if framework.folder and not (root / folder / framework.folder).is_dir():
        return ()
    return tuple(file for mark in framework.marks for file in (root / folder).glob(mark.replace("{lang}", "*"))
                 if ("{lang}" not in mark or names_language(mark, file.name))
                 and (not framework.sign or any(re.search(framework.sign, text) for text in read_texts(root, (file,)))))


def read_texts(root: Path, files: Iterable[Path | str]) -> list[str]:
    """The texts of those files that are the tree's own."""
    return [read_text(root, file, "replace") for file in files if is_own_file(root, file)]


def names_language(mark: str, name: str) -> bool:
    """Whether a file's name has a language's code where a mark has `{lang}`."""
    match = compile_pattern(mark).fullmatch(name)
    return match is not None and is_code(match["lang"])


def read_site(root: Path, folder: str, framework: Framework, files: Sequence[Path], source: str) -> FoundSite | None:
    """The pages of a site: in the first folder with several languages, else by the first layout with any page.

    Of several layouts there, it is the one in which translations share most pages with their source.
    """
    inner = [file for mark in files for file in (sorted(mark.glob("*.*s")) if mark.is_dir() else (mark,))]
    told = read_texts(root, inner)
    packages = dict.fromkeys((root / "package.json", root / folder / "package.json"))
    more = read_texts(root, packages)
    if written_value(framework.markdown_key, told) is not None:
        framework = framework._replace(mdx=(".mdx",))
    ids = next((name for key, name in framework.id_keys if any(re.search(key, text) for text in (*told, *more))), "")
    lenient = written_value(framework.lenient_key, (*told, *more)) is not None
    added = frozenset(each for plugin, ids in framework.plugins for each in ids if any(plugin in text for text in more))
    content = written_value(framework.content_key, told)
    folders = (content.strip("/"),) if content is not None else framework.content
    alone = None
    for each in folders:
        name = newest_version(root / folder, each) if "*" in each and alone else each
        start = normpath(f"{folder}{name}/") + "/" if name and name != "." else folder
        if start.startswith("../") or "*" in name:
            continue
        several = []
        for layout in framework.layouts:
            shapes = [each.replace("{content}", start) if "{content}" in each else f"{folder}{each}" if each else ""
                      for each in (part.replace("{folder}", basename(name)) for part in layout)]
            pattern, source_pattern = (f"{each}{framework.endings[0]}" if each else "" for each in shapes)
            pages = content_pages(root, folder if start.startswith(folder) else start, framework.endings)
            found = FoundSite(framework, folder, pattern, source_pattern or pattern, source, (), ids,
                              lenient, added)
            site = site_of_pages(root, found, pages, written_value(framework.source_key, told) or "")
            several += [site] if site and site.languages else []
            alone = alone or site
        if several:
            return max(several, key=lambda each: each.shared)
    if alone is None and any(find_catalogs(root, folder, framework)):  # pages that are not read have messages that are
        alone = found._replace(source=source or written_value(framework.source_key, told) or "en")
    return alone


def newest_version(site: Path, name: str) -> str:
    """The folder of the newest of the versions that a name with a `*` stands for, that name where there is none."""
    found = sorted(site.glob(name), key=lambda each: version_key(each.name))
    return found[-1].relative_to(site).as_posix() if found else name


def written_value(key: str, texts: Sequence[str]) -> str | None:
    """What the group of a pattern finds first in some texts."""
    found = (re.search(key, text) for text in texts) if key else ()
    return next((match[1] for match in found if match), None)


@lru_cache(maxsize=32)
def content_pages(root: Path, folder: str, endings: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(path for path in walk_files(root, folder.rstrip("/")) if path.endswith(endings))


def site_of_pages(root: Path, site: FoundSite, pages: Sequence[str], told: str) -> FoundSite | None:
    """The site with its languages and its source's code, None where no page is the source's."""
    endings = site.framework.endings
    shape = compile_pattern(site.pattern, endings=endings)
    matches = [match for path in pages if (match := shape.fullmatch(path)) and is_language(match["lang"])]
    spellings = usual_spellings(match["lang"] for match in matches)
    names: dict[str, dict[str, str]] = {}
    for match in matches:
        names.setdefault(spellings[match["lang"].lower()], {})[match["page"]] = match[0]
    if site.pattern == site.source_pattern:
        source = site.source or told or next((code for code in sorted(names) if base(code) == "en"), "en")
        source = next((code for code in names if code.lower() == source.lower()), source)
        languages = tuple(sorted(names.keys() - {source}))
        shared = sum(len(names[code].keys() & names[source].keys()) for code in languages) if source in names else 0
        return site._replace(source=source, languages=languages, shared=shared) if source in names else None
    shape = compile_pattern(site.source_pattern, endings=endings)
    own = {match["page"]: path for path in pages if (match := shape.fullmatch(path))}
    names = {code: each for code, each in names.items() if is_translation(each, own)}
    if not own:
        return None
    alone = set(own.values()).difference(*(each.values() for each in names.values()))
    source = site.source or told or ("en" if names and "en" not in map(base, names) else text_code(root, alone))
    shared = sum(len(each.keys() & own.keys()) for each in names.values())
    return site._replace(source=source, languages=tuple(sorted(names.keys() - {source})), shared=shared)


def text_code(root: Path, paths: Iterable[str]) -> str:
    """The code of the language that most pages are in, by their text."""
    counted = Counter(language_of(text[:4000]) for text in read_texts(root, sorted(paths)[:SAMPLE]))
    return next((code.rstrip("?") for code, _ in counted.most_common() if code), "en")


def find_marked_site(root: Path, source: str) -> FoundSite | None:
    """The site that `find_site` finds, else one whose files are there without a page; its source has no code then."""
    if found := find_site(root, source):
        return found
    marked = (FoundSite(each, folder, "", "", "", ()) for folder in site_folders(root) for each in FRAMEWORKS
              if marking_files(root, folder, each))
    return next(marked, None)


def plain_site(root: Path, source: str) -> FoundSite | None:
    """Pages in several languages where no file tells what makes a site of them."""
    if (known := read_site(root, "", PLAIN, (), source)) and known.languages:
        return known
    guessed = PLAIN._replace(layouts=guess_layouts(content_pages(root, "", PLAIN.endings)))
    found = read_site(root, "", guessed, (), source)
    if found and "{lang}" in (name := found.pattern.rpartition("/")[2].removesuffix(PLAIN.endings[0])):
        everywhere = PLAIN._replace(layouts=((name, "{page}"),))  # a README beside that folder may have more languages
        wide = read_site(root, "", everywhere, (), source)
        found = max(found, wide or found, key=lambda each: len({*map(base, each.languages)} - {base(each.source)}))
    return found._replace(framework=PLAIN) if found and found.shared else known


def guess_layouts(paths: Sequence[str]) -> tuple[Patterns, ...]:
    """The layouts that a third of the pages follow, or ten by the ends of names, by the languages in their paths.

    >>> guess_layouts(["a/en/b/c.md", "a/zh/b/c.md"])
    (('a/{lang}/{page}', ''), ('a/{lang}/{page}', 'a/{page}'), ('a/{lang}/{page}', '{page}'))
    """
    found = Counter(pattern for path in paths for pattern in coded_patterns(path))
    return tuple((pattern, source) for pattern, count in found.most_common()
                 if 3 * count >= len(paths) or (count >= MANY and pattern.endswith("{lang}"))
                 for source in dict.fromkeys(("", re.sub(r"\{lang\}/|[._-]\{lang\}", "", pattern),
                                              re.sub(r".*\{lang\}/|[._-]\{lang\}", "", pattern))))


def coded_patterns(path: str) -> Iterator[str]:
    """The patterns that a path with a language's code follows.

    >>> list(coded_patterns("a/b/c-en-US.md")), list(coded_patterns("README.chinese.md"))
    (['a/{page}-{lang}'], ['{page}.{lang}'])
    """
    parts = path.split("/")
    found = next(((place, match) for place, part in enumerate(parts[:-1]) for match in BEFORE_CODE.finditer(part)
                  if is_language(part[match.end() :])), None)
    if found:
        place, match = found
        yield "/".join([*parts[:place], f"{match.string[: match.end()]}{{lang}}", "{page}"])
    name = parts[-1].rpartition(".")[0]
    if mark := next((each for each in re.finditer("[._-]", name) if is_language(name[each.end() :])), None):
        yield "/".join([*parts[:-1][:1], f"{{page}}{mark[0]}{{lang}}"])
