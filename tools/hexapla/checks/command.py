"""`hexapla check`: its options, and one run of it from options to a report and an exit status."""

import argparse
import os
from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path

from hexapla import config, layout
from hexapla.checks import baseline, fix
from hexapla.checks.cache import Cache
from hexapla.checks.context import Garbled, Settings, Term
from hexapla.checks.finding import Finding
from hexapla.checks.history import History
from hexapla.checks.run import Checker, Outcome, Progress
from hexapla.config import ConfigError
from hexapla.files import inside
from hexapla.layout import Layout
from hexapla.pages.render import Dialect

OK, FOUND = 0, 1
Result = tuple[tuple[Finding, ...], Outcome]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What `hexapla check` takes, `--root` and `--format` excepted: those are common to all commands."""
    parser.add_argument("paths", nargs="*", type=Path, metavar="PATH", help="pages or folders (default: the whole tree)")
    tree = parser.add_argument_group("a tree without a configuration of ours")
    tree.add_argument("--layout", metavar="PATTERN", help="where translations lie: 'docs/{lang}/docs/{page}.md'")
    tree.add_argument("--source-layout", metavar="PATTERN", help="where the source lies, if elsewhere")
    tree.add_argument("--source", metavar="CODE", help="the language that others are translated from (default: en)")
    tree.add_argument("--languages", metavar="CODES", help="the translations to check: zh,ja (default: all found)")
    tree.add_argument("--anchors", choices=layout.ANCHORS, help="how the tree makes heading ids (default: a good guess)")
    parser.add_argument("--fix", action="store_true", help="put in place what is certain: ids, link targets, code")
    parser.add_argument("--baseline", type=Path, metavar="FILE", help="report only what this file does not accept")
    parser.add_argument("--write-baseline", type=Path, metavar="FILE", help="accept all of today's findings in this file")
    parser.add_argument("--external", action="store_true", help="hand addresses outside the tree to lychee")
    parser.add_argument("--site", type=Path, metavar="DIR", help="check the HTML of a built site instead of its pages")
    parser.add_argument("--site-prefix", default="", metavar="PATH", help="the path that the site is served below")
    parser.add_argument("--no-cache", action="store_true", help="look at every page anew")


def run(
    args: argparse.Namespace,
    report: Callable[[tuple[Finding, ...], int, tuple[str, ...]], str],
    terms: Iterable[Term] = (),
    garbled: Garbled | None = None,
    traditional: Callable[[str], str] | None = None,
    progress: Progress | None = None,
) -> tuple[str, int]:
    """The text to print and the exit status: 1 where there is an error or a warning. Raises ConfigError."""
    if args.site:
        return site(args, report)
    place = find_layout(args)
    settings = Settings(tuple(terms), snippet_reader(place), garbled, traditional, pin(place))
    cache = Cache(None if args.no_cache else place.root)
    try:
        history = History(place.root)
        checker = Checker(place, dialect(place), settings, cache, history)
        paths = chosen(args.paths, place, checker)
        outcome = checker.run(paths, progress)
        if args.fix and fix.mend(place.root, outcome.findings):
            checker = Checker(place, dialect(place), settings, cache, history)
            outcome = checker.run(paths, progress)
        findings = outcome.findings
        if args.external:
            from hexapla.checks.external import external

            findings += tuple(external(checker.links(paths)))
    finally:
        cache.close()
    if args.write_baseline:
        baseline.save(args.write_baseline, findings)
        return f"{len(findings)} findings accepted in {args.write_baseline}\n", OK
    if args.baseline:
        findings = tuple(baseline.new(findings, baseline.load(args.baseline)))
    failed = any(finding.severity != "note" for finding in findings)
    return report(findings, outcome.pages, outcome.languages), FOUND if failed else OK


def site(args: argparse.Namespace, report: Callable[..., str]) -> tuple[str, int]:
    """The report on a built site."""
    from hexapla.checks.built import check_site

    if not args.site.is_dir():
        raise ConfigError(f"{args.site} is no folder; build the site first, or correct --site")
    findings, pages = check_site(args.site, args.site_prefix)
    if not pages:
        raise ConfigError(f"{args.site} holds no HTML; build the site first, or correct --site")
    return report(tuple(findings), pages, ()), FOUND if findings else OK


def find_layout(args: argparse.Namespace) -> Layout:
    """The tree that options, a mkdocs.yml or a look around describe. Raises ConfigError."""
    codes = tuple(code.strip() for code in (args.languages or "").split(",") if code.strip())
    root = (args.root or Path.cwd()).resolve()
    if not root.is_dir():
        raise ConfigError(f"{root} is no folder; correct --root")
    if args.layout:
        source = args.source or "en"
        return layout.of_options(root, args.layout, args.source_layout or "", source, codes, args.anchors or "")
    if args.source_layout:
        raise ConfigError("--source-layout needs --layout; say where the translations lie")
    if args.root is None:
        root = nearest_root(root)
    if (root / "mkdocs.yml").is_file():
        settings = config.settings(root / "mkdocs.yml")
        if "i18n" in config.plugin_options(settings.get("plugins")):
            made = layout.of_project(config.load(root), settings)
            kept = tuple(code for code in made.languages if not codes or code in codes)
            return replace(made, languages=kept, anchors=args.anchors or made.anchors)
    return layout.look(root, args.source or "en", codes, args.anchors or "")


def nearest_root(start: Path) -> Path:
    """The nearest folder with a mkdocs.yml, or the one that a repository starts in, or `start`."""
    for folder in (start, *start.parents):
        if (folder / "mkdocs.yml").is_file() or (folder / ".git").exists():
            return folder
    return start


def dialect(place: Layout) -> Dialect:
    """How a tree's pages are rendered; a renderer is imported when it is needed."""
    if place.anchors in {"github", "doc-builder"}:
        from hexapla.pages import commonmark

        return commonmark.github() if place.anchors == "github" else commonmark.doc_builder()
    from hexapla.pages import pythonmarkdown

    asked = "pymdownx" if place.anchors == "pymdownx" else ""
    return pythonmarkdown.python_markdown(pythonmarkdown.setup(place.extensions, asked))


def pin(place: Layout) -> tuple[str, str]:
    """How the tree writes an id on a heading."""
    return (" [[", "]]") if place.anchors == "doc-builder" else (" {#", "}")


def snippet_reader(place: Layout) -> Callable[[str], str] | None:
    """Included files by their path, looked for below each of the layout's folders."""
    if not place.snippets:
        return None

    def read(path: str) -> str:
        for folder in place.snippets:
            file = inside(folder, path)
            if file.is_file():
                return file.read_text(encoding="utf-8")
        raise FileNotFoundError(path)

    return read


def chosen(paths: list[Path], place: Layout, checker: Checker) -> list[str] | None:
    """The pages that PATH arguments name, None for all; other files are no pages and are passed over."""
    if not paths:
        return None
    found: set[str] = set()
    for given in paths:
        path = given if given.is_absolute() or given.exists() else place.root / given
        if not path.exists():
            raise ConfigError(f"{given}: no such file; name a page or a folder of {place.root}")
        relative = Path(os.path.relpath(path.resolve(), place.root)).as_posix()
        folder = "" if relative == "." else f"{relative}/"
        if path.is_dir():
            found |= {page for page in checker.tree.owners if page.startswith(folder)}
        elif relative in checker.tree.owners:
            found.add(relative)
    return sorted(found)
