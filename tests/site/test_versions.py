"""Three versions of a site in four languages, published by mike as its users publish them, and read in Chromium."""

import fcntl
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from hexapla.site.build.versions import LOCK

from tests.hang_limit import HANG
from tests.site.conftest import serving
from tests.site.project import CONFIG, git, lay
from tests.site.switcher import switch

pytest.importorskip("mike", reason="mike is not installed; `pip install 'hexapla[versions]'` brings it")
MIKE = (sys.executable, "-c", "from mike.driver import main; main()")
SETTINGS = CONFIG.replace(
    "        - {locale: zh-Hant, name: 繁體中文}\n",
    "        - {locale: zh-Hant, name: 繁體中文}\n        - {locale: ja, name: 日本語}\n",
).replace("  - hexapla", "  - search\n  - mike: {canonical_version: latest}\n  - hexapla") + (
    "extra: {version: {provider: mike}}\n"
)
FILLER = "\n".join("Text.\n" for _ in range(60))
PAGES = {"en": ("Guide", "Part", "part"), "zh": ("指南", "部分", "部分"), "ja": ("手引き", "部品", "部品")}
IGNORED = "site\n.site*\n.hexapla\n__pycache__\n"


def guide(language, word):
    """A page with a heading far down, and a word that this version alone has."""
    title, part, _ = PAGES[language]
    return f"# {title} {{#guide}}\n\n{word}\n\n{FILLER}\n## {part} {{#part}}\n\n{FILLER}\n"


def pages(number):
    """The files of a version: `only1` is in the first alone, `new` in the third alone and in English alone."""
    files = {f"docs/{language}/guide.md": guide(language, f"kennwort{number}") for language in PAGES}
    files["docs/ja/index.md"] = "# ホーム {#home}\n"
    files |= {f"docs/{language}/only1.md": "# Old {#old}\n" for language in PAGES if number == 1}
    return files | ({"docs/en/new.md": "# New {#new}\n"} if number == 3 else {})


def mike(root, *arguments):
    """A command of mike, its exit status and what it said."""
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    ended = subprocess.run([*MIKE, *arguments], cwd=root, env={**os.environ, "PATH": path}, capture_output=True,
                           text=True, timeout=HANG, check=False)
    return ended.returncode, ended.stdout + ended.stderr


def repository(root, files):
    """The project under git, its identity in the repository's own configuration, as mike reads it."""
    lay(root, {"mkdocs.yml": SETTINGS, ".gitignore": IGNORED, **files})
    git(root, "init", "-q", "-b", "main")
    git(root, "config", "user.name", "t")
    git(root, "config", "user.email", "t@example.org")
    git(root, "add", "-A")
    git(root, "commit", "-qm", "First")
    return root


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    """A repository with 1.0, 2.0 and 3.0 on gh-pages; evidence of the first version's snippet changes after it."""
    root = repository(tmp_path_factory.mktemp("versions"), pages(1))
    for number in (1, 2, 3):
        if number > 1:
            for language in PAGES:
                (root / f"docs/{language}/only1.md").unlink(missing_ok=True)
            lay(root, {"mkdocs.yml": SETTINGS, **pages(number)})
            (root / "snippets/demo/add.py").write_text(
                f"# --8<-- [start:shown]\ntotal = {number} + 2\n# --8<-- [end:shown]\nprint(total)\n", encoding="utf-8"
            )
            git(root, "add", "-A")
            git(root, "commit", "-qm", f"Version {number}")
        status, said = mike(root, "deploy", "--update-aliases", f"{number}.0", "latest")
        assert status == 0, said
    assert mike(root, "alias", "--alias-type", "redirect", "2.0", "stable")[0] == 0
    assert mike(root, "set-default", "latest")[0] == 0
    return root


@pytest.fixture(scope="module")
def published(project, tmp_path_factory):
    """What the branch holds, as a host serves it."""
    folder = tmp_path_factory.mktemp("published")
    archive = subprocess.run(["git", "archive", "gh-pages"], cwd=project, capture_output=True, check=True).stdout
    subprocess.run(["tar", "-x", "-C", folder], input=archive, check=True)
    (folder / "404.html").write_text("<title>Not here</title>", encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def site_url(published):
    """Where it is served: `visit` opens pages there."""
    with serving(published) as url:
        yield url


def choose(page, version):
    """Choose a version in the header's menu by the keyboard."""
    link = page.locator(".md-version__link", has_text=version)
    link.focus()
    with page.expect_navigation():
        page.keyboard.press("Enter")


def test_every_version_is_whole(published):
    for version in ("1.0", "2.0", "3.0", "latest"):
        for folder in ("", "zh/", "zh-Hant/", "ja/"):
            assert (published / version / folder / "guide/index.html").is_file()
    assert [each["version"] for each in json.loads((published / "versions.json").read_text())] == ["3.0", "2.0", "1.0"]


@pytest.mark.parametrize("folder", ["", "zh/", "zh-Hant/", "ja/"])
def test_the_menu_keeps_page_language_and_anchor(visit, site_url, folder):
    page = visit(f"/1.0/{folder}guide/#part")
    choose(page, "2.0")
    assert page.url == f"{site_url}/2.0/{folder}guide/#part"


def test_the_menu_keeps_the_section_that_was_scrolled_to_and_the_mouse_finds_the_same(visit, site_url):
    page = visit("/1.0/ja/guide/")
    page.evaluate("document.getElementById('part').scrollIntoView()")
    link = page.locator(".md-version__link", has_text="3.0")
    link.dispatch_event("pointerover")
    assert link.get_attribute("href") == f"{site_url}/3.0/ja/guide/#part"  # what a new tab opens


def test_a_page_that_is_not_translated_yet_is_kept_too(visit, site_url):
    page = visit("/latest/ja/new/")
    choose(page, "3.0")
    assert page.url == f"{site_url}/3.0/ja/new/"


def test_without_the_page_the_menu_keeps_the_language(visit, site_url):
    page = visit("/1.0/zh-Hant/only1/")
    choose(page, "2.0")
    assert page.url.partition("#")[0] == f"{site_url}/2.0/zh-Hant/"


@pytest.mark.parametrize(("folder", "said"), [
    ("", "not the latest"), ("zh/", "不是最新版本"), ("zh-Hant/", "最新版本的文件"), ("ja/", "最新版ではありません"),
])
def test_an_old_version_says_so_in_the_readers_language_and_leads_to_the_latest(visit, site_url, folder, said):
    page = visit(f"/2.0/{folder}guide/#part")
    banner = page.locator("[data-md-component=outdated]")
    banner.wait_for()
    assert said in banner.inner_text()
    with page.expect_navigation():
        banner.locator("a").click()
    assert page.url == f"{site_url}/latest/{folder}guide/#part"
    page.locator(".md-version__current").wait_for()
    assert page.locator("[data-md-component=outdated]").is_hidden()


def test_the_banner_of_a_page_that_the_latest_lacks_leads_to_the_front_page_of_the_language(visit, site_url):
    page = visit("/1.0/zh/only1/")
    with page.expect_navigation():
        page.locator("[data-md-component=outdated] a").click()
    assert page.url.partition("#")[0] == f"{site_url}/latest/zh/"


def test_switching_language_stays_in_the_version(visit, site_url):
    page = visit("/1.0/guide/#part")
    switch(page, "ja")
    assert page.url == f"{site_url}/1.0/ja/guide/#part"


def test_search_finds_what_the_version_says(visit, site_url):
    page = visit("/1.0/zh/guide/")
    page.keyboard.press("f")
    page.wait_for_function("document.activeElement.matches('.md-search__input')")
    page.keyboard.insert_text("kennwort1")
    page.keyboard.press("End")
    first = page.locator(".md-search-result__link").first
    first.wait_for()
    assert first.evaluate("link => link.href").startswith(f"{site_url}/1.0/zh/guide/")


@pytest.mark.parametrize("folder", ["", "zh/", "zh-Hant/", "ja/"])
def test_search_engines_are_led_to_the_latest(visit, folder):
    page = visit(f"/1.0/{folder}guide/")
    root = "https://demo.example/latest/"
    assert page.locator("link[rel=canonical]").get_attribute("href") == f"{root}{folder}guide/"
    links = page.locator("link[rel=alternate][hreflang]").evaluate_all("all => all.map(l => [l.hreflang, l.href])")
    assert {**dict(links)} == {
        "en": f"{root}guide/", "zh": f"{root}zh/guide/", "zh-Hant": f"{root}zh-Hant/guide/",
        "zh-TW": f"{root}zh-Hant/guide/", "ja": f"{root}ja/guide/", "x-default": f"{root}guide/",
    }


def test_an_alias_that_redirects_keeps_page_language_and_anchor(visit, site_url):
    page = visit("/stable/zh-Hant/guide/#part")
    page.wait_for_url(f"{site_url}/2.0/zh-Hant/guide/#part")


def test_the_root_leads_to_the_latest(visit, site_url):
    page = visit("/")
    page.wait_for_url(f"{site_url}/latest/")


@pytest.mark.parametrize(("version", "shown"), [("1.0", "1 + 2"), ("2.0", "2 + 2"), ("3.0", "3 + 2")])
def test_code_and_its_source_stay_with_their_version(published, version, shown):
    assert shown in re.sub(r"<[^>]+>", "", (published / version / "zh/index.html").read_text(encoding="utf-8"))
    source = (published / version / "source/demo/add.py.html").read_text(encoding="utf-8")
    assert shown in re.sub(r"<[^>]+>", "", source)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_serious_in_an_old_version(visit, scheme):
    from axe_playwright_python.sync_playwright import Axe

    page = visit("/1.0/zh/guide/", color_scheme=scheme)
    page.locator("[data-md-component=outdated]").wait_for()
    found = Axe().run(page).response["violations"]
    assert not [each["id"] for each in found if each["impact"] in {"serious", "critical"}]


def edit_branch(root, folder, change):
    """Change gh-pages by hand, in a worktree."""
    git(root, "worktree", "add", "-q", str(folder), "gh-pages")
    change(folder)
    git(folder, "add", "-A")
    git(folder, "commit", "-qm", "By hand")
    git(root, "worktree", "remove", "--force", str(folder))


@pytest.fixture(scope="module")
def one_version(tmp_path_factory):
    """A repository with 1.0 on gh-pages, to be copied."""
    root = repository(tmp_path_factory.mktemp("one_version"), {})
    status, said = mike(root, "deploy", "1.0")
    assert status == 0, said
    return root


@pytest.fixture
def small(one_version, tmp_path):
    """A repository with 1.0 on gh-pages, to be changed."""
    return shutil.copytree(one_version, tmp_path / "small", symlinks=True)


def tip(root):
    """The commit of gh-pages."""
    return subprocess.run(["git", "rev-parse", "gh-pages"], cwd=root, capture_output=True, text=True).stdout


def test_a_folder_put_there_by_hand_is_not_replaced(small, tmp_path):
    def change(folder):
        (folder / "2.0").mkdir()
        (folder / "2.0/sitemap.xml").write_text("<urlset/>", encoding="utf-8")

    edit_branch(small, tmp_path / "hand", change)
    before = tip(small)
    status, said = mike(small, "deploy", "2.0")
    assert (status != 0, tip(small)) == (True, before), said
    assert "gh-pages:2.0: versions.json does not list this folder" in said
    status, said = mike(small, "deploy", "3.0")
    assert status == 0 and "gh-pages:2.0: versions.json does not list this folder" in said


def test_a_version_whose_folder_was_deleted_is_told(small, tmp_path):
    assert mike(small, "deploy", "2.0")[0] == 0
    edit_branch(small, tmp_path / "hand", lambda folder: git(folder, "rm", "-rq", "1.0"))
    status, said = mike(small, "deploy", "2.0", "--allow-empty")
    assert status == 0 and "gh-pages:versions.json: lists 1.0, which has no folder" in said


def test_two_versions_at_once_are_told_and_nothing_is_lost(small):
    before = tip(small)
    with (small / ".git" / LOCK).open("w") as handle:
        fcntl.flock(handle, fcntl.LOCK_EX)
        status, said = mike(small, "deploy", "2.0")
        assert (status != 0, tip(small)) == (True, before), said
        assert "another mike is publishing" in said
        assert mike(small, "list")[1].strip() == "1.0"
    assert mike(small, "deploy", "2.0")[0] == 0
