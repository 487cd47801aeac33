"""Check pages on the nodes of a Ray cluster: what nodes find is kept in this machine's cache, as if it was found here.

First every page's ids are read, each on one node, and then sent to all; then each page is checked beside its source.
An answer counts where this machine's files are those that it was made of. On a node only the job's own folder, a copy
of the project, is written to: the cache that the processes of the node share.
"""

from collections.abc import Iterator, Mapping, Sequence
from importlib.metadata import packages_distributions, version
from pathlib import Path
from socket import gethostname
from typing import Any, NamedTuple
from uuid import uuid4

from hexapla.cache import PACKAGES, Cache
from hexapla.checks.engine.checker import Checker, Progress, Tree
from hexapla.checks.rules.registry import Rule
from hexapla.config.discovery import SnippetFolders
from hexapla.errors import ConfigError
from hexapla.ray_cluster import LostItem, batches, connect, results_of_batches

OPTION = "--ray"
AT_A_TIME = 64  # pages of a task
Pair = tuple[str, str | None]  # a page and the source beside it, None for a page looked at alone


class NodeCheck(NamedTuple):
    """A check as nodes have to know it: `paths` are those of all pages, `packages` the versions that it is made by."""

    tree: Tree
    rules: tuple[Rule, ...]
    paths: tuple[str, ...]
    packages: tuple[str, ...]


class NodeAnswer(NamedTuple):
    """What the cache of a node holds of a page, None for nothing, and the digests of the page and its source."""

    kept: Any
    digests: tuple[str, ...]


_made: dict[str, Checker] = {}  # by the check's id, one at a time


def check_on_cluster(address: str, parent: Checker, paths: Sequence[str], progress: Progress | None) -> list[str]:
    """Fill the cache with what `parent` needs to check the pages at `paths`; returns those that end their process.

    Raises ConfigError.
    """
    root = parent.layout.root
    ray = connect(address, root, OPTION, [root / ".hexapla", root / "site"])
    try:
        check = NodeCheck(parent.tree, tuple(parent.rules), tuple(sorted(parent.index.owners)), packages())
        known = {path: kept for path in check.paths if (kept := parent.cache.get(parent.store.ids_key(path)))}
        name, described, unread = uuid4().hex, [ray.put(check)], [path for path in check.paths if path not in known]
        lost = []
        for path, answer in spread(ray, ids_on_node, (name, described), unread):
            if isinstance(answer, LostItem):
                lost.append(path)
            elif answer.digests == (parent.store.digest(path),):
                known[path] = answer.kept
                parent.cache.put(parent.store.ids_key(path), answer.kept)
        described.append(ray.put(known))
        readable = [path for path in paths if path not in lost]
        found = spread(ray, violations_on_node, (name, described), readable)
        for done, (path, answers) in enumerate(found, 1):
            if progress:
                progress(done, len(readable))
            if isinstance(answers, LostItem):
                lost.append(path)
            else:
                keep(parent, answers)
    finally:
        ray.shutdown()
    parent.cache.flush()
    return lost


def spread(
    ray: Any, work: Any, described: tuple[str, list[Any]], paths: Sequence[str]
) -> Iterator[tuple[str, Any]]:
    """What `work` returns for each page, as tasks end. Raises ConfigError with what a node says that cannot check."""
    remote = ray.remote(work)

    def start(batch: Sequence[str], retries: int) -> Any:
        return remote.options(num_cpus=1, max_retries=retries).remote(*described, batch)

    for path, result in results_of_batches(ray, start, batches(ray, paths, AT_A_TIME), OPTION):
        if isinstance(result, LostItem) and result.told:
            raise ConfigError(f"{OPTION}: {result.reason}")
        yield path, result


def keep(parent: Checker, answers: Mapping[Pair, NodeAnswer]) -> None:
    """Put a node's answers into the cache, those that were made of files as they are here."""
    for (path, source), answer in answers.items():
        if answer.kept and answer.digests == digests(parent, path, source):
            parent.cache.put(parent.violation_key(path, source), answer.kept)


def digests(checker: Checker, path: str, source: str | None) -> tuple[str, ...]:
    """The digests of a page and of its source."""
    return tuple(checker.store.digest(each) for each in (path, source) if each)


def packages() -> tuple[str, ...]:
    """The packages that answers depend on, with their versions here."""
    known = packages_distributions()
    return tuple(sorted({f"{each} {version(each)}" for name in PACKAGES for each in known.get(name, ())}))


def ids_on_node(check: str, described: Sequence[Any], paths: Sequence[str]) -> list[NodeAnswer]:
    """On a node: the ids of pages."""
    checker = node_checker(check, described)
    answers = []
    for path in paths:
        checker.store.ids(path)
        answers.append(NodeAnswer(checker.cache.get(checker.store.ids_key(path)), digests(checker, path, None)))
    return answers


def violations_on_node(check: str, described: Sequence[Any], paths: Sequence[str]) -> list[dict[Pair, NodeAnswer]]:
    """On a node: the violations of pages, beside their sources and alone. `described` also has all ids."""
    checker = node_checker(check, described)
    if not checker.store.known_ids:
        checker.store.known_ids = fetch(described[1])
    return [answers_of(checker, path) for path in paths]


def answers_of(checker: Checker, path: str) -> dict[Pair, NodeAnswer]:
    """The violations of a page; none for one that cannot be read, which this machine tells."""
    source = checker.source_of(path)
    pairs: list[Pair] = [(path, source), *([(source, None)] if source else [])]
    answers = {}
    for pair in pairs:
        try:
            checker.violations(*pair)
        except (OSError, UnicodeDecodeError):
            continue
        answers[pair] = NodeAnswer(checker.cache.get(checker.violation_key(*pair)), digests(checker, *pair))
    return answers


def node_checker(check: str, described: Sequence[Any]) -> Checker:
    """On a node: the checker of a check, made once in this process."""
    if check not in _made:
        _made.clear()
        _made[check] = make_checker(fetch(described[0]), Path.cwd())
    return _made[check]


def fetch(reference: Any) -> Any:
    """An object of the cluster."""
    import ray

    return ray.get(reference)


def make_checker(check: NodeCheck, root: Path) -> Checker:
    """The checker of a check, in a folder with the project's files. Raises ConfigError."""
    if differing := sorted({*packages()} ^ {*check.packages}):
        raise ConfigError(
            f"the node {gethostname()} and this machine differ in {', '.join(differing)}; install the same packages on "
            "every node"
        )
    checker = Checker(tree_at(root, check.tree), Cache(root), None, check.rules)
    if differing := sorted(checker.index.owners.keys() ^ {*check.paths}):
        raise ConfigError(
            f"the node {gethostname()} has other pages than this machine ({', '.join(differing[:3])}); nodes get the "
            "files that .gitignore does not name"
        )
    return checker


def tree_at(root: Path, tree: Tree) -> Tree:
    """A tree in another folder; what is not below its own is where it was."""
    def there(path: Path) -> Path:
        return root / path.relative_to(tree.layout.root) if path.is_relative_to(tree.layout.root) else path

    inclusions = there(tree.layout.inclusions) if tree.layout.inclusions else None
    layout = tree.layout._replace(root=root, snippets=tuple(map(there, tree.layout.snippets)), inclusions=inclusions)
    snippets = SnippetFolders(tuple(map(there, tree.snippets.folders))) if tree.snippets else None
    return tree._replace(layout=layout, snippets=snippets)
