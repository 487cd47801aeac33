"""Bad input stops a build with one sentence each, and the site before stays."""

import shutil
from pathlib import Path

import pytest
from hexapla.site.build.swap_output import make_folder_beside, publish_site, remove_folder_beside

from tests.cases import cases
from tests.site.project import FILES, build, lay, write


@pytest.mark.parametrize("case", cases("site/bad_input"))
def test_a_mistake_is_told_with_its_place(case, tmp_path):
    raw = {name: text.encode("latin-1") for name, text in case.get("bytes", {}).items()}
    built = build(lay(tmp_path, case.get("files", {}) | raw))
    assert built.status == 1
    assert "Traceback" not in built.said
    places = [built.said.find(sentence) for sentence in case["says"]]
    assert -1 not in places, built.said
    assert places == sorted(places)
    assert not built.site.exists()


def test_the_site_before_stays(tmp_path):
    assert build(lay(tmp_path, {})).status == 0
    before = sorted(path.relative_to(tmp_path) for path in (tmp_path / "site").rglob("*"))
    text = (tmp_path / "site/index.html").read_text(encoding="utf-8")
    broken = build(lay(tmp_path, {"docs/en/index.md": '# Home {#home}\n\n--8<-- "none.md"\n'}))
    assert broken.status == 1
    assert sorted(path.relative_to(tmp_path) for path in (tmp_path / "site").rglob("*")) == before
    assert broken.page("index.html") == text
    assert not list(tmp_path.glob(".site*"))


@pytest.mark.parametrize("page", ["docs/en/index.md", "docs/zh/index.md"])
def test_a_warning_in_any_language_stops_a_strict_build_and_the_site_before_stays(tmp_path, page):
    assert build(lay(tmp_path, {}), "--strict").status == 0
    broken = build(lay(tmp_path, {page: FILES[page] + "\n[nowhere](none.md)\n"}), "--strict")
    assert broken.status == 1
    assert "none.md" in broken.said
    assert "nowhere" not in broken.page("index.html") + broken.page("zh/index.html")
    assert not list(tmp_path.glob(".site*"))


def test_a_new_site_that_cannot_be_put_in_place_leaves_the_old_one(tmp_path):
    site = tmp_path / "site"
    site.mkdir()
    (site / "index.html").write_text("before")
    with pytest.raises(FileNotFoundError):
        publish_site(tmp_path / "nowhere", site)
    assert (site / "index.html").read_text() == "before"


def test_a_folder_of_others_beside_the_site_is_kept(tmp_path):
    root = lay(tmp_path, {".site-new/mine.txt": "kept", ".site-old/mine.txt": "kept"})
    broken = build(root)
    assert broken.status == 1
    assert ".site-new: is where the new site is put until it is complete" in broken.said
    (root / ".site-new/mine.txt").rename(root / "mine.txt")
    (root / ".site-new").rmdir()
    assert build(root).status == 0
    assert (root / "mine.txt").read_text() + (root / ".site-old/mine.txt").read_text() == "keptkept"


def test_the_site_before_a_build_that_was_killed_comes_back(tmp_path):
    site = tmp_path / "site"
    new = make_folder_beside(site)
    write(new.with_name("old"), {"index.html": "before"})
    write(make_folder_beside(site), {"index.html": "half"})
    assert (site / "index.html").read_text() == "before"
    assert not [*make_folder_beside(site).iterdir()]


def test_an_interruption_between_the_renames_puts_the_site_before_back(tmp_path, monkeypatch):
    site, rename = tmp_path / "site", Path.rename
    write(site, {"index.html": "before"})
    new = make_folder_beside(site)

    def stop(path, target):
        if path == new:
            raise KeyboardInterrupt
        return rename(path, target)

    monkeypatch.setattr(Path, "rename", stop)
    with pytest.raises(KeyboardInterrupt):
        publish_site(new, site)
    remove_folder_beside(new)
    assert (site / "index.html").read_text() == "before"


def test_what_is_left_of_a_removal_that_was_killed_is_still_known_as_ours(tmp_path, monkeypatch):
    site = tmp_path / "site"
    new = make_folder_beside(site)
    write(new.with_name("old"), {"index.html": "before"})
    site.mkdir()
    marked = []
    monkeypatch.setattr(shutil, "rmtree", lambda folder, **options: marked.append(
        (folder, (new.parent / ".hexapla-build").is_file())))
    remove_folder_beside(new)
    assert marked == [(new, True), (new.with_name("old"), True), (new.parent, True)]


def test_paths_do_not_depend_on_the_working_directory(tmp_path):
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    built = build(lay(tmp_path / "project", {}), cwd=elsewhere)
    assert built.status == 0, built.said
    assert "total" in built.page("index.html")


def test_a_configuration_may_be_named_by_a_relative_path(tmp_path):
    built = build(lay(tmp_path / "project", {}), "--config-file", "mkdocs.yml")
    assert built.status == 0, built.said


def test_a_symbolic_link_out_of_the_snippets_is_refused(tmp_path):
    root = lay(tmp_path / "project", {"docs/en/index.md": '# Home {#home}\n\n```text\n--8<-- "demo/link.txt"\n```\n'})
    (tmp_path / "secret.txt").write_text("secret")
    (root / "snippets/demo/link.txt").symlink_to(tmp_path / "secret.txt")
    built = build(root)
    assert built.status == 1
    assert "leads out of snippets/" in built.said
