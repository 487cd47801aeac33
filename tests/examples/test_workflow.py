"""The workflows run what is not ours on machines that are not ours, and no text of a pull request as a script."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from hexapla.config.project import load_project
from hexapla.examples.runners import ALL, read_runners
from hexapla.examples.snippet_runs import matrix_jobs

ROOT = Path(__file__).parents[2]
CASES = ROOT / "tests/cases/examples/workflows"
WORDS, TREES = (yaml.safe_load((CASES / f"{name}.yml").read_text(encoding="utf-8")) for name in ("words", "trees"))
SHIPPED = ROOT / "tools/hexapla/setup/workflows"  # what `hexapla ci` writes into the repositories of others
FILES = sorted([*(ROOT / ".github").rglob("*.yml"), ROOT / "action.yml", *SHIPPED.glob("github*.yml")])
READ = {file.name: yaml.safe_load(file.read_text(encoding="utf-8")) for file in FILES}
JOBS = {(name, job): given for name, file in READ.items() for job, given in file.get("jobs", {}).items()}
DOCS, NIGHTLY = READ["docs.yml"], READ["nightly.yml"]
TRUSTED = "github.event_name != 'pull_request' && github.ref == 'refs/heads/main'"
PINNED = re.compile(r"uses: [\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$")
HOSTED = {"ubuntu-latest", "macos-latest", "windows-latest"}
# What a job may write, and what it is for.
WRITES = {
    ("docs.yml", "deploy"): {"pages": "write", "id-token": "write"},
    ("evidence.yml", "attest"): {"id-token": "write", "attestations": "write"},
    ("nightly.yml", "issue"): {"issues": "write"},
    ("release.yml", "build"): {"contents": "read", "id-token": "write", "attestations": "write"},
    ("release.yml", "publish"): {"id-token": "write"},
    ("release.yml", "container"): {"contents": "read", "packages": "write"},
    ("sync.yml", "sync"): {"contents": "write", "pull-requests": "read"},
    ("drafts.yml", "draft"): {"contents": "write", "pull-requests": "write"},
    ("github-digest.yml", "digest"): {"contents": "read", "pull-requests": "read"},
    ("github-digest.yml", "comment"): {"issues": "write"},
    ("github-labels.yml", "label"): {"contents": "read", "pull-requests": "write"},
}
TREE = {"mkdocs.yml": "site_name: x\n", "snippets/a/one.py": "print(1)\n", "docs/en/index.md": "# X\n"}
# The command of this tree, where no commit is known.
COMMAND = """case "$*" in *cat-file*) exit 1;; esac
PYTHONPATH={}/tools exec {} -m hexapla "$@" --root {}"""
# Every program that a script calls; it is called with what a test wants to see.
PROGRAMS = ("make", "git", "gh", "pipx", "sudo", "pip", "hexapla", "python", ".venv/bin/hexapla", ".venv/bin/python",
            ".venv/bin/pip", "bin/hexapla/bin/hexapla", "bin/hexapla/bin/pip")


def steps():
    """Every step with the variables of its job, by file, job and number."""
    for (name, job), given in JOBS.items():
        for number, step in enumerate(given["steps"]):
            yield f"{name}-{job}-{number}", (given.get("env", {}) | step.get("env", {}), step)
    for number, step in enumerate(READ["action.yml"]["runs"]["steps"]):
        yield f"action.yml-{number}", (step.get("env", {}), step)


STEPS = dict(steps())
SCRIPTS = {place: each for place, each in STEPS.items() if "run" in each[1]}


def test_nothing_runs_a_pull_request_with_the_rights_of_the_branch():
    assert set(DOCS[True]) == {"push", "pull_request", "workflow_dispatch"}  # YAML reads `on` as a truth value
    assert set(NIGHTLY[True]) == {"schedule", "workflow_dispatch"}
    assert set(READ["evidence.yml"][True]) == {"workflow_dispatch"}
    assert READ["release.yml"][True] == {"push": {"tags": ["v*"]}}


def test_a_job_may_write_what_it_is_for():
    given = {name: job.get("permissions", READ[name[0]]["permissions"]) for name, job in JOBS.items()}
    assert given == {name: WRITES.get(name, {"contents": "read"}) for name in JOBS}


def machines_of(job):
    """The machines that a job runs on, those of its matrix too."""
    if job["runs-on"] != "${{ matrix.system }}":
        return {job["runs-on"]}
    matrix = job["strategy"]["matrix"]
    return {*matrix["system"], *(row["system"] for row in matrix["include"])}


def test_only_a_job_that_no_pull_request_starts_may_use_a_machine_of_ours():
    ours = {name: job for name, job in JOBS.items() if machines_of(job) - HOSTED}
    assert ours and not [name for name, job in ours.items() if not job["if"].startswith(TRUSTED)]


def test_what_attests_evidence_runs_no_snippet_and_only_what_was_recorded_on_main():
    record, attest = READ["evidence.yml"]["jobs"]["record"], READ["evidence.yml"]["jobs"]["attest"]
    assert record["if"] == "github.ref == 'refs/heads/main'"
    assert not [step for step in attest["steps"] if "run" in step]
    scripts = [step["run"] for step in record["steps"] if "run" in step]
    assert [each.split()[0] for each in scripts[-2:]] == ["rm", "make"]  # rows of other runs are not attested


def test_an_action_is_named_by_its_commit_and_its_version():
    lines = [(file.name, line) for file in FILES for line in file.read_text(encoding="utf-8").splitlines()]
    used = [each for each in lines if re.match(r"[ -]*uses: (?!\./)", each[1])]
    assert used and not [each for each in used if not PINNED.search(each[1])]


def test_a_key_stays_where_nothing_is_pushed():
    pushing = [*JOBS["sync.yml", "sync"]["steps"], *JOBS["drafts.yml", "draft"]["steps"]]
    found = {place: step for place, (_, step) in STEPS.items() if step.get("uses", "").startswith("actions/checkout@")}
    kept = {place: step["with"]["persist-credentials"] for place, step in found.items()}
    assert kept == {place: step in pushing for place, step in found.items()}


def test_a_script_has_no_text_of_others():
    assert not [place for place, (_, step) in SCRIPTS.items() if "${{" in step["run"]]


def run_script(step, variables, folder, answer="exit 0"):
    """Run a step's script as GitHub does, where every program that it calls is `answer`."""
    for name in PROGRAMS:
        (folder / "bin" / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / "bin" / name).write_text(f"#!/bin/sh\n{answer}\n", encoding="utf-8")
        (folder / "bin" / name).chmod(0o755)
    return run_beside(step, variables, folder)


def run_beside(step, variables, folder):
    """Run a script in a new folder beside the programs, which are there."""
    shutil.rmtree(folder / "work", ignore_errors=True)
    (folder / "work").mkdir()
    (folder / "work/constraints.txt").write_text("a==1\n", encoding="utf-8")
    (folder / "work/report.md").touch()
    (folder / "work/.venv").symlink_to(folder / "bin/.venv")
    given = {
        "PATH": f"{folder / 'bin'}:{os.environ['PATH']}", "GITHUB_OUTPUT": str(folder / "output"), "HOME": str(folder),
        "GITHUB_STEP_SUMMARY": str(folder / "summary"), "RUNNER_TEMP": str(folder / "bin"), **variables,
    }
    command = ["bash", "-e", "-o", "pipefail", "-c", step["run"]]
    return subprocess.run(command, cwd=folder / "work", env=given, capture_output=True, text=True, check=False)


@pytest.mark.parametrize("place", [
    place for place, (variables, _) in SCRIPTS.items() if any("${{" in str(value) for value in variables.values())])
def test_no_word_of_a_pull_request_is_run(place, tmp_path):
    (variables, step), ran = SCRIPTS[place], []
    run_script(step, {}, tmp_path)
    for case in WORDS:
        run_beside(step, dict.fromkeys(variables, case["word"]), tmp_path)
        if found := [*tmp_path.rglob("pwned")]:
            ran.append(case["name"])
            found[0].unlink()
    assert not ran


@pytest.fixture
def tree(tmp_path):
    """A project whose runners a pull request names, with a snippet."""
    for name, text in TREE.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    return tmp_path


@pytest.mark.parametrize("case", TREES, ids=lambda case: case["name"])
def test_no_runner_that_a_pull_request_names_reaches_a_machine_of_ours(case, tree, tmp_path_factory):
    (tree / "pyproject.toml").write_text(f"[tool.hexapla.runners]\n{case['toml']}\n", encoding="utf-8")
    plan = {step.get("id"): step for step in DOCS["jobs"]["plan"]["steps"]}
    folder = tmp_path_factory.mktemp("run")
    ended = run_script(plan["hosted"], {"BEFORE": ""}, folder, COMMAND.format(ROOT, sys.executable, tree))
    written = (folder / "output").read_text(encoding="utf-8")
    assert "self-hosted" not in written and "ours" not in written.replace("\\nours=[]", "")
    assert written.count("\n") == 1 and case.get("told", "") in ended.stderr
    assert plan["ours"]["if"] == TRUSTED
    assert DOCS["jobs"]["hosted"]["runs-on"] == "ubuntu-latest"  # whatever the matrix names


def test_each_hosted_runner_promises_to_run_all_that_belongs_to_it():
    assert {each.minimum for each in read_runners(ROOT).values() if each.hosted} == {ALL}


def test_the_matrix_for_anybody_names_no_machine_of_ours():
    project = load_project(ROOT)
    hosted = matrix_jobs(project, read_runners(ROOT), False, "")
    ours = [*matrix_jobs(project, read_runners(ROOT), True, "")]
    assert {label for row in hosted for label in row["labels"]} == {"ubuntu-latest"}
    assert all("self-hosted" in row["labels"] for row in ours)
    assert {row["runner"] for row in ours} >= {"gpu"}


@pytest.mark.parametrize(("answer", "changed"), [("echo b==2", False), ("echo b==2; exit 1", True)])
def test_the_night_reports_what_fails_with_newer_versions(answer, changed, tmp_path):
    (step,) = [step for step in NIGHTLY["jobs"]["newest"]["steps"] if step.get("id") == "run"]
    ended = run_script(step, {}, tmp_path, f'case "$*" in *freeze*) echo b==2;; *) {answer};; esac')
    assert ended.returncode == 0, ended.stderr
    report = (tmp_path / "work/report.md").read_text(encoding="utf-8")
    assert "    b==2\n" in report
    assert ("`make claims` ends with status 1:" in report) is changed
    assert (tmp_path / "output").exists() is changed


@pytest.mark.parametrize(("known", "wanted"), [("", "issue create --title"), ("7", "issue edit 7 --body-file body.md")])
def test_the_night_writes_one_issue(known, wanted, tmp_path):
    (step,) = [step for step in NIGHTLY["jobs"]["issue"]["steps"] if step.get("id") == "issue"]
    ended = run_script(step, {}, tmp_path, f'case "$*" in *list*) echo "{known}";; *) echo "$*";; esac')
    assert wanted in ended.stdout


@pytest.mark.parametrize(("known", "digest", "wanted"), [
    ("", "### `ja`\n", "issue create --title"), ("7", "### `ja`\n", "issue comment 7 --body-file digest.md"),
    ("7", "", ""),
])
def test_a_digest_is_one_comment_a_week_and_none_where_all_is_current(known, digest, wanted, tmp_path):
    (step,) = [step for step in JOBS["github-digest.yml", "comment"]["steps"] if "run" in step]
    told = f"printf %s '{digest}' > digest.md\n"
    ended = run_script({"run": told + step["run"]}, {}, tmp_path,
                       f'case "$*" in *list*) echo "{known}";; *) echo "$*"; cat digest.md;; esac')
    assert ended.returncode == 0, ended.stderr
    assert ended.stdout.startswith(wanted) and ended.stdout.endswith(digest) and bool(ended.stdout) is bool(wanted)


def test_what_reads_the_tree_for_a_digest_reads_open_pull_requests_too(tree, tmp_path_factory):
    """The command of the workflow runs as it is written, `gh` replaced by what it prints."""
    (tree / "mkdocs.yml").write_text(
        "plugins: [{i18n: {docs_structure: folder, languages: [{locale: en, name: en, default: true}, "
        "{locale: ja, name: ja}]}}, {hexapla: {owners: {ja: ['@kumiko']}}}]\n", encoding="utf-8")
    (tree / "docs/ja").mkdir()
    (tree / "docs/ja/index.md").write_text("# X\n\n文。\n", encoding="utf-8")
    subprocess.run([sys.executable, "-m", "hexapla", "sync", "ja", "--write", "--root", tree], check=True,
                   capture_output=True, env={**os.environ, "PYTHONPATH": str(ROOT / "tools")})
    (tree / "docs/en/index.md").write_text("# X\n\nMore.\n", encoding="utf-8")
    (step,) = [step for step in JOBS["github-digest.yml", "digest"]["steps"] if "run" in step]
    folder = tmp_path_factory.mktemp("run")
    listed = '[{"number": 7, "title": "x", "files": [{"path": "docs/ja/index.md"}]}]'
    answer = (f"case \"$*\" in *list*) echo '{listed}'; exit 0;; esac\n"
              f"shift 3; cd {tree}; PYTHONPATH={ROOT}/tools exec {sys.executable} -m \"$@\"")
    ended = run_script({"run": step["run"].replace(" --root=FOLDER", "")}, {}, folder, answer)
    assert ended.returncode == 0, ended.stderr
    digest = (folder / "bin/digest.md").read_text(encoding="utf-8")
    assert digest.startswith("### `ja` @kumiko\n") and digest.endswith("(#7)\n")
