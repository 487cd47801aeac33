"""A build by our builder: as MkDocs would have built it, as without a cache, and with every page that fails told."""

import re

import pytest

from tests.site.live.edits import TREE
from tests.site.project import CONFIG, build, write

WHOLE_SITE = """\
seen = []
def on_page_content(html, **more):
    seen.append(1)
def on_post_build(config):
    assert seen
"""
PAGE_ONLY = "def on_page_markdown(markdown, **more):\n    return markdown.replace('Part', 'Piece')\n"
DATE = re.compile(r"<lastmod>[^<]*</lastmod>")


def files(built):
    """The text of every page and index of a site, by its address."""
    assert built.status == 0, built.said
    return {
        file.relative_to(built.site).as_posix(): DATE.sub("", file.read_text(encoding="utf-8"))
        for file in sorted(built.site.rglob("*")) if file.suffix in {".html", ".json", ".xml", ".css"}
    }


def test_the_site_is_the_one_that_mkdocs_builds(tmp_path):
    root = write(tmp_path, TREE)
    ours = files(build(root))
    write(root, {"hook.py": WHOLE_SITE, "mkdocs.yml": CONFIG + "hooks: [hook.py]\n"})
    built = build(root)
    assert "because the plugin hook.py hooks page_content and post_build" in built.said
    theirs = files(built)
    # The links to other languages on their pages of errors are those of the page that was rendered last.
    differing = [path for path in ours | theirs if ours.get(path) != theirs.get(path) and not path.endswith("404.html")]
    assert not differing


def test_a_build_out_of_the_cache_is_the_same_and_so_is_one_after_an_edit(tmp_path):
    root = write(tmp_path, TREE)
    first = files(build(root))
    assert files(build(root)) == first
    write(root, {"docs/zh/a.md": "# 另一题 {#a}\n\n## 部分 {#part}\n\n文。\n", "snippets/demo/table.txt": "two\n"})
    edited = files(build(root))
    assert edited != first
    for file in sorted((root / ".hexapla").iterdir()):
        if file.is_file():
            file.unlink()
    assert files(build(root)) == edited


def test_a_damaged_cache_is_made_anew(tmp_path):
    root = write(tmp_path, TREE)
    first = files(build(root))
    (root / ".hexapla/cache.sqlite").write_bytes(b"no database" * 100)
    assert files(build(root)) == first


def test_a_plugin_that_touches_pages_works_and_its_pages_are_not_kept(tmp_path):
    root = write(tmp_path, TREE | {"hook.py": PAGE_ONLY, "mkdocs.yml": CONFIG + "hooks: [hook.py]\n"})
    assert "Piece" in build(root).page("a/index.html")
    write(root, {"hook.py": PAGE_ONLY.replace("Piece", "Portion")})
    assert "Portion" in build(root).page("a/index.html")


def test_warnings_of_a_page_out_of_the_cache_stop_a_strict_build(tmp_path):
    root = write(tmp_path, TREE | {"docs/en/a.md": "# A {#a}\n\n## Part {#part}\n\n[no](nowhere.html)\n"})
    assert "nowhere.html" in build(root).said
    again = build(root)
    assert "nowhere.html" in again.said
    assert build(root, "--strict").status == 1


@pytest.mark.parametrize(("trouble", "says"), [
    ("import os\n        os._exit(3)", "docs/en/a.md:1:1: its process ended with status 3"),
    ("raise ValueError('too much')", "docs/en/a.md:1:1: too much"),
])
def test_all_pages_that_fail_are_told_and_the_site_before_stays(tmp_path, trouble, says):
    root = write(tmp_path, TREE)
    before = files(build(root))
    hook = f"def on_page_markdown(markdown, **more):\n    if 'trouble' in markdown:\n        {trouble}\n"
    write(root, {"hook.py": hook, "mkdocs.yml": CONFIG + "hooks: [hook.py]\n", "docs/en/a.md": "# A {#a}\n\ntrouble\n",
                 "docs/en/more/b.md": '# B {#b}\n\n```text\n--8<-- "demo/none.txt"\n```\n'})
    built = build(root)
    assert built.status == 1
    assert says in built.said
    assert "docs/en/more/b.md:4:1" in built.said
    assert (root / "site/index.html").read_text(encoding="utf-8") == before["index.html"]
    assert not list(root.glob(".site*"))
