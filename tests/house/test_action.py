"""The action for other repositories: its steps' scripts run as programs, and what they send to GitHub."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from tests.hang_limit import HANG
from tests.reports.test_pull_request import PAGES, edit, git
from tests.site.project import write

ROOT = Path(__file__).parents[2]
ACTION = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
STEPS = ACTION["runs"]["steps"]
DRAFTS, SYNC = (yaml.safe_load((ROOT / f".github/examples/{name}.yml").read_text(encoding="utf-8"))
                for name in ("drafts", "sync"))
LAYOUT = "--layout docs/{lang}/{page}.md"
# Stands for GitHub's own program: notes what it is called with, and answers from a file.
GH = """#!/bin/sh
printf '%s\\n' "$*" >> "$GH_NOTES"
for argument in "$@"; do case "$argument" in body=@*) cat "${argument#body=@}" >> "$GH_NOTES.body";; esac; done
case "$*" in *"$GH_FAILS"*) [ -n "$GH_FAILS" ] && exit 1;; esac
case "$*" in *--jq*) cat "$GH_ANSWER";; esac
"""

pytestmark = pytest.mark.skipif(not shutil.which("bash"), reason="the scripts are bash's")


@pytest.fixture
def place(tmp_path):
    """A tree in git with an edit of its source, and a runner's folders and variables."""
    root = write(tmp_path / "project", PAGES)
    git(root, "init", "-q", "-b", "main")
    git(root, "add", "-A")
    git(root, "commit", "-qm", "all")
    edit(root, "docs/en/page.md", "The limit is 4", "The limit is 5")
    command, gh = tmp_path / "hexapla/bin/hexapla", tmp_path / "bin/gh"
    command.parent.mkdir(parents=True)
    gh.parent.mkdir()
    command.write_text(f'#!/bin/sh\nPYTHONPATH={ROOT}/tools exec {sys.executable} -m hexapla "$@"\n')
    gh.write_text(GH)
    for file in (command, gh):
        file.chmod(0o755)
    (tmp_path / "answer").write_text("")
    variables = {
        "PATH": f"{gh.parent}:{command.parent}:{os.environ['PATH']}", "RUNNER_TEMP": str(tmp_path), "ROOT": str(root),
        "ARGUMENTS": LAYOUT, "GITHUB_OUTPUT": str(tmp_path / "output"), "GITHUB_REPOSITORY": "owner/name",
        "GITHUB_STEP_SUMMARY": str(tmp_path / "summary.md"), "PULL_REQUEST": "7", "SINCE": "", "GH_FAILS": "",
        "REPORT": str(tmp_path / "hexapla.md"), "GH_NOTES": str(tmp_path / "gh.txt"), "GITHUB_RUN_ID": "99",
        "GH_ANSWER": str(tmp_path / "answer"), "HOME": str(tmp_path), "GIT_CONFIG_NOSYSTEM": "1",
    }
    return tmp_path, variables


def script(name):
    """The script of a step by its id."""
    return next(step["run"] for step in STEPS if step.get("id") == name)


def run(text, variables, cwd):
    """Run a script as GitHub does."""
    return subprocess.run(["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", text], cwd=cwd, env=variables,
                          capture_output=True, text=True, timeout=HANG, check=False)


def test_no_script_is_put_together_from_what_a_pull_request_says():
    jobs = [step for example in (DRAFTS, SYNC) for job in example["jobs"].values() for step in job["steps"]]
    for step in [*STEPS, *jobs]:
        assert "${{" not in step.get("run", "")
        assert step.get("shell") == "bash" or "uses" in step or step in jobs


def test_what_the_action_promises_is_made_by_a_step():
    ids = {step.get("id") for step in STEPS}
    for output in ACTION["outputs"].values():
        _, name, _, value = output["value"].strip("${} ").split(".")
        assert name in ids and f'"{value}=' in script(name)
    used = (ROOT / "action.yml").read_text(encoding="utf-8")
    assert all(f"inputs.{name}" in used for name in ACTION["inputs"])


def test_findings_are_annotated_and_written_as_sarif(place):
    folder, variables = place
    ended = run(script("check"), variables, folder)
    assert ended.returncode == 0, ended.stderr
    assert "::warning file=docs/zh/page.md,line=7" in ended.stdout or "::error file=docs/zh/page.md" in ended.stdout
    output = (folder / "output").read_text()
    assert "findings=true" in output
    found = json.loads((folder / "hexapla.sarif").read_text(encoding="utf-8"))
    assert {result["ruleId"] for result in found["runs"][0]["results"]} == {"number-differs"}


def test_a_check_that_cannot_run_fails_the_step(place):
    folder, variables = place
    ended = run(script("check"), variables | {"ROOT": str(folder / "nowhere")}, folder)
    assert ended.returncode == 2


DEFECTS = {  # what is told, as which finding; what is broken
    ("the rule number-differs fails on this page: KeyError", "rule-failed"):
        "hexapla.checks.rules.numbers.rule.number_differs",
    ("Hexapla itself failed: KeyError", "check-failed"): "hexapla.checks.engine.checker.run_on_tree",
}
BROKEN = f"""#!{sys.executable}
import sys
from unittest import mock
sys.path.insert(0, "{ROOT}/tools")
from hexapla.cli import main
with mock.patch("%s", side_effect=KeyError):
    sys.exit(main())
"""


@pytest.mark.parametrize(("message", "rule"), DEFECTS)
def test_a_defect_of_ours_is_no_finding_and_is_carried_by_the_report(place, message, rule):
    folder, variables = place
    (folder / "hexapla/bin/hexapla").write_text(BROKEN % DEFECTS[message, rule])
    ended = run(script("check"), variables, folder)
    assert ended.returncode == 3
    assert f"title={rule}::{message}" in ended.stdout
    assert (folder / "output").read_text() == f"sarif={folder}/hexapla.sarif\n"  # which is uploaded, nothing else
    (found,) = json.loads((folder / "hexapla.sarif").read_text(encoding="utf-8"))["runs"]
    assert not found["results"]
    (invocation,) = found["invocations"]
    assert not invocation["executionSuccessful"]
    assert {each["level"] for each in invocation["toolExecutionNotifications"]} == {"error"}
    assert all(each["message"]["text"].startswith(message) for each in invocation["toolExecutionNotifications"])
    upload = next(step for step in STEPS if "upload-sarif" in step.get("uses", ""))
    assert "!cancelled()" in upload["if"]  # a step that failed keeps others from running


def test_the_report_is_of_the_base_of_the_merge_that_is_checked_out(place):
    folder, variables = place
    root = folder / "project"
    git(root, "switch", "-qc", "change", "HEAD~1")
    edit(root, "docs/en/page.md", "One two three", "One two four")
    git(root, "switch", "-q", "main")
    git(root, "merge", "-q", "--no-ff", "-m", "merge", "change")
    ended = run(script("report"), variables | {"SINCE": "HEAD~2"}, folder)
    assert ended.returncode == 0, ended.stderr
    said = (folder / "summary.md").read_text(encoding="utf-8")
    assert "`page`: `1 word changed`" in said or "`page`: `its text changed`" in said
    assert "`first`" not in said  # that was put behind on main
    assert "::notice file=docs/en/page.md" in ended.stdout


def test_without_a_pull_request_the_summary_is_the_status(place):
    folder, variables = place
    ended = run(script("report"), variables | {"PULL_REQUEST": ""}, folder)
    assert ended.returncode == 0, ended.stderr
    assert "zh: 0 of 1 pages current" in (folder / "summary.md").read_text(encoding="utf-8")


@pytest.mark.parametrize(("known", "called"), [
    ("", "--method POST repos/owner/name/issues/7/comments "),
    ("123\n456\n", "--method PATCH repos/owner/name/issues/comments/123 "),
])
def test_there_is_one_comment_which_is_updated(place, known, called):
    folder, variables = place
    (folder / "answer").write_text(known)
    (folder / "hexapla.md").write_text("the report\n")
    ended = run(script("comment"), variables, folder)
    assert ended.returncode == 0, ended.stderr
    assert called in (folder / "gh.txt").read_text()
    assert (folder / "gh.txt.body").read_text() == "the report\n"


@pytest.mark.parametrize("fails", ["--paginate", "--method"])
def test_a_token_that_may_not_write_fails_nothing(place, fails):
    folder, variables = place
    (folder / "hexapla.md").write_text("the report\n")
    ended = run(script("comment"), variables | {"GH_FAILS": fails}, folder)
    assert ended.returncode == 0
    assert "The comment could not be written" in ended.stdout


def drafts(variables, folder, **more):
    """Run the example's step that drafts."""
    text = next(step["run"] for step in DRAFTS["jobs"]["draft"]["steps"] if step.get("name") == "Draft")
    return run(text, variables | {"LANGUAGE": "zh", "ENDPOINT": "http://localhost/v1", "MODEL": "m"} | more,
               folder / "project")


def test_drafts_are_not_made_again_while_some_wait(place):
    folder, variables = place
    (folder / "answer").write_text("feature\nhexapla/drafts-zh-98\n")
    ended = drafts(variables, folder)
    assert ended.returncode == 0 and "wait in an open pull request" in ended.stdout


def test_drafts_are_proposed_on_a_branch_of_their_own(place):
    folder, variables = place
    remote = folder / "remote.git"
    git(folder, "init", "-q", "--bare", str(remote))
    git(folder / "project", "remote", "add", "origin", str(remote))
    command = folder / "hexapla/bin/hexapla"
    command.write_text("#!/bin/sh\necho drafted >> docs/zh/page.md\necho '1 of 2 sections drafted'\nexit 1\n")
    ended = drafts(variables, folder)
    assert ended.returncode == 0, ended.stderr
    assert "pr create --head hexapla/drafts-zh-99" in (folder / "gh.txt").read_text()
    heads = subprocess.run(["git", "branch", "--list"], cwd=remote, capture_output=True, text=True, check=True).stdout
    assert heads.split() == ["hexapla/drafts-zh-99"]


def test_drafts_that_cannot_be_made_fail_the_job(place):
    folder, variables = place
    (folder / "hexapla/bin/hexapla").write_text("#!/bin/sh\nexit 2\n")
    assert drafts(variables, folder).returncode != 0


def sync_step(key, name):
    """The script of a step of the example that records what members say."""
    return next(step["run"] for step in SYNC["jobs"]["sync"]["steps"] if step.get(key) == name)


@pytest.mark.parametrize(("head", "status", "output"), [
    ("owner/name change", 0, "name=change\n"), ("stranger/name change", 1, ""), ("null change", 1, ""),
])
def test_only_a_branch_of_the_repository_itself_is_recorded_on(place, head, status, output):
    folder, variables = place
    (folder / "answer").write_text(f"{head}\n")
    (folder / "output").write_text("")
    ended = run(sync_step("id", "branch"), variables | {"NUMBER": "7"}, folder)
    assert (ended.returncode, (folder / "output").read_text()) == (status, output), ended.stderr


@pytest.fixture
def branch(place):
    """The project on a branch with a remote, recorded, then edited as somebody does on the web."""
    folder, variables = place
    project = folder / "project"
    git(folder, "init", "-q", "--bare", str(folder / "remote.git"))
    git(project, "switch", "-qc", "change")
    assert run(f"hexapla sync docs --write --reviewed {LAYOUT}", variables, project).returncode == 0
    git(project, "add", "-A", "--", "translations")
    git(project, "commit", "-qm", "recorded")
    edit(project, "docs/zh/page.md", "一二三", "一、二、三")
    git(project, "remote", "add", "origin", str(folder / "remote.git"))
    git(project, "push", "-q", "origin", "change")
    return project, variables | {"AUTHOR": "a-member", "BRANCH": "change"}


def history(project):
    """The subject and the files of the newest commit of the branch that was pushed to."""
    log = ["git", "log", "--format=%s", "--name-only", "-1", "change"]
    remote = project.parent / "remote.git"
    return subprocess.run(log, cwd=remote, capture_output=True, text=True, check=True).stdout.split("\n\n")


def test_the_command_of_the_comment_is_run_for_those_who_cannot(branch):
    project, variables = branch
    said = run(f"hexapla pull-request --since HEAD~1 {LAYOUT}", variables, project).stdout
    command = next(line for line in said.splitlines() if line.startswith("hexapla sync "))
    ended = run(sync_step("name", "Record"), variables | {"COMMENT": f"/{command}\r\n\r\nThank you!"}, project)
    assert ended.returncode == 0, ended.stderr
    assert history(project) == ["Record translations as read by a-member", "translations/zh/page.txt\n"]
    assert "a-member" in (project / "translations/zh/page.txt").read_text(encoding="utf-8")
    assert "hexapla sync" not in run(f"hexapla pull-request --since HEAD~2 {LAYOUT}", variables, project).stdout
    again = run(sync_step("name", "Record"), variables | {"COMMENT": f"/{command}"}, project)
    assert again.returncode == 0 and len(history(project)) == 2, again.stderr  # nothing is left to record


@pytest.mark.parametrize("words", [
    "$(touch hacked) `touch hacked` ; touch hacked", "docs/zh/page.md --reviewed-by somebody", "--config=x docs/zh", "",
    "docs/zh/page.md 'not closed", "--layout", "../../etc",
])
def test_words_of_a_comment_are_pages_or_nothing_is_done(branch, words):
    project, variables = branch
    ended = run(sync_step("name", "Record"), variables | {"COMMENT": f"/hexapla sync {words}"}, project)
    assert ended.returncode != 0
    assert not (project / "hacked").exists()
    assert history(project)[0] == "edit"
