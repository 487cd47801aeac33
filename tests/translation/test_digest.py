"""What waits longest in each language, for its owners, and what an open pull request has of it."""

import json
import re
from pathlib import Path

import pytest
import yaml
from hexapla.cli import main

from tests.cases import cases
from tests.site.project import git
from tests.translation.test_state import PAGES, write

TREE = {"hexapla.toml": "[tool.hexapla]\nschema = 1\n"} | PAGES
NONE = Path(__file__).parents[1] / "cases/translation/pull_requests_that_are_none.yml"


def printed(capsys, root, *arguments):
    """What `hexapla status` prints."""
    capsys.readouterr()
    assert main(["status", "--root", str(root), *arguments]) == 0
    return capsys.readouterr().out


def make_draft(root, language, section, day):
    """Record a section as a draft of that day."""
    file = root / f"translations/{language}/page.txt"
    record = re.compile(rf"(\[{section}\]\nsource .*\ntranslation \w+) .*\n")
    made = f"\\1 draft\ndrafted by m on {day} with instructions - memory - around - terms -\n"
    text, count = record.subn(made, file.read_text(encoding="utf-8"))
    assert count == 1
    file.write_text(text, encoding="utf-8")


@pytest.mark.parametrize("case", cases("translation/digest"))
def test_a_digest_has_what_waits_longest_first(case, tmp_path, capsys):
    write(tmp_path, TREE | case.get("files", {}))
    main(["sync", "docs/en", "--root", str(tmp_path), "--reviewed-by", "Ada", "--write"])
    for language, drafts in case.get("drafts", {}).items():
        for section, day in drafts.items():
            make_draft(tmp_path, language, section, day)
    git(tmp_path, "init", "-q")
    for commit in ({"day": "2026-01-01", "files": {}}, *case.get("commits", ())):
        write(tmp_path, commit["files"])
        git(tmp_path, "add", "-A")
        git(tmp_path, "commit", "-qm", "all", "--date", f"{commit['day']}T12:00:00Z")
    file = tmp_path / "pull-requests.json"
    file.write_text(json.dumps(case.get("pull_requests", [])), encoding="utf-8")
    given = ("--pull-requests", str(file))
    assert printed(capsys, tmp_path, "--format", "digest", *given) == case["digest"]
    text = printed(capsys, tmp_path, *given)
    for words in case.get("says", ()):
        assert f"\n{words}" in text
    pages = json.loads(printed(capsys, tmp_path, "--format", "json", *given))["pages"]
    assert {f"{page['language']} {page['page']}": page["pull_requests"]
            for page in pages if "pull_requests" in page} == case.get("numbers", {})


def test_a_tree_in_a_folder_of_its_repository_knows_its_pull_requests(tmp_path, capsys):
    git(tmp_path, "init", "-q")
    root = tmp_path / "site"
    write(root, TREE)
    file = tmp_path / "some.json"
    file.write_text('[{"number": 7, "title": "x", "files": [{"path": "site/docs/zh/page.md"}]}]', encoding="utf-8")
    assert 'docs/zh/page.md  behind, in the open pull request #7 "x"' in printed(
        capsys, root, "--pull-requests", str(file))
    assert "<li>page #7<ul>" in printed(capsys, root, "--format", "html", "--pull-requests", str(file))


def test_a_long_list_is_cut(tmp_path, capsys):
    sections = range(25)
    write(tmp_path, {
        "hexapla.toml": TREE["hexapla.toml"],
        **{f"docs/{code}/page.md": "".join(f"## {word} {number} {{#n{number}}}\n\n{word}\n\n" for number in sections)
           for code, word in (("en", "Word"), ("zh", "字词"))}})
    main(["sync", "docs/en", "--root", str(tmp_path), "--write"])
    page = tmp_path / "docs/en/page.md"
    page.write_text(page.read_text(encoding="utf-8").replace("Word\n", "Words\n"), encoding="utf-8")
    said = printed(capsys, tmp_path, "--format", "digest").splitlines()
    assert len([line for line in said if line.startswith("- `")]) == 20
    assert said[-1] == "- and 5 more"


def test_a_digest_that_is_too_long_has_every_language_and_shorter_lists(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr("hexapla.translation.status.status_digest.LARGEST", 600)
    codes = ("de", "fr", "ja", "zh")
    write(tmp_path, {
        "hexapla.toml": "[tool.hexapla]\nschema = 1\nowners = {zh = ['@wei']}\n",
        **{f"docs/{code}/page.md": "".join(f"## {number} {{#n{number}}}\n\n{code}\n\n" for number in range(9))
           for code in ("en", *codes)}})
    main(["sync", "docs/en", "--root", str(tmp_path), "--write"])
    page = tmp_path / "docs/en/page.md"
    page.write_text(page.read_text(encoding="utf-8").replace("en\n", "words\n"), encoding="utf-8")
    said = printed(capsys, tmp_path, "--format", "digest")
    assert [line for line in said.splitlines() if line.startswith("###")] == [
        "### `de`", "### `fr`", "### `ja`", "### `zh` @wei"]
    for code in codes:
        assert f"\n{code}: 0 of 1 pages current" in said
    listed = said.count("\n- `")
    assert said.count("\n- and ") == 4 and listed < 36 and listed % 4 == 0


@pytest.mark.parametrize("name", yaml.safe_load(NONE.read_text(encoding="utf-8")))
def test_what_is_no_list_of_pull_requests_is_refused(name, tmp_path, capsys):
    write(tmp_path, TREE)
    file = tmp_path / "some.json"
    file.write_text(yaml.safe_load(NONE.read_text(encoding="utf-8"))[name], encoding="utf-8")
    assert main(["status", "--root", str(tmp_path), "--pull-requests", str(file)]) == 2
    said = capsys.readouterr().err
    assert said == (f"hexapla: --pull-requests {file}: is not what `gh pr list --json number,title,files` prints; "
                    "write it by that command\n")


def test_a_file_of_pull_requests_that_cannot_be_read_is_told(tmp_path, capsys):
    write(tmp_path, TREE)
    for data, why in ((None, "No such file"), (b"\xff", "is not what"), (b"[" * 200_000, "is not what")):
        if data is not None:
            (tmp_path / "some.json").write_bytes(data)
        assert main(["status", "--root", str(tmp_path), "--pull-requests", str(tmp_path / "some.json")]) == 2
        assert why in capsys.readouterr().err
