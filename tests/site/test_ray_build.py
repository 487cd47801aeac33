"""A site whose pages are rendered on a cluster is the one that this machine builds, whatever becomes of the nodes."""

import os
import re
import shutil
import subprocess
import sys
import threading
import time

import pytest
import yaml
from hexapla.errors import ConfigError
from hexapla.site import ray_node
from hexapla.site.process_pool import Failure

from benchmarks.live import tree
from tests.local_cluster import local_cluster
from tests.site.project import git, lay, write

ray = pytest.importorskip("ray", reason="needs the package ray")
PAGES = 6  # in each of four languages
# A page that waits until its node is gone, and one that ends its process: hooks run where pages are rendered.
HOOK = """\
import os, pathlib, time
import ray

def {event}({text}, page, **others):
    gone, at = pathlib.Path("{root}/gone"), pathlib.Path("{root}/at")
    if page.file.src_uri == "en/page2.md" and ray.is_initialized() and not gone.exists():
        at.with_suffix(".part").write_text(ray.get_runtime_context().get_node_id())
        at.with_suffix(".part").rename(at)
        while not gone.exists():
            time.sleep(0.05)
    if "FATAL" in {text}:
        os._exit(1)
"""
EVENTS = {"on_page_markdown": "markdown", "on_post_page": "output"}  # one of each step, with what it is given


@pytest.fixture(scope="module")
def cluster():
    """A head that runs nothing, and two nodes with a core each."""
    with local_cluster() as (made, _):
        yield made


def mkdocs_build(root, address="", *arguments):
    """`mkdocs build` on a cluster, or here; what it said."""
    variables = {**os.environ, "HEXAPLA_RAY": address, "SOURCE_DATE_EPOCH": "1700000000", "DEMO_NAME": "From outside"}
    ended = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", *arguments], cwd=root, env=variables, capture_output=True,
        text=True, timeout=240, check=False,
    )
    return ended.returncode, ended.stdout + ended.stderr


def site_files(root):
    """The bytes of every file of a site; the packed sitemap begins with the time."""
    found = {file.relative_to(root).as_posix(): file.read_bytes() for file in root.rglob("*") if file.is_file()}
    found.pop("sitemap.xml.gz", None)
    return found


def both_sites(root, cluster, *arguments):
    """The site as this machine builds it and as the cluster does, nothing kept between them."""
    status, said = mkdocs_build(root, "", *arguments)
    assert status == 0, said
    here = site_files(root / "site")
    forget(root)
    status, said = mkdocs_build(root, cluster.address, *arguments)
    assert status == 0, said
    return here, site_files(root / "site")


def forget(root):
    """Remove a site and the cache."""
    for name in ("site", ".hexapla"):
        shutil.rmtree(root / name)


def larger_tree(root, event):
    """Some twenty pages, and a hook at one of the two steps."""
    tree.write(root, PAGES)
    write(root, {"hook.py": HOOK.format(event=event, text=EVENTS[event], root=root)})
    settings = yaml.safe_load((root / "mkdocs.yml").read_text(encoding="utf-8"))
    (root / "mkdocs.yml").write_text(yaml.safe_dump(settings | {"hooks": ["hook.py"]}), encoding="utf-8")
    return root


def behind(root):
    """The small project with a translation that is behind by words that git alone knows."""
    lay(root, {"docs/en/only.md": "# Only here {#only}\n\nText of [home](index.md).\n"})
    config = (root / "mkdocs.yml").read_text(encoding="utf-8")
    (root / "mkdocs.yml").write_text(config.replace("site_name: Demo", "site_name: !ENV DEMO_NAME"), encoding="utf-8")
    git(root, "init", "-q")
    git(root, "add", ".")
    git(root, "commit", "-qm", "first")
    subprocess.run([sys.executable, "-m", "hexapla", "sync", "index", "--write"], cwd=root, check=True,
                   capture_output=True)
    page = root / "docs/en/index.md"
    text = page.read_text(encoding="utf-8")
    page.write_text(text.replace("{#home}\n", "{#home}\n\nThree more words.\n"), encoding="utf-8")
    return root


def test_the_small_project_is_as_built_here(cluster, tmp_path):
    root = behind(tmp_path)
    here, there = both_sites(root, cluster, "--no-directory-urls")
    assert "zh/index.html" in here
    assert b"From outside" in there["zh/index.html"]
    assert b"3 " in re.search(rb'class="hx-behind"[^>]*>([^<]*)', there["zh/index.html"])[1]
    assert there == here
    status, said = mkdocs_build(root, "127.0.0.1:1", "--no-directory-urls")
    assert status == 0, said  # every page is kept, so there is nothing for a cluster to do
    assert site_files(root / "site") == here


@pytest.mark.parametrize("event", EVENTS)
def test_a_node_that_goes_away_is_no_loss(cluster, tmp_path, event):
    root = larger_tree(tmp_path, event)
    removed = []

    def remove():
        while not (root / "at").exists():
            time.sleep(0.05)
        node = (root / "at").read_text()
        [lost] = [each for each in cluster.worker_nodes if each.node_id == node]
        cluster.remove_node(lost, allow_graceful=False)
        removed.append(node)
        (root / "gone").touch()

    threading.Thread(target=remove, daemon=True).start()
    here, there = both_sites(root, cluster)
    cluster.add_node(num_cpus=1)
    assert len(removed) == 1
    assert len([name for name in here if re.search(r"page\d/index\.html$", name)]) == (PAGES - 1) * 4
    assert there == here


def test_pages_that_fail_are_named_and_the_others_rendered(cluster, tmp_path):
    root = larger_tree(tmp_path, "on_page_markdown")
    write(root, {
        "gone": "",
        "docs/en/page3.md": "# FATAL {#page}\n",
        "docs/zh/page1.md": '# 1 {#page}\n\n```python\n--8<-- "demo/gone.py"\n```\n',
    })
    status, said = mkdocs_build(root, cluster.address)
    assert status == 1
    told = [line for line in said.splitlines() if line.startswith("docs/")]
    assert [line.partition(":")[0] for line in told] == ["docs/en/page3.md", "docs/zh/page1.md"], said
    assert "its process on the cluster ended" in told[0]
    assert "demo/gone.py" in told[1]
    assert not (root / "site").exists()


def test_without_a_cluster_one_sentence_says_what_to_do(tmp_path):
    status, said = mkdocs_build(lay(tmp_path, {}), "127.0.0.1:1")
    assert status == 1
    assert re.search(r"HEXAPLA_RAY 127\.0\.0\.1:1: .*; start a cluster with `ray start --head`", said)
    assert "Traceback" not in said


def test_without_ray_one_sentence_says_what_to_install(tmp_path):
    write(tmp_path, {"away/ray.py": "raise ModuleNotFoundError('ray')\n"})
    command = [sys.executable, "-m", "mkdocs", "build"]
    variables = {**os.environ, "HEXAPLA_RAY": "auto", "PYTHONPATH": str(tmp_path / "away")}
    ended = subprocess.run(command, cwd=lay(tmp_path, {}), env=variables, capture_output=True, text=True, timeout=60,
                           check=False)
    assert ended.returncode == 1
    assert "HEXAPLA_RAY needs the package ray; install it with `pip install 'hexapla[ray]'`" in ended.stderr
    assert "Traceback" not in ended.stderr


def described(**changes):
    """A build as nodes know it."""
    fields = {"config_file": "mkdocs.yml", "site_url": None, "use_directory_urls": True, "environment": {},
              "packages": ray_node.rendering_packages(), "pages": [], "statuses": {}}
    return ray_node.NodeBuild(**fields | changes)


@pytest.mark.parametrize(("changes", "says"), [
    ({"packages": ()}, "install the same packages on every node"),
    ({"pages": [["en/index.md", "en/ignored.md"]]}, r"other pages .*\(en/ignored\.md.*\); nodes get the files that"),
])
def test_a_node_that_would_render_other_pages_says_so(tmp_path, monkeypatch, changes, says):
    monkeypatch.chdir(lay(tmp_path, {}))
    with pytest.raises(ConfigError, match=says):
        ray_node.make_node_site(described(**changes))


def test_what_a_node_cannot_load_is_told_once_with_its_reason(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    items = [(0, "en/a.md"), (0, "en/b.md")]
    found = ray_node.rendered(items, lambda: ray_node.make_node_site(described()), ray_node.content_of)
    assert len({each.reason for each in found}) == 1
    assert all(isinstance(each, Failure) and each.placed for each in found)
    assert "mkdocs.yml" in found[0].reason


def test_a_page_that_takes_too_long_is_stopped(monkeypatch):
    monkeypatch.setattr(ray_node, "SECONDS", 0.1)

    def stubborn(made, item):
        while True:
            try:
                time.sleep(5)
            except Exception:
                continue

    assert "took longer" in ray_node.in_time(None, (0, "en/a.md"), stubborn).reason
