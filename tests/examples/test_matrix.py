"""The jobs of a continuous integration, and who may use our machines."""

import json
import subprocess

import pytest
from hexapla.config.project import Language, Project
from hexapla.errors import ConfigError
from hexapla.examples.runners import Runner
from hexapla.examples.snippet_runs import job_matrix, matrix_jobs

TABLE = {
    "cpu": Runner("cpu", shards=2), "cpu-many": Runner("cpu-many", devices="many"),
    "old": Runner("old", environment="old"), "gpu": Runner("gpu", device="gpu", labels=("self-hosted", "gpu")),
    "tpu": Runner("tpu", device="tpu", stand_in="cpu", environment="tpu"),
}
FILES = {
    "snippets/a/one.py": "import _shared\nprint(1)\n", "snippets/a/_shared.py": "",
    "snippets/a/two.py": "print(2)\n", "snippets/b/old.py": "from _older import x\nprint(3)\n",
    "snippets/b/_older.py": "x = 1\n", "snippets/environments/old.txt": "a==1\n",
    "tests/snippets/a/test_one.py": "", "tests/snippets/a/test_two.py": "",
    "tests/snippets/b/test_old.py": "import pytest\npytestmark = pytest.mark.env('old')\n",
}


@pytest.fixture
def project(tmp_path):
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    return Project(tmp_path, tmp_path / "docs", tmp_path / "snippets", (Language("en", "English"),))


def matrix(project, trusted=False, since=""):
    return [(row["runner"], row["shard"], [*row["labels"]]) for row in matrix_jobs(project, TABLE, trusted, since)]


def test_a_row_for_each_shard_of_what_something_belongs_to(project):
    assert matrix(project) == [
        ("cpu", "1/2", ["ubuntu-latest"]), ("cpu", "2/2", ["ubuntu-latest"]), ("old", "1/1", ["ubuntu-latest"]),
    ]


def test_machines_of_our_own_run_trusted_code_only(project):
    assert matrix(project, trusted=True) == [("gpu", "1/1", ["self-hosted", "gpu"])]
    assert "self-hosted" not in str(matrix(project))


@pytest.mark.parametrize("labels", [
    '["self-hosted", "gpu"]', '["ubuntu-latest", "gpu"]', '[]', '["ubuntu-gpu"]', '["ubuntu-24.04-ours"]',
    '["${{ matrix.labels }}"]', '[["self-hosted"]]', '["Ubuntu-latest\\nself-hosted"]',
])
def test_no_label_that_a_tree_names_reaches_the_jobs_that_run_anybody_s_code(project, labels):
    (project.root / "pyproject.toml").write_text(f"[tool.hexapla.runners]\ncpu = {{labels = {labels}}}\n")
    assert json.loads(job_matrix(project, trusted=False, since=""))["include"] == []


@pytest.mark.parametrize("labels", ['"self-hosted"', '{group = "ours"}'])
def test_labels_that_are_no_list_are_refused(project, labels):
    (project.root / "pyproject.toml").write_text(f"[tool.hexapla.runners]\ncpu = {{labels = {labels}}}\n")
    with pytest.raises(ConfigError, match=r"runners\.cpu\.labels is"):
        job_matrix(project, trusted=False, since="")


@pytest.mark.parametrize("label", ["ubuntu-latest", "ubuntu-24.04-arm", "windows-2025", "macos-15-intel"])
def test_a_machine_that_github_hosts_may_be_named(project, label):
    (project.root / "pyproject.toml").write_text(f'[tool.hexapla.runners]\ncpu = {{labels = ["{label}"]}}\n')
    assert json.loads(job_matrix(project, trusted=False, since=""))["include"][0]["labels"] == [label]


@pytest.mark.parametrize(("changed", "wanted"), [
    ("README.md", False), ("snippets/a/one.py", False), ("snippets/b/old.py", True), ("snippets/b/_older.py", True),
    ("tests/snippets/b/test_old.py", True), ("snippets/environments/old.txt", True),
])
def test_an_environment_is_left_out_while_nothing_of_it_has_changed(project, changed, wanted):
    def git(*arguments):
        subprocess.run(["git", "-c", "user.name=x", "-c", "user.email=x@example.org", *arguments],
                       cwd=project.root, check=True, capture_output=True)

    git("init")
    git("add", ".")
    git("commit", "-m", "first")
    with (project.root / changed).open("a") as file:
        file.write("\n")
    git("add", ".")
    git("commit", "-m", "second")
    since = matrix(project, since="HEAD~1")
    assert any(runner == "old" for runner, _, _ in since) is wanted
    assert any(runner == "cpu" for runner, _, _ in since)


def test_a_commit_that_git_does_not_know_is_told(project):
    with pytest.raises(ConfigError, match="--since nowhere: "):
        matrix(project, since="nowhere")
