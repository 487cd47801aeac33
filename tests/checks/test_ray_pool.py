"""Pages checked on a cluster have the findings that this machine finds, and are kept for its next check."""

import shutil

import pytest
from hexapla.cache import Cache
from hexapla.checks.engine import ray_pool, service
from hexapla.checks.engine.checker import Checker
from hexapla.checks.engine.service import CheckOptions, check_tree
from hexapla.config.discovery import TreeOptions, find_layout
from hexapla.errors import ConfigError

from benchmarks.live import tree
from tests.local_cluster import local_cluster
from tests.site.project import git

pytestmark = pytest.mark.slow

PAGES = 10  # in each of three languages that are written


@pytest.fixture(scope="module")
def cluster():
    """A head that runs nothing, and two nodes with a core each."""
    pytest.importorskip("ray", reason="needs the package ray")
    with local_cluster() as (made, _):
        yield made


def lay(root, path, change):
    """Change a page."""
    (root / path).write_text(change((root / path).read_text(encoding="utf-8")), encoding="utf-8")


@pytest.fixture
def root(tmp_path):
    """A tree with something to find in links, numbers, code and included files, and a page that is not UTF-8."""
    tree.write(tmp_path, PAGES)
    lay(tmp_path, "docs/zh/page3.md", lambda text: text.replace(" MB", " GB") + "\n[1](page1.md#gone)\n")
    lay(tmp_path, "docs/en/page4.md", lambda text: text.replace('"demo/', '"gone/'))
    for language in ("en", "zh"):
        lay(tmp_path, f"docs/{language}/page7.md", lambda text: text + "\n[1](gone.md)\n")
    (tmp_path / "docs/ja/page5.md").write_bytes(b"# \xff\n")
    git(tmp_path, "init", "-q")
    for number in (1, 2):
        git(tmp_path, "add", "-A")
        git(tmp_path, "commit", "-qm", str(number))
        lay(tmp_path, "docs/en/page6.md", lambda text: text + "\n## Added {#added}\n\nSome words.\n")
    return tmp_path


def outcome(root, **options):
    """The outcome of a check."""
    return check_tree(CheckOptions(TreeOptions(root), **options))


def test_a_cluster_finds_what_this_machine_finds_and_its_answers_are_kept(cluster, root, monkeypatch):
    here = outcome(root)
    rules = {each.rule for each in here.findings}
    assert {"code-differs", "include-missing", "link-anchor-missing", "encoding"} < rules
    assert {"source-moved", "inherited"} < {each.origin for each in here.findings}
    shutil.rmtree(root / ".hexapla")
    applied, apply = set(), Checker.apply

    def noted(self, rules, context):
        applied.add(context.document.path)
        return apply(self, rules, context)

    monkeypatch.setattr(Checker, "apply", noted)
    assert outcome(root, cluster=cluster.address) == here
    assert applied <= {each.path for each in here.findings if each.rule == "encoding" or each.origin == "source-moved"}
    assert outcome(root, cluster="127.0.0.1:1") == here  # nothing is left for a cluster to do


def test_a_page_that_ends_its_process_on_a_node_is_a_finding(root, monkeypatch):
    monkeypatch.setattr(ray_pool, "check_on_cluster", lambda *arguments: ["docs/en/page1.md"])
    [found] = [each for each in outcome(root, cluster="auto").findings if each.path == "docs/en/page1.md"]
    assert found.rule == "page-unreadable"


def test_an_answer_made_of_another_text_is_not_kept(root):
    layout = find_layout(TreeOptions(root))
    checker = Checker(service.tree_of(layout, ()), Cache(root))
    pair = ("docs/zh/page1.md", "docs/en/page1.md")
    answer = ray_pool.answers_of(checker, pair[0])[pair]
    other = Checker(service.tree_of(layout, ()), Cache(None))
    for digests, kept in ((answer.digests, True), (("", answer.digests[1]), False)):
        other.cache = Cache(root / f"cache{kept}")
        ray_pool.keep(other, {pair: answer._replace(digests=digests)})
        assert (other.cache.get(other.violation_key(*pair)) is not None) is kept


@pytest.mark.parametrize(("changes", "says"), [
    ({"packages": ("markdown 0.1",)}, "differ in .*; install the same packages on every node"),
    ({"paths": ("docs/en/ignored.md",)}, r"other pages than this machine \(.*\); nodes get the files that .gitignore"),
])
def test_a_node_that_would_find_something_else_says_so(root, changes, says):
    made = service.tree_of(find_layout(TreeOptions(root)), ())
    check = ray_pool.NodeCheck(made, (), tuple(Checker(made, Cache(None)).index.owners), ray_pool.packages())
    assert ray_pool.make_checker(check, root).tree == made
    with pytest.raises(ConfigError, match=says):
        ray_pool.make_checker(check._replace(**changes), root)


def test_a_cluster_that_is_not_there_is_told(root):
    pytest.importorskip("ray", reason="needs the package ray")
    with pytest.raises(ConfigError, match=r"--ray 127\.0\.0\.1:1: .*; start a cluster with `ray start --head`"):
        outcome(root, cluster="127.0.0.1:1")
