"""`hexapla ci`: what it writes lets each change be checked, and nothing that a person wrote is touched."""

import os
import re
import subprocess
from importlib.resources import files

import pytest
import yaml
from hexapla import __version__
from hexapla.cli import main
from hexapla.config.discovery import TreeOptions
from hexapla.config.layout import Layout
from hexapla.config.owners import Owners, find_owners
from hexapla.errors import ConfigError
from hexapla.setup.ci_files import (
    HOSTS,
    OWNED,
    host_file,
    label_lines,
    owned_paths,
    owner_lines,
    wanted_settings,
)

from tests.cases import FOLDER, cases
from tests.site.project import write

PAGES = {"docs/en/a.md": "# A\n", "docs/ja/a.md": "# A\n"}
UNFILLED = "your[-]organisation"  # which a release fills in, and not here


@pytest.fixture
def released(tmp_path_factory, monkeypatch):
    """The workflows as a release has them: with the owner of the repository."""
    folder = tmp_path_factory.mktemp("released")
    write(folder, {f"workflows/{each.name}": re.sub(UNFILLED, "owner", each.read_text())
                   for each in (files("hexapla.setup") / "workflows").iterdir()})
    monkeypatch.setattr("hexapla.setup.files", lambda package: folder)


def contents(root):
    files = [file for file in sorted(root.rglob("*")) if file.is_file() and ".hexapla/" not in file.as_posix()]
    return {file: file.read_bytes() for file in files}


@pytest.mark.parametrize("case", cases("ci"))
@pytest.mark.usefixtures("released")
def test_a_tree_is_set_up_in_one_step(case, tmp_path, capsys, monkeypatch):
    root = write(tmp_path / "tree", case["files"])
    before = contents(root)
    monkeypatch.chdir(root)
    main(["ci", "--root", ".", *case["options"]])
    assert contents(root) == before  # nothing is written without --write
    capsys.readouterr()
    status = main(["ci", "--root", ".", *case["options"], "--write"])
    said = capsys.readouterr()
    if "refused" in case:
        assert (status, said.err) == (2, f"hexapla: {case['refused']}\n")
    else:
        assert status == case.get("status", 0)
        lines = set(said.out.splitlines())
        assert set(case["says"]) <= lines and not set(case.get("unsaid", ())) & lines, said.out
        assert main(["check", "--root", "."]) == 0  # as the workflow calls it
    made = contents(root)
    assert {path: made.get(root / path, b"").decode() for path in case.get("written", {})} == case.get("written", {})
    assert not [path for path in case.get("absent", ()) if (root / path).exists()]
    main(["ci", "--root", ".", *case["options"], "--write"])
    assert contents(root) == made  # a second run changes nothing
    if "later" in case:
        write(root, case["later"])
        assert main(["check", "--root", "."]) == 1


@pytest.mark.usefixtures("released")
@pytest.mark.parametrize("name", sorted((HOSTS | OWNED).keys() - {"github-labels"}))  # which reads no tree
def test_a_tree_in_a_folder_of_its_repository_is_named_to_the_host(name, tmp_path):
    subprocess.run(["git", "init", "-q", tmp_path], check=True)
    assert "--root=site/docs" in host_file(tmp_path, name, "site/docs").text
    plain = host_file(tmp_path, name, "").text
    assert "root" not in plain and "args" not in plain and "FOLDER" not in plain
    assert __version__ in plain and yaml.safe_load(plain)


@pytest.mark.parametrize("linked", [".github", ".github/workflows", ".github/workflows/hexapla.yml"])
def test_nothing_is_written_through_a_link_out_of_the_repository(linked, tmp_path, capsys):
    root = write(tmp_path / "tree", {**PAGES, "docs/ja/a.md": "# A\n\n[gone](gone.md)\n"})
    elsewhere = write(tmp_path / "elsewhere", {"kept": "x"})
    (root / linked).parent.mkdir(parents=True, exist_ok=True)
    (root / linked).symlink_to(elsewhere / "new" if linked.endswith(".yml") else elsewhere)
    before = contents(root)
    assert main(["ci", "--root", str(root), "--for", "github", "--write"]) == 2
    assert "leads out of" in capsys.readouterr().err
    assert contents(root) == before and [each.name for each in elsewhere.rglob("*")] == ["kept"]


@pytest.mark.parametrize("name", [".github/CODEOWNERS", ".github/workflows/hexapla.yml", ".github", "hexapla.toml"])
@pytest.mark.usefixtures("released")
def test_nothing_is_written_where_something_else_stands_in_a_file_s_place(name, tmp_path, capsys):
    root = write(tmp_path, {**PAGES, "mkdocs.yml": "plugins: [{hexapla: {owners: {ja: ['@ken']}}}]\n"})
    if name == ".github":
        (root / name).write_text("no folder", encoding="utf-8")
    else:
        (root / name).mkdir(parents=True)
    before = contents(root)
    assert main(["ci", "--root", str(root), "--for", "github", "--layout", "docs/{lang}/{page}.md", "--write"]) == 2
    kind = "folder" if name == ".github" else "file"
    assert f"{name}: is no {kind}; rename it, and run this again" in capsys.readouterr().err
    assert contents(root) == before


@pytest.mark.parametrize(("folder", "fits"), [("a $(id)", False), ("a;b", False), ("ドキュメント/v1.0_x@y+z-", True)])
def test_a_folder_that_a_shell_would_read_otherwise_is_refused(folder, fits, tmp_path, capsys):
    subprocess.run(["git", "init", "-q", tmp_path], check=True)
    root = write(tmp_path / folder, PAGES)
    assert main(["ci", "--root", str(root), "--for", "github"]) == (0 if fits else 2)
    assert fits or f"{folder!r}: cannot be named in a workflow" in capsys.readouterr().err


def test_a_workflow_that_names_no_repository_yet_is_refused(tmp_path, capsys):
    if not re.search(UNFILLED, (files("hexapla.setup") / "workflows/pre-commit.yml").read_text()):
        pytest.skip("a release has filled it in")
    root = write(tmp_path, PAGES)
    assert main(["ci", "--root", str(root), "--for", "pre-commit"]) == 2
    assert "use --for github or --for gitlab" in capsys.readouterr().err
    write(root, {HOSTS["pre-commit"]: "- id: hexapla-check\n"})
    assert main(["ci", "--root", str(root), "--for", "pre-commit"]) == 0  # nothing would be written


def test_the_workflow_is_pinned_and_may_only_read(tmp_path):
    workflow = yaml.safe_load(host_file(tmp_path, "github", "").text)
    assert workflow["permissions"] == {"contents": "read"}
    steps = workflow["jobs"]["check"]["steps"]
    assert all(re.fullmatch(r"[\w/-]+@[0-9a-f]{40}", step["uses"]) for step in steps if "uses" in step)
    assert any(f"hexapla=={__version__}" in step.get("run", "") for step in steps)


@pytest.mark.parametrize(("known", "digest", "wanted"), [
    ("[]", "### `ja`\n", ["--get", "--data-urlencode title="]), ("[]", "", []),
    ('[{"iid": 7}, {"iid": 3}]', "### `ja`\n", ["--get", "body@digest.md api/projects/1/issues/7/notes"]),
])
def test_a_digest_of_gitlab_is_one_comment_a_week_and_none_where_all_is_current(known, digest, wanted, tmp_path):
    jobs = yaml.safe_load(host_file(tmp_path, "gitlab-digest", "").text)
    assert all(job["rules"] == [{"if": '$CI_PIPELINE_SOURCE == "schedule"'}] for job in jobs.values())
    assert not [line for line in jobs["hexapla-digest"]["script"] if "TOKEN" in line]
    write(tmp_path, {"digest.md": digest, "curl": f"#!/bin/sh\necho \"$@\" >> asked\necho '{known}'\n"})
    (tmp_path / "curl").chmod(0o755)
    variables = {"PATH": f"{tmp_path}:{os.environ['PATH']}", "CI_API_V4_URL": "api", "CI_PROJECT_ID": "1",
                 "HEXAPLA_TOKEN": "secret"}
    for script in jobs["hexapla-digest-comment"]["script"]:
        subprocess.run(["bash", "-e", "-o", "pipefail", "-c", script], cwd=tmp_path, env=variables, check=True)
    asked = (tmp_path / "asked").read_text(encoding="utf-8").splitlines() if wanted else []
    assert len(asked) == len(wanted) and all(words in line for words, line in zip(wanted, asked, strict=True)), asked


def test_the_source_s_repository_is_no_setting_that_is_written():
    assert wanted_settings(TreeOptions(layout="{page}.md", source_repo="../source"), {}) == {"layout": "{page}.md"}


@pytest.mark.parametrize("settings", ["plugins: [{hexapla: {owners: }}]\n", "plugins: [{hexapla: {owners: {}}}]\n"])
def test_owners_that_nobody_has_filled_in_are_none(settings, tmp_path):
    write(tmp_path, {"mkdocs.yml": settings})
    assert find_owners(tmp_path) == Owners({}, "mkdocs.yml: hexapla.owners")


@pytest.mark.parametrize("case", yaml.safe_load((FOLDER / "setup/owners.yml").read_text(encoding="utf-8")),
                         ids=lambda case: case["toml"])
def test_an_owner_that_no_host_knows_is_refused(case, tmp_path):
    write(tmp_path, {"hexapla.toml": f"[tool.hexapla]\n{case['toml']}\n"})
    with pytest.raises(ConfigError) as refused:
        find_owners(tmp_path)
    assert str(refused.value) == f"hexapla.toml: tool.hexapla.{case['says']}"


def test_owners_of_the_plugin_win_and_are_read_as_strictly(tmp_path):
    write(tmp_path, {"hexapla.toml": "[tool.hexapla]\nowners = {ja = ['@ken']}\n",
                     "mkdocs.yml": "plugins: [{hexapla: {owners: {ja: ['@kumiko']}}}]\n"})
    assert find_owners(tmp_path) == Owners({"ja": ("@kumiko",)}, "mkdocs.yml: hexapla.owners")
    write(tmp_path, {"mkdocs.yml": "plugins: [{hexapla: {owners: {no: ['@kari']}}}]\n"})  # `no` is a truth value
    with pytest.raises(ConfigError, match="owners names False, which is no code of a language"):
        find_owners(tmp_path)


# A layout, and pages with the language that owns each, "" for none.
PATHS = [
    ("docs/{lang}/{page}.md", {"docs/ja/a.md": "ja", "docs/ja/b/c.md": "ja", "docs/ja/img/a.png": "ja",
                               "docs/jav/a.md": "", "docs/en/a.md": "", "more/docs/ja/a.md": ""}),
    ("{lang}/{page}.md", {"ja/a.md": "ja", "zh/a.md": "zh", "en/ja/a.md": ""}),
    ("i18n/{lang}/docs/current/{page}.md", {"i18n/ja/docs/current/a.md": "ja", "i18n/ja/code.json": "ja"}),
    ("docs/{page}.{lang}.md", {"docs/a.ja.md": "ja", "docs/b/a.ja.mdx": "ja", "docs/a.zh.md": "zh", "docs/a.md": ""}),
    ("{page}.{lang}.md", {"a.ja.md": "ja", "b/a.ja.md": "ja", "a.md": ""}),
    ("docs_{lang}/{page}.md", {"docs_ja/a.md": "ja", "docs_java/a.md": ""}),
    ("docs/{lang}_{page}.md", {"docs/ja_a.md": "ja", "docs/ja_b/c.md": "ja", "docs/jaa.md": ""}),
]


@pytest.mark.parametrize(("pattern", "pages"), PATHS, ids=lambda each: each if isinstance(each, str) else "")
@pytest.mark.parametrize("folder", ["", "a/site"])
def test_a_page_is_owned_by_the_owner_of_its_language(pattern, pages, folder, tmp_path):
    """A host reads the paths as git reads those of a .gitignore, and the last line that fits counts."""
    layout = Layout(tmp_path, pattern, "en/{page}.md", "en", ("ja", "zh"), endings=(".md", ".mdx"))
    owners = Owners({"ja": ("@ja",), "zh": ("@zh",)}, "owners")
    paths = owned_paths(layout, folder, owners)
    lines = owner_lines(paths, owners)
    subprocess.run(["git", "init", "-q", tmp_path], check=True)
    (tmp_path / ".gitignore").write_text("".join(f"{line.split()[0]}\n" for line in lines), encoding="utf-8")
    start = f"{folder}/" if folder else ""
    wanted = {f"{start}{path}": language for path, language in pages.items()} | {
        f"{start}translations/{path}": "zh" for path in ("zh/a.txt", "review/zh/a.txt", "zh.txt", "zh.yml")}
    asked = subprocess.run(["git", "check-ignore", "--no-index", "-v", "-n", *wanted], cwd=tmp_path, text=True,
                           capture_output=True, check=False).stdout.splitlines()
    fits = [line.partition("\t")[0].rpartition(":")[2] for line in asked]
    codes = {line.split()[0]: line.split()[1].removeprefix("@") for line in lines}
    assert dict(zip(wanted, [codes.get(each, "") for each in fits], strict=True)) == wanted
    write(tmp_path, dict.fromkeys(wanted, ""))
    labels = yaml.safe_load("\n".join(label_lines(paths)))
    for code, (rule,) in labels.items():  # git's `:(glob)` reads them as the action does
        globs = [f":(top,glob){each}" for each in rule["changed-files"][0]["any-glob-to-any-file"]]
        labelled = subprocess.run(["git", "ls-files", "-z", "--others", "--", *globs], cwd=tmp_path, text=True,
                                  capture_output=True, check=True).stdout.split("\0")[:-1]
        assert sorted(labelled) == sorted(path for path, owner in wanted.items() if owner == code)
