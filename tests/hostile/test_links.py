"""Links that leave a tree, pipes, endless files and odd names: no command follows, hangs, or acts upon them."""

import os
import shutil
import sys
from pathlib import Path

import pytest
import yaml
from hexapla.cli import main
from hexapla.files import LARGEST, OutsideError, RefusedFileError, is_own_file, own_files, read_file
from hexapla.frameworks.hosted_redirects import redirected_addresses

from tests.site.project import build, hexapla, lay

CASES = yaml.safe_load((Path(__file__).parents[1] / "cases/hostile/links.yml").read_text(encoding="utf-8"))
SECRET = "hexapla-secret-outside"


def put(root, case, outside):
    """Lay what a case says into a tree."""
    place = root / case["at"]
    if place.is_dir():
        shutil.rmtree(place)
    place.unlink(missing_ok=True)
    place.parent.mkdir(parents=True, exist_ok=True)
    if "link" in case:
        target = case["link"]
        given = outside if target == "outside" else outside / target.removeprefix("outside/")
        place.symlink_to(given if target.startswith("outside") else Path(target) if target[0] == "/" else root / target)
    elif case.get("pipe"):
        os.mkfifo(place)
    else:
        place.write_text(case["page"], encoding="utf-8")


def run(root, command):
    """The exit status of a command in a process of its own, and all that it said."""
    if command == ["build"]:
        built = build(root, cwd=root)
        return built.status, built.said
    done = hexapla(*command, cwd=root)
    return done.returncode, done.stdout + done.stderr


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
def test_what_leads_out_of_a_tree_is_not_followed(case, tmp_path):
    outside = tmp_path / "outside"
    (outside / "en").mkdir(parents=True)
    for name in ("secret.md", "en/secret.md"):
        (outside / name).write_text(f"# {SECRET} {{#secret}}\n\n{SECRET}\n", encoding="utf-8")
    before = sorted(outside.rglob("*"))
    root = lay(tmp_path / "tree", {})
    put(root, case, outside)
    said = ""
    for command in case["commands"]:
        status, told = run(root, command)
        assert status in {0, 1, 2}, (command, told)
        assert "Traceback" not in told, (command, told)
        assert SECRET not in told, command
        mkdocs_paints = {"\x1b"} if command == ["build"] else set()
        assert not ({"\x1b", "\x07"} - mkdocs_paints) & {*told}, command
        assert "\x1b[2J" not in told, command
        said = said or told
        for folder, _, names in os.walk(root):
            for file in (Path(folder, name) for name in names):
                assert file.is_symlink() or file.is_fifo() or SECRET.encode() not in file.read_bytes(), (command, file)
    assert case.get("says", "") in said
    assert sorted(outside.rglob("*")) == before


def test_routes_are_looked_for_within_the_tree_alone(tmp_path):
    outside, root = tmp_path / "outside", tmp_path / "tree"
    for folder in (outside / "secret", outside, root / "src/pages/blog", root / "src/pages/shop/[kind]"):
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "[name].tsx").touch()
    (root / "pages").symlink_to(outside)
    (root / "src/pages/more").symlink_to(outside)
    assert {*redirected_addresses(root, "")} == {"blog/", "shop/"}


def test_a_file_is_read_within_its_tree_alone(tmp_path):
    root = tmp_path / "tree"
    root.mkdir()
    (root / "page.md").write_bytes(b"text")
    (root / "same.md").symlink_to("page.md")
    (tmp_path / "beside.md").write_bytes(b"other")
    (root / "out.md").symlink_to(tmp_path / "beside.md")
    (root / "up").symlink_to(tmp_path)
    os.mkfifo(root / "pipe.md")
    with (root / "large.md").open("wb") as file:
        file.truncate(LARGEST + 1)
    assert read_file(root, "page.md") == read_file(root, root / "same.md") == b"text"
    for path in ("out.md", "up/beside.md", "../beside.md", tmp_path / "beside.md", "../tree-more"):
        with pytest.raises(OutsideError, match="leads out of tree/"):
            read_file(root, path)
        assert not is_own_file(root, path)
    for path in ("pipe.md", "large.md"):
        with pytest.raises(RefusedFileError):
            read_file(root, path)
    assert not is_own_file(root, "pipe.md")
    named = [root / name for name in ("page.md", "same.md", "out.md", "up/beside.md", "pipe.md", "large.md", "none.md")]
    assert [*own_files(root, named)] == [file for file in named if is_own_file(root, file)] == \
        [root / name for name in ("page.md", "same.md", "large.md")]
    with pytest.raises(FileNotFoundError):
        read_file(root, "none.md")


def test_colours_of_ours_alone_reach_a_terminal(monkeypatch, tmp_path, capsys):
    monkeypatch.chdir(lay(tmp_path, {"docs/en/escape.md": "# A {#a}\n\n[x](none\x1b[8m.md)\n"}))
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    main(["check"])
    said = capsys.readouterr().out
    assert "\x1b[31m" in said and "\x1b[8m" not in said and "none\\x1b[8m.md" in said
