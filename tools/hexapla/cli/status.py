"""`hexapla status`: what is current, behind and missing."""

import argparse
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from functools import partial

from hexapla.cli.options import with_runnable_command
from hexapla.cli.terminal import wants_colour
from hexapla.cli.translated_tree import site_texts, translated_tree
from hexapla.errors import ConfigError
from hexapla.frameworks.catalogs import describe_catalogs
from hexapla.git import worktree_at
from hexapla.site.texts import strings
from hexapla.site.texts.site_texts import untranslated_texts
from hexapla.translation import tracking
from hexapla.translation.history.infer_from_git import earlier_status, newly_behind
from hexapla.translation.status.priority import read_pull_requests, with_pull_requests
from hexapla.translation.translation_tree import TranslationTree


def status(args: argparse.Namespace) -> int:
    """`hexapla status`: exit status 0 also where pages are behind."""
    tree, say = translated_tree(args), partial(strings.say_sentence, "en")
    narrowed = args.pages or args.since
    texts = site_texts(args) if args.format in {"text", "json"} and not narrowed else None
    beside = untranslated_texts(texts) if texts else {}
    if narrowed or args.views or args.pull_requests or args.format == "digest":
        requests = read_pull_requests(args.pull_requests) if args.pull_requests else {}
        pages = tracking.tree_status(tree, args.pages, args.views)
        if args.since:
            with options_then(tree, args) as then:
                pages = newly_behind(tree, earlier_status(translated_tree(then, tree.cache)), pages)
        pages = [*with_pull_requests(tree.layout, pages, requests)]
        report = tracking.status_report(tree, pages, args.format, say, wants_colour(), beside)
    else:
        report = tracking.whole_report(tree, args.format, say, wants_colour(), beside)
    _, counted = describe_catalogs(tree.layout.root, tree.layout.site, tree.layout.framework)
    if counted and args.format == "text":
        report = f"{counted}\n{report}" if tree.layout.languages else f"{counted}\n"
    tree.cache.close()
    sys.stdout.write(with_runnable_command(report, args) if args.format == "text" else report)
    return 0


@contextmanager
def options_then(tree: TranslationTree, args: argparse.Namespace) -> Iterator[argparse.Namespace]:
    """The options, with the tree, and a source elsewhere, as it was at `--since`. Raises ConfigError."""
    root = tree.layout.root
    languages = args.languages if args.layout else None  # some may have been added since
    with ExitStack() as opened:
        try:
            folder = opened.enter_context(worktree_at(root, args.since))
        except LookupError as error:
            message = f"--since {args.since}: git has no such revision of {root}; fetch it, or name another one"
            raise ConfigError(message) from error
        source = tree.repository.source_at(args.since)
        yield argparse.Namespace(**{**vars(args), "root": folder, "languages": languages, "source_repo": source})
