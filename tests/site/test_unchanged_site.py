"""A site that stands, with nothing changed that it is made of, is not built again; any change has it built."""

import os
import shutil
import subprocess
import sys

import pytest
from hexapla.site.build import unchanged_site
from hexapla.site.build.unchanged_site import find_standing_site, read_inputs, record_site
from mkdocs.config import load_config

from tests.site.project import CONFIG, build, git, lay, write

STANDS = "Nothing has changed since"
PROJECT = {"mkdocs.yml": CONFIG + "copyright: Me\n", "overrides/partials/empty.html": "", "docs/en/a.md": "# A\n"}


@pytest.fixture(scope="module")
def first_build(tmp_path_factory):
    """A project that was built, whose site was recorded, and its settings as they were."""
    root = lay(tmp_path_factory.mktemp("project"), PROJECT)
    git(root, "init", "--quiet")
    inputs = read_inputs(load_config(str(root / "mkdocs.yml")))
    built = build(root)
    assert built.status == 0, built.said
    record_site(inputs._replace(are_settled=True), [])
    return root


def stands(root, **options):
    """Whether a build of a project's site is not needed."""
    inputs = read_inputs(load_config(str(root / "mkdocs.yml"), **options))
    return inputs is not None and find_standing_site(inputs) is not None


def test_nothing_is_built_where_nothing_has_changed(first_build):
    before = {file: file.stat() for file in (first_build / "site").rglob("*")}
    built = build(first_build)
    assert built.status == 0 and STANDS in built.said
    assert {file: file.stat() for file in (first_build / "site").rglob("*")} == before


def rewrite(path):
    def change(root):
        file = root / path
        state = file.stat()
        file.write_bytes(file.read_bytes()[::-1])
        os.utime(file, ns=(state.st_atime_ns, state.st_mtime_ns))  # as a tool that keeps old times
    return change


@pytest.mark.parametrize("change", [
    pytest.param(rewrite("docs/en/a.md"), id="a page, its time and size as before"),
    pytest.param(rewrite("snippets/demo/add.py"), id="a snippet"),
    pytest.param(rewrite("site/index.html"), id="a page of the site"),
    pytest.param(lambda root: (root / "site/a/index.html").unlink(), id="a page of the site is gone"),
    pytest.param(lambda root: write(root, {"site/more.html": "x"}), id="a file of the site is new"),
    pytest.param(lambda root: write(root, {"docs/en/b.md": "# B\n"}), id="a page is new"),
    pytest.param(lambda root: (root / "docs/en/a.md").unlink(), id="a page is gone"),
    pytest.param(lambda root: (root / "docs/en/a.md").rename(root / "docs/en/b.md"), id="a page is moved"),
    pytest.param(lambda root: (root / "docs/en/c.md").symlink_to("gone.md"), id="a link that leads nowhere"),
    pytest.param(lambda root: write(root, {"overrides/main.html": "x"}), id="a template"),
    pytest.param(lambda root: write(root, {"docs/en/node_modules/x.md": "# X\n"}), id="a page among modules"),
    pytest.param(lambda root: write(root, {"docs/en/env/pyvenv.cfg": "", "docs/en/env/a.md": "# A\n"}),
                 id="a page in a folder that looks like an environment"),
    pytest.param(lambda root: shutil.rmtree(root / "site"), id="no site"),
    pytest.param(lambda root: shutil.rmtree(root / ".hexapla"), id="no cache"),
])
def test_any_change_has_it_built(first_build, tmp_path, change):
    kept = shutil.copytree(first_build, tmp_path / "kept", symlinks=True)
    record_site(read_inputs(load_config(str(kept / "mkdocs.yml")))._replace(are_settled=True), [])
    assert stands(kept)
    change(kept)
    assert not stands(kept)


def test_settings_commits_and_the_day_are_looked_at(first_build, monkeypatch):
    assert not stands(first_build, strict=True)
    assert not stands(first_build, site_dir=str(first_build / "other"))
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "86400")
    assert not stands(first_build)
    monkeypatch.undo()
    assert stands(first_build)
    git(first_build, "add", "docs")
    git(first_build, "commit", "--quiet", "--message", "A page is told to have changed")
    assert not stands(first_build)


def test_hooks_of_others_have_it_built_and_are_named(tmp_path, caplog):
    lay(tmp_path, {"hook.py": "def on_config(config):\n    pass\n", "mkdocs.yml": CONFIG + "hooks: [hook.py]\n"})
    caplog.set_level("INFO", "mkdocs")
    assert read_inputs(load_config(str(tmp_path / "mkdocs.yml"))) is None
    assert "because of hook.py: the site is built" in caplog.text


def test_what_was_just_written_is_not_recorded(tmp_path, monkeypatch):
    lay(tmp_path, {"site/index.html": "x"})
    assert not read_inputs(load_config(str(tmp_path / "mkdocs.yml"))).are_settled
    record_site(read_inputs(load_config(str(tmp_path / "mkdocs.yml"))), [])
    assert not stands(tmp_path)
    monkeypatch.setattr(unchanged_site, "TICK", -10**12)
    record_site(read_inputs(load_config(str(tmp_path / "mkdocs.yml"))), [])
    assert stands(tmp_path)


def test_an_environment_in_the_project_hides_nothing(tmp_path, monkeypatch):
    lay(tmp_path, {"pyvenv.cfg": "", "site/index.html": "x"})
    monkeypatch.setattr(unchanged_site, "TICK", -10**12)
    record_site(read_inputs(load_config(str(tmp_path / "mkdocs.yml"))), [])
    assert stands(tmp_path)
    write(tmp_path, {"docs/en/index.md": "# Other\n"})
    assert not stands(tmp_path)


SETTLED = """\
import sys
from hexapla.site.build import unchanged_site
from mkdocs.__main__ import cli
unchanged_site.TICK = -10**12
sys.argv[0] = "mkdocs"
cli()
"""


def build_settled(root):
    """A build of files that count as written long ago."""
    command = [sys.executable, "-c", SETTLED, "build", "--config-file", str(root / "mkdocs.yml")]
    ended = subprocess.run(command, cwd=root, capture_output=True, text=True, check=True)
    return ended.stdout + ended.stderr


def test_a_build_records_its_site_and_what_it_warned_of(tmp_path):
    root = lay(tmp_path, {"docs/en/a.md": "# A\n\n[b](b.md)\n"})
    first, again = build_settled(root), build_settled(root)
    assert STANDS not in first and STANDS in again
    warnings = {line for line in first.splitlines() if "WARNING" in line}
    assert any("b.md" in line for line in warnings)
    assert warnings == {line for line in again.splitlines() if "WARNING" in line}
