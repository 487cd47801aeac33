"""Blocks that stand in pages: which are programs, what they need, and that they are run, recorded and held to it."""

import re

import pytest
from hexapla.cli import main
from hexapla.config.project import load_project
from hexapla.examples.evidence import Status
from hexapla.examples.evidence_store import read_all
from hexapla.examples.markers import Requirements
from hexapla.examples.outdated_runs import CurrentTree
from hexapla.examples.snippet import open_snippets
from hexapla.examples.tasks import list_tasks

from tests.cases import cases

CONFIG = """\
site_name: Demo
docs_dir: docs
plugins:
  - i18n:
      docs_structure: folder
      languages: [{locale: en, name: English, default: true}, {locale: ja, name: 日本語}]
  - hexapla: {run_blocks: true}
"""
PAGE = """\
# Start {#start}

``` { .python run="add" }
total = 1 + 2
```

``` { .python run="add" }
print("total", total)
```
"""


@pytest.fixture
def project(tmp_path):
    """Lays a project of one page in two languages; returns it as its configuration says."""
    def lay(page=PAGE, config=CONFIG):
        files = {"mkdocs.yml": config, "docs/en/guide/start.md": page, "docs/ja/guide/start.md": page}
        for name, text in files.items():
            (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / name).write_text(text, encoding="utf-8")
        return load_project(tmp_path)

    return lay


@pytest.mark.parametrize("case", cases("examples/blocks"))
def test_case(case, project):
    made = project(case["page"])
    snippets = open_snippets(made)
    tasks = {task.snippet: task for task in list_tasks(made.root, snippets)}
    assert tasks.keys() == case["programs"].keys()
    for path, wanted in case["programs"].items():
        belongs = {name: tuple(value) if isinstance(value, list) else value
                   for name, value in wanted.get("belongs", {}).items()}
        assert snippets.read(path) == wanted["code"]
        assert tasks[path].requirements == Requirements(**belongs)
        assert re.fullmatch(re.escape(wanted.get("problem", "")).replace(r"\*", ".*"), tasks[path].problem)


def test_nothing_in_a_page_is_run_unless_the_project_says_so(project):
    made = project(config=CONFIG.replace(": {run_blocks: true}", ""))
    assert not list_tasks(made.root, open_snippets(made))


def test_a_block_is_recorded_and_outdated_once_its_code_changes_but_not_with_the_page_around_it(project):
    made = project()
    assert main(["run", "--root", str(made.root), "start#add", "--record"]) == 0
    [evidence] = read_all(made.evidence)
    run = evidence.runs["guide/start#add.py"]
    assert (run.status, run.output) == (Status.RAN, "total 3")
    marked = ('run="add"', 'run="add" measures="yes"')
    for change, outdated in (("# Start", "# Begin"), False), (("1 + 2", "2 + 1"), True), (marked, True):
        snippets = open_snippets(project(PAGE.replace(*change)))
        assert bool(CurrentTree(made.root, snippets).change_since("guide/start#add.py", run)) is outdated, change


def test_what_a_block_prints_has_to_be_what_is_recorded(project, capsys):
    made = project()
    main(["run", "--root", str(made.root), "start#add", "--record"])
    project(PAGE.replace("1 + 2", "1 + 3"))
    assert main(["run", "--root", str(made.root), "start#add"]) == 1
    assert "-total 3" in capsys.readouterr().out
