"""Check pages on all cores: processes that share the cache, and survive a page that ends one of them."""

import multiprocessing
from collections import defaultdict, deque
from collections.abc import Callable, Iterator, Sequence, Set
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool

from hexapla.cache import Cache
from hexapla.checks.engine.checker import Checker, Tree
from hexapla.checks.finding import Finding
from hexapla.checks.rules.registry import Rule
from hexapla.git import Repository
from hexapla.processes import end_with_parent

READ_AT_A_TIME = 8

Work = Callable[[list[str]], list[Finding]]
checker: Checker  # of a worker process


def check_waiting(parent: Checker, waiting: Set[str], jobs: int) -> Iterator[tuple[int, list[Finding]]]:
    """The findings of the pages that wait, by `jobs` processes, each time with the number of pages that they are of.

    All pages are read before the first is checked, so that no page is read twice.
    """
    parent.cache.flush()
    sources = {source for path in waiting if (source := parent.source_of(path))}
    pages = sorted(waiting | sources)
    unread = [pages[at : at + READ_AT_A_TIME] for at in range(0, len(pages), READ_AT_A_TIME)]
    deque(spread(parent, jobs, read_pages, unread), maxlen=0)  # a page that cannot be read is told when it is checked
    by_name: dict[str, list[str]] = defaultdict(list)
    for path in sorted(waiting):
        by_name[parent.index.owners[path][1]].append(path)
    for group, found in spread(parent, jobs, check_group, list(by_name.values())):
        yield len(group), found


def spread(
    parent: Checker, jobs: int, work: Work, groups: Sequence[list[str]]
) -> Iterator[tuple[list[str], list[Finding]]]:
    """Each group of pages with what `work` returns for it, by `jobs` processes.

    Pages whose process ended are tried again one by one; one that ends its process again is a finding.
    """
    broken: list[str] = []
    with start_processes(parent, jobs) as pool:
        running = {pool.submit(work, group): group for group in groups}
        try:
            for future in as_completed(running):
                try:
                    yield running[future], future.result()
                except BrokenProcessPool:
                    broken += running[future]
        finally:  # interrupted: what has not begun does not
            pool.shutdown(wait=False, cancel_futures=True)
    for path in broken:
        with start_processes(parent, 1) as pool:
            try:
                yield [path], pool.submit(work, [path]).result()
            except BrokenProcessPool:
                message = "the process that checked this page was ended, for its memory or by a crash"
                yield [path], [Finding(
                    path=path, line=1, column=1, rule="page-unreadable", message=message,
                    hint="cut the page into several", language=parent.index.owners[path][0])]


def start_processes(parent: Checker, jobs: int) -> ProcessPoolExecutor:
    """Processes with a checker each, started from a clean one: this one may have threads."""
    methods = multiprocessing.get_all_start_methods()
    context = multiprocessing.get_context("forkserver" if "forkserver" in methods else "spawn")
    if "forkserver" in methods:
        context.set_forkserver_preload([__name__, "hexapla.pages.reader", "hexapla.pages.python_markdown"])
    state = parent.tree, parent.cache, parent.history, tuple(parent.rules)
    return ProcessPoolExecutor(jobs, mp_context=context, initializer=start_worker, initargs=state)


def start_worker(tree: Tree, cache: Cache, history: Repository | None, rules: tuple[Rule, ...]) -> None:
    """Make the checker of a worker process."""
    global checker
    end_with_parent()
    checker = Checker(tree, cache, history, rules)


def read_pages(paths: list[str]) -> list[Finding]:
    """Read pages and their ids into the cache."""
    for path in paths:
        checker.store.ids(path)
    checker.cache.flush()
    return []


def check_group(paths: list[str]) -> list[Finding]:
    """The findings of some pages."""
    found = [finding for path in paths for finding in checker.page(path)]
    checker.cache.flush()
    return found
