"""A build by our builder: as MkDocs would have built it, as without a cache, and with every page that fails told."""

import os
import re
import shutil
import subprocess
import sys

import pytest
from hexapla.site.build.compressed_contents import PackedContents
from hexapla.site.page.page_renderer import LoggedMessage, PageContent
from hexapla.site.search.search_sections import make_entry

from tests.hang_limit import HANG
from tests.site.live.edits import SHOWN, TREE
from tests.site.project import CARDS, Built, build, write

WHOLE_SITE = """\
seen = []
def on_page_content(html, **more):
    seen.append(1)
def on_post_build(config):
    assert seen
"""
PAGE_ONLY = "def on_page_markdown(markdown, **more):\n    return markdown.replace('Part', 'Piece')\n"
DATE = re.compile(r"<lastmod>[^<]*</lastmod>")
PROJECT = TREE | {"mkdocs.yml": CARDS}


def files(built):
    """The text of every page and index of a site, by its address."""
    assert built.status == 0, built.said
    return {
        file.relative_to(built.site).as_posix(): DATE.sub("", file.read_text(encoding="utf-8"))
        for file in sorted(built.site.rglob("*")) if file.suffix in {".html", ".json", ".xml", ".css"}
    }


@pytest.fixture(scope="module")
def first_build(tmp_path_factory):
    """The project, built once for all tests that change it afterwards, and a copy of it, its site and its cache."""
    built = build(write(tmp_path_factory.mktemp("project"), PROJECT))
    assert built.status == 0, built.said
    return built.root, shutil.copytree(built.root, tmp_path_factory.mktemp("kept") / "project", symlinks=True)


@pytest.fixture
def root(first_build):
    """The project as it was built first, in the place where it was built: what the cache knows depends on that."""
    place, kept = first_build
    shutil.rmtree(place)
    return shutil.copytree(kept, place, symlinks=True)


def before(root):
    """The texts of the site as it was built first."""
    return files(Built(0, "", root))


def test_packed_contents_come_back_as_they_were():
    html = "<h2 id=a>A</h2>" + "<p>文 and <code>code</code></p>" * 1000
    content = PageContent(
        "# A\n", {"date": "today", "tags": ["a"]}, html, "A", [{"name": "A", "id": "a", "level": 1, "children": []}],
        ["a"], {"b.md": {"part": "b.md#part"}}, "# A\n", make_entry("a/", "A", html),
        [LoggedMessage("mkdocs", 30, "said")],
        ((("text", "en/a.md"), "0" * 32),),
    )
    contents = PackedContents()
    contents[0, "en/a.md"] = contents[1, "zh/a.md"] = content
    assert contents[1, "zh/a.md"] == content
    assert {*contents} == {(0, "en/a.md"), (1, "zh/a.md")}
    del contents[0, "en/a.md"]
    assert [*contents] == [(1, "zh/a.md")] and (0, "en/a.md") not in contents


def test_the_site_is_the_one_that_mkdocs_builds(root):
    ours = before(root)
    write(root, {"hook.py": WHOLE_SITE, "mkdocs.yml": CARDS + "hooks: [hook.py]\n"})
    built = build(root)
    assert "because the plugin hook.py hooks page_content and post_build" in built.said
    theirs = files(built)
    # The links to other languages on their pages of errors are those of the page that was rendered last.
    differing = [path for path in ours | theirs if ours.get(path) != theirs.get(path) and not path.endswith("404.html")]
    assert not differing


def test_a_build_out_of_the_cache_is_the_same_and_so_is_one_after_an_edit(root):
    first = before(root)
    assert files(build(root)) == first
    write(root, {"docs/zh/a.md": "# 另一题 {#a}\n\n## 部分 {#part}\n\n文。\n", "snippets/demo/table.txt": "two\n",
                 "docs/search.yml": "synonyms: {en: [[home, house]]}\nsections: {a: {part: {en: [piece]}}}\n"})
    edited = files(build(root))
    assert edited != first
    for file in sorted((root / ".hexapla").iterdir()):
        if file.is_file():
            file.unlink()
    assert files(build(root)) == edited


def test_a_page_that_is_renamed_is_linked_at_its_new_address_by_the_table_of_runs(tmp_path):
    root = write(tmp_path, PROJECT | {"docs/en/z.md": f"# Shows {{#z}}\n\n{SHOWN}"})
    write(root, {"docs/en/index.md": "# Home {#home}\n", "docs/en/a.md": "# Page a {#a}\n\n## Part {#part}\n"})
    files(build(root))
    (root / "docs/en/z.md").rename(root / "docs/en/zz.md")
    pages = files(build(root))
    assert [re.findall(r'scope="rowgroup"[^>]*><a href="([^"]*)"', pages[path])
            for path in ("ran/index.html", "zh/ran/index.html", "zh-Hant/ran/index.html")] == [["../zz/"]] * 3


def test_a_page_s_markdown_names_the_languages_that_have_it_now(root):
    before = (root / "site/a.md").read_text(encoding="utf-8")
    (root / "docs/zh/a.md").unlink()
    assert build(root).status == 0
    after = (root / "site/a.md").read_text(encoding="utf-8")
    assert "/zh/a.md" in before and "/zh/a.md" not in after


@pytest.mark.parametrize("more", [{}, {"docs/zh/ran.md": TREE["docs/en/ran.md"]}], ids=["fallback", "translated"])
def test_what_a_translated_page_s_source_includes_names_the_area_in_every_language(more, tmp_path):
    root = write(tmp_path, PROJECT | {"docs/en/z.md": "# Shows {#z}\n", "docs/zh/z.md": "# 展示 {#z}\n"} | more)
    files(build(root))
    write(root, {"docs/en/z.md": f"# Shows {{#z}}\n\n{SHOWN * 9}"})
    edited = files(build(root))
    shutil.rmtree(root / ".hexapla")
    assert edited == files(build(root))
    assert [re.findall(r'scope="rowgroup"[^>]*><a href="([^"]*)"', edited[path])
            for path in ("ran/index.html", "zh/ran/index.html", "zh-Hant/ran/index.html")] == [["../z/"]] * 3


@pytest.mark.parametrize("ending", ["/index.html", ".md"])
def test_a_page_is_not_written_again_unless_its_file_was_changed(ending, root):
    first = before(root)
    same, changed = root / f"site/a{ending}", root / f"site/more/b{ending}"
    number = same.stat().st_ino
    changed.write_text("something else", encoding="utf-8")
    assert files(build(root)) == first
    assert same.stat().st_ino == number


def test_a_full_disk_leaves_the_site_as_it_was(root):
    write(root, {"docs/en/large.md": "# Large {#large}\n"})
    first = files(build(root))
    write(root, {"docs/en/large.md": "# Large {#large}\n\n" + "word " * 400_000})
    # A file that must not grow as large fails as one does on a disk that is full.
    limited = "import resource, sys\nresource.setrlimit(resource.RLIMIT_FSIZE, (1_500_000, 1_500_000))\n"
    command = f"{limited}from mkdocs.__main__ import cli\nsys.exit(cli(['build']))"
    ended = subprocess.run([sys.executable, "-c", command], cwd=root, capture_output=True, text=True, timeout=HANG,
                           check=False)
    assert ended.returncode
    assert "File too large" in ended.stderr
    assert {file.relative_to(root / "site").as_posix() for file in (root / "site").rglob("*.html")} <= first.keys()
    assert "word word" not in (root / "site/large/index.html").read_text(encoding="utf-8")
    assert not list(root.glob(".site*"))


def test_a_page_that_hangs_is_told_and_the_others_are_built(tmp_path):
    hook = "import time\ndef on_page_markdown(markdown, **more):\n    time.sleep('sleep' in markdown and 600)\n"
    root = write(tmp_path, PROJECT | {"hook.py": hook, "mkdocs.yml": CARDS + "hooks: [hook.py]\n",
                                   "docs/en/a.md": "# A {#a}\n\nsleep\n"})
    command = "import sys\nfrom hexapla.site import process_pool\nprocess_pool.SECONDS = 3.0\n" \
              "from mkdocs.__main__ import cli\nsys.exit(cli(['build']))"
    ended = subprocess.run([sys.executable, "-c", command], cwd=root, capture_output=True, text=True, timeout=HANG,
                           check=False)
    assert ended.returncode == 1
    assert "docs/en/a.md:1:1: it took longer than 3 seconds and was stopped" in ended.stderr
    assert "docs/en/index.md" not in ended.stderr


def test_a_damaged_cache_is_made_anew(root):
    first = before(root)
    (root / ".hexapla/cache.sqlite").write_bytes(b"no database" * 100)
    assert files(build(root)) == first


def test_a_plugin_that_touches_pages_works_and_its_pages_are_not_kept(tmp_path):
    root = write(tmp_path, PROJECT | {"hook.py": PAGE_ONLY, "mkdocs.yml": CARDS + "hooks: [hook.py]\n"})
    assert "Piece" in build(root).page("a/index.html")
    write(root, {"hook.py": PAGE_ONLY.replace("Piece", "Portion")})
    assert "Portion" in build(root).page("a/index.html")


MARKDOWN_OF_OTHERS = """\
from markdown.extensions import Extension
from markdown.postprocessors import Postprocessor


class Said(Postprocessor):
    def run(self, text):
        return text + open("said.txt", encoding="utf-8").read()


class Saying(Extension):
    def extendMarkdown(self, md):
        md.postprocessors.register(Said(md), "said", 0)


def said(*_, **more):
    return open("said.txt", encoding="utf-8").read()


makeExtension = Saying
"""
FENCE = "{pymdownx.superfences: {custom_fences: [{name: said, class: said, format: !!python/name:saying.said }]}}"
SLUG = "{toc: {slugify: !!python/object/apply:functools.partial {args: [!!python/name:saying.said ], kwds: {case: a}}}}"


@pytest.mark.parametrize("extension", [
    "saying", "{pymdownx.snippets: {base_path: ., auto_append: [said.txt]}}", FENCE, SLUG,
])
def test_a_page_is_not_kept_if_a_markdown_extension_may_have_read_a_file(tmp_path, monkeypatch, extension):
    root = tmp_path / "site-packages"  # as if what is of others were installed, not of the project
    monkeypatch.setenv("PYTHONPATH", str(root), prepend=os.pathsep)
    settings = CARDS.replace(", toc]", f", toc, {extension}]")
    page = "# A {#a}\n\n## Part {#part}\n\n```said\n```\n\n## Other\n"
    write(root, PROJECT | {"mkdocs.yml": settings, "saying.py": MARKDOWN_OF_OTHERS, "said.txt": "Piece",
                           "docs/en/a.md": page})
    assert "Piece" in build(root).page("a/index.html")
    write(root, {"said.txt": "Portion"})
    assert "Portion" in build(root).page("a/index.html")


def test_an_id_without_a_value_is_no_anchor_and_stops_nothing(tmp_path):
    root = write(tmp_path, PROJECT | {"docs/en/a.md": "# A {#a}\n\n## Part {#part}\n\n<p id>Text</p>\n"})
    assert "Text" in build(root).page("a/index.html")


def test_warnings_of_a_page_out_of_the_cache_stop_a_strict_build(tmp_path):
    root = write(tmp_path, PROJECT | {"docs/en/a.md": "# A {#a}\n\n## Part {#part}\n\n[no](nowhere.html)\n"})
    assert "nowhere.html" in build(root).said
    again = build(root)
    assert "nowhere.html" in again.said
    assert build(root, "--strict").status == 1


@pytest.mark.parametrize(("trouble", "says"), [
    ("import os\n        os._exit(3)", "docs/en/a.md:1:1: its process ended with status 3"),
    ("raise ValueError('too much')", "docs/en/a.md:1:1: too much"),
])
def test_all_pages_that_fail_are_told_and_the_site_before_stays(root, trouble, says):
    first = before(root)
    hook = f"def on_page_markdown(markdown, **more):\n    if 'trouble' in markdown:\n        {trouble}\n"
    write(root, {"hook.py": hook, "mkdocs.yml": CARDS + "hooks: [hook.py]\n", "docs/en/a.md": "# A {#a}\n\ntrouble\n",
                 "docs/en/more/b.md": '# B {#b}\n\n```text\n--8<-- "demo/none.txt"\n```\n'})
    built = build(root)
    assert built.status == 1
    assert says in built.said
    assert "docs/en/more/b.md:4:1" in built.said
    assert (root / "site/index.html").read_text(encoding="utf-8") == first["index.html"]
    assert not list(root.glob(".site*"))
