"""`hexapla stage`: the tree holds what the plugin shows, twice the same, and nothing a person wrote is lost."""

import json
import os
import re
import subprocess
import sys
import textwrap

import markdown
import pytest
import yaml
from selectolax.lexbor import LexborHTMLParser

from tests.hang_limit import HANG
from tests.site.project import CONFIG, build, hexapla, lay, rendering_page, write
from tests.site.test_translation_status import sync

LINKED = """\
# Home {#home}

- A list has code, too:

    ```python
    --8<-- "demo/add.py:shown"
    ```

    ![a sum](../assets/sum-en-light.svg) and [the other page](other.md#end).

## Left out {#left}

Only the source has this.
"""
OWN_HTML = "<p>Vorf\u00fchrung</p>".encode("latin-1")
FILES = {
    "docs/en/index.md": LINKED,
    "docs/zh/index.md": LINKED.replace("Home", "首页").partition("## Left")[0],
    "docs/en/other.md": "---\nredirects:\n  old: index.md#left\n---\n# Other {#other}\n\n## End {#end}\n\nText.\n",
    "docs/assets/sum-en-light.svg": "<svg viewBox='0 0 1 1'/>",
    "docs/assets/sum-zh-light.svg": '<svg viewBox="0 0 20 10"/>',
    "docs/assets/own.js": "", "docs/assets/demo.html": OWN_HTML,
    "docs/en/scripted.md": "---\nscripts: [assets/own.js]\n---\n\n# Scripted {#scripted}\n",
}
# What the tests take for Zensical: each page's Markdown, and the configuration that names the theme's search worker.
# It copies all other files as they are.
ENGINE = """
    import markdown, pathlib, re, shutil, yaml
    assert yaml.load(open("mkdocs.yml", encoding="utf-8"), yaml.Loader)["theme"]["custom_dir"] == "overrides"
    config = '<script id="__config">{"search":"../assets/javascripts/workers/WORKER"}</script>'
    shutil.copytree("docs", "site", ignore=shutil.ignore_patterns("*.md"))
    names = []
    for file in sorted(pathlib.Path("docs").rglob("*.md")):
        name = file.relative_to("docs").with_suffix("").as_posix()
        folder = pathlib.Path("site") if name == "index" else pathlib.Path("site", name)
        folder.mkdir(parents=True, exist_ok=True)
        text = file.read_text(encoding="utf-8").split("---\\n", 2)[2]
        html = markdown.markdown(text, extensions=["attr_list", "pymdownx.superfences"])
        (folder / "index.html").write_text(f"{html}{config}", encoding="utf-8")
        names.append(f"<url><loc>{name}</loc></url>")
    pathlib.Path("site/404.html").write_text(config)
    pathlib.Path("site/sitemap.xml").write_text(f"<urlset>{''.join(names)}</urlset>")
"""


def stage(root, folder, *options, modules=None):
    """`hexapla stage`; `modules` is a folder that Python imports from first, in a process that begins so."""
    arguments = ["stage", "--engine", "zensical", str(folder), "--root", str(root), *options]
    if not modules:
        return hexapla(*arguments, cwd=root)
    path = os.pathsep.join([str(modules), os.environ.get("PYTHONPATH", "")])
    return subprocess.run([sys.executable, "-m", "hexapla", *arguments], env=os.environ | {"PYTHONPATH": path},
                          capture_output=True, text=True, timeout=HANG, check=False)


def engine(folder, worker="search.0a.min.js"):
    """A folder with a package `zensical` that builds a tree."""
    text = textwrap.dedent(ENGINE).replace("WORKER", worker)
    return write(folder, {
        "zensical/__init__.py": "", "zensical/__main__.py": text,
        "zensical-0.0.73.dist-info/METADATA": "Metadata-Version: 2.1\nName: zensical\nVersion: 0.0.73\n",
    })


def content_of(folder):
    """The bytes of all files below a folder, by their paths."""
    files = sorted(file for file in folder.rglob("*") if file.is_file())
    return {file.relative_to(folder).as_posix(): file.read_bytes() for file in files}


def front_and_html(tree, language, page):
    """The front matter of a staged page, and its Markdown rendered as its configuration says."""
    config = yaml.load((tree / language / "mkdocs.yml").read_text(encoding="utf-8"), yaml.Loader)
    listed = [each if isinstance(each, dict) else {each: {}} for each in config["markdown_extensions"]]
    options = {name: given for each in listed for name, given in each.items()}
    _, front, text = (tree / language / "docs" / page).read_text(encoding="utf-8").split("---\n", 2)
    context = rendering_page(tree / language, page, yaml.safe_load(front), config)
    return context.page.meta, markdown.markdown(text, extensions=[context, *options], extension_configs=options)


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    config = CONFIG.replace("  - hexapla: {", "  - search\n  - hexapla: {redirect_maps: {gone.md: other.md}, ")
    root = lay(tmp_path_factory.mktemp("staged"), {**FILES, "mkdocs.yml": config})
    sync(root)
    (root / "docs/en/index.md").write_text(LINKED.replace("too:", "as well:"), encoding="utf-8")
    return root


@pytest.fixture(scope="module")
def tree(project):
    folder = project.parent / f"{project.name}-tree"
    ended = stage(project, folder)
    assert ended.returncode == 0, ended.stderr
    assert "pages: en 3, zh 3, zh-Hant 3" in ended.stdout
    return folder


@pytest.fixture(scope="module")
def joined(project, tmp_path_factory):
    folder = tmp_path_factory.mktemp("joined") / "tree"
    ended = stage(project, folder, "--build", modules=engine(tmp_path_factory.mktemp("engine")))
    assert ended.returncode == 0, ended.stderr
    return folder / "site"


@pytest.fixture(scope="module")
def built(project):
    site = build(project)
    assert site.status == 0, site.said
    return site


def told(html):
    """What a reader is told, by what it is: text of headings and code, notes and banners."""
    page = LexborHTMLParser(html.replace("&#10;", "\n"))
    for each in page.css(".hx-beside, .hx-hint, .headerlink"):
        each.decompose()
    within = page.css_first("article") or page.body
    kinds = ("h1, h2", "pre code", ".hx-run", ".hx-derived", ".hx-fallback", ".hx-behind", ".hx-status", "p")
    return {kind: [re.sub(r"\s+", "", each.text()) for each in within.css(kind)] for kind in kinds}


@pytest.mark.parametrize("page", ["index.md", "other.md", "scripted.md"])
@pytest.mark.parametrize("language", ["en", "zh", "zh-Hant"])
def test_a_staged_page_tells_what_the_plugins_page_tells(built, tree, language, page):
    place = "" if language == "en" else f"{language}/"
    expected = built.page(place + page.replace("index.md", "").replace(".md", "/") + "index.html")
    _, html = front_and_html(tree, language, page)
    assert told(html) == told(expected)
    assert told(html)["h1, h2"]


def test_a_page_that_is_behind_and_translated_in_part_says_so(tree):
    _, html = front_and_html(tree, "zh", "index.md")
    page = LexborHTMLParser(html)
    assert page.css_first('.hx-original[lang="en"] > h2#left + .hx-behind') is not None
    assert page.css_first("h1#home + .hx-behind") is not None
    derived = LexborHTMLParser(front_and_html(tree, "zh-Hant", "index.md")[1])
    assert derived.css_first("h1#home + .hx-derived + .hx-behind") is not None


def test_the_note_of_code_in_a_list_stays_in_the_list(tree):
    _, html = front_and_html(tree, "zh", "index.md")
    assert LexborHTMLParser(html).css_first("li .hx-run details") is not None


def test_links_lead_from_the_tree_and_pictures_are_the_languages_own(tree):
    assert 'src="assets/sum-en-light.svg"' in front_and_html(tree, "en", "index.md")[1]
    _, html = front_and_html(tree, "zh", "index.md")
    assert 'src="assets/sum-zh-light.svg"' in html
    assert (tree / "zh/docs/assets/sum-zh-light.svg").is_file()
    assert 'href="other.md#end"' in html
    assert 'href="../translations/zh/index.html"' in html  # in the joined site, from zh/index.md


def test_a_staged_page_knows_its_other_languages(tree):
    front, html = front_and_html(tree, "zh", "other.md")
    shown = {name: LexborHTMLParser(html) for name, html in front["hexapla"].items()}
    menu = {each.attributes["hreflang"]: each.attributes["href"] for each in shown["menu"].css("a.md-select__link")}
    assert menu == {"en": "../../other/", "zh": "./", "zh-Hant": "../../zh-Hant/other/"}
    assert 'class="hx-redirect"' in html
    assert front["hexapla"]["canonical"] == "https://demo.example/other/"
    assert {each.attributes["hreflang"] for each in shown["head"].css("link[hreflang]")} == {"en", "x-default"}
    assert 'src="../../assets/own.js"' in front_and_html(tree, "zh", "scripted.md")[0]["hexapla"]["head"]


def test_a_staged_page_names_the_languages_beside_it(tree):
    front, _ = front_and_html(tree, "zh", "index.md")
    page = LexborHTMLParser(front["hexapla"]["beside"])
    assert [each.attributes["lang"] for each in page.css(".hx-beside [aria-pressed][lang]")] == ["en", "zh-Hant"]
    assert page.css_first('.hx-beside a[href="index.md"]') is not None


def test_staging_twice_gives_the_same_bytes(project, tree):
    before = content_of(tree)
    assert stage(project, tree).returncode == 0
    assert content_of(tree) == before


def test_what_belongs_to_no_language_is_shared(tree):
    names = {*content_of(tree / "shared")}
    assert {"source/demo/add.py.html", "notebooks/demo/add.ipynb", "programs/demo/add.py"} <= names
    assert {"gone/index.html", "zh/gone/index.html", "zh/llms.txt", "zh/other.md", "zh/search/index.json"} <= names
    assert not any(name.endswith(("404.html", "other/index.html", ".js", "own.css")) for name in names)


@pytest.mark.parametrize("name", ["docs", "snippets/there", "."])
def test_the_project_is_not_written_over(project, name):
    before = content_of(project / "docs")
    ended = stage(project, project / name)
    assert ended.returncode == 2
    assert "name a folder elsewhere" in ended.stderr
    assert content_of(project / "docs") == before


def test_a_folder_of_others_is_not_touched(project, tmp_path):
    write(tmp_path, {"mine.txt": "kept", "file": "a file"})
    ended = stage(project, tmp_path)
    assert (ended.returncode, ended.stderr.count("\n")) == (2, 1)
    assert "was not written by this command" in ended.stderr
    assert stage(project, tmp_path / "file").returncode == 2
    assert content_of(tmp_path) == {"mine.txt": b"kept", "file": b"a file"}


def test_a_folder_of_others_beside_the_tree_is_not_touched(project, tmp_path):
    write(tmp_path, {".tree-new/mine.txt": "kept"})
    ended = stage(project, tmp_path / "tree")
    assert (ended.returncode, ended.stderr.count("move it away")) == (2, 1), ended.stderr
    assert content_of(tmp_path) == {".tree-new/mine.txt": b"kept"}


@pytest.mark.parametrize("name", ["zh/docs/index.md", "zh/docs/new.md"])
def test_what_a_person_wrote_into_the_tree_is_kept(project, tmp_path, name):
    assert stage(project, tmp_path / "tree").returncode == 0
    write(tmp_path / "tree", {name: "typed"})
    ended = stage(project, tmp_path / "tree")
    assert ended.returncode == 2
    assert f"{name}: was changed since the tree was written" in ended.stderr
    assert (tmp_path / "tree" / name).read_text() == "typed"


def test_what_a_person_writes_while_the_project_is_built_is_kept(tmp_path):
    page = tmp_path / "tree/en/docs/index.md"
    hook = f"import pathlib\n\n\ndef on_config(config):\n    page = pathlib.Path({str(page)!r})\n" \
           "    if page.exists():\n        page.write_text('typed')\n"
    root = lay(tmp_path / "project", {"mkdocs.yml": CONFIG + "hooks: [typist.py]\n", "typist.py": hook})
    assert stage(root, tmp_path / "tree").returncode == 0
    ended = stage(root, tmp_path / "tree")
    assert (ended.returncode, page.read_text()) == (2, "typed")
    assert "index.md: was changed since the tree was written" in ended.stderr


def test_an_engine_that_is_not_installed_is_named(project, tmp_path):
    ended = stage(project, tmp_path / "tree", "--build")
    if ended.returncode == 0:
        pytest.skip("zensical is installed here")
    assert ended.stderr == (
        "hexapla: zensical is not installed beside hexapla; pip install zensical==0.0.73, or leave --build out\n"
    )
    assert not (tmp_path / "tree").exists()


def test_the_languages_are_joined_in_one_site(joined):
    names = {*content_of(joined)}
    assert {"index.html", "zh/index.html", "zh/other/index.html", "source/demo/add.py.html", "404.html"} <= names
    assert "zh/sitemap.xml" not in names
    assert (joined / "sitemap.xml").read_text().count("<url>") == 9


def test_the_search_box_gets_our_worker_and_the_languages_index(joined):
    page = (joined / "zh/other/index.html").read_text(encoding="utf-8")
    assert '"../assets/hexapla/search-worker.js?index=../../search/index.json&zensical=../../../"' in page
    index = json.loads((joined / "zh/search/index.json").read_text(encoding="utf-8"))
    assert [url for url, *_ in index["pages"]] == ["zh/", "zh/other/", "zh/scripted/"]


def test_a_html_file_of_a_person_is_copied_as_it_is(joined):
    assert [(joined / folder / "assets/demo.html").read_bytes() for folder in ("", "zh")] == [OWN_HTML] * 2


def test_a_site_that_the_engine_writes_otherwise_does_not_replace_the_one_before(project, tmp_path):
    assert stage(project, tmp_path / "tree", "--build", modules=engine(tmp_path / "engine")).returncode == 0
    before = content_of(tmp_path / "tree/site")
    ended = stage(project, tmp_path / "tree", "--build", modules=engine(tmp_path / "other", "other.js"))
    assert ended.returncode == 2
    assert "#__config names no worker" in ended.stderr
    assert content_of(tmp_path / "tree/site") == before
