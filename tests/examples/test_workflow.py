"""The workflow runs what is not ours on machines that are not ours."""

import re
from pathlib import Path

import pytest
import yaml
from hexapla.config.project import load_project
from hexapla.examples.runners import read_runners
from hexapla.examples.snippet import Snippets
from hexapla.examples.snippet_runs import matrix_jobs
from hexapla.examples.tasks import list_tasks

ROOT = Path(__file__).parents[2]
FILE = yaml.safe_load((ROOT / ".github/workflows/docs.yml").read_text(encoding="utf-8"))
JOBS = FILE["jobs"]


def test_nothing_runs_a_pull_request_with_the_rights_of_the_branch():
    assert set(FILE[True]) == {"push", "pull_request", "workflow_dispatch"}  # YAML reads `on` as a truth value
    assert FILE["permissions"] == {"contents": "read"}


@pytest.mark.parametrize("name", JOBS)
def test_only_a_job_that_no_pull_request_starts_may_use_a_machine_of_ours(name):
    job = JOBS[name]
    if job["runs-on"] == "ubuntu-latest":
        return
    used = re.search(r"outputs\.(\w+)", job["strategy"]["matrix"])[1]
    (printed,) = [step["run"] for step in JOBS["plan"]["steps"] if step.get("id") == "matrix"]
    line = next(line for line in printed.splitlines() if f'"{used}=' in line)
    if "--trusted" in line:
        assert "github.event_name != 'pull_request' && github.ref == 'refs/heads/main'" in job["if"]


def test_each_hosted_runner_promises_to_run_all_that_belongs_to_it():
    requirements = [task.requirements for task in list_tasks(ROOT, Snippets(load_project(ROOT).snippets))]
    promised = {name: each.minimum for name, each in read_runners(ROOT).items() if each.hosted}
    assert promised == {name: sum(map(read_runners(ROOT)[name].takes, requirements)) for name in promised}


def test_the_matrix_for_anybody_names_no_machine_of_ours():
    project = load_project(ROOT)
    snippets = Snippets(project.snippets)
    every = list_tasks(ROOT, snippets)
    hosted = matrix_jobs(project, read_runners(ROOT), every, snippets, False, "")
    ours = matrix_jobs(project, read_runners(ROOT), every, snippets, True, "")
    assert {label for row in hosted for label in row.labels} == {"ubuntu-latest"}
    assert all("self-hosted" in row.labels for row in ours)
    assert {row.runner for row in ours} >= {"gpu"}
