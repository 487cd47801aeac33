"""Which snippets a runner takes, and how they are dealt to shards."""

import pytest
from hexapla.errors import ConfigError
from hexapla.examples.markers import Requirements
from hexapla.examples.runners import Runner, read_runners, select_runners
from hexapla.examples.snippet import Snippets
from hexapla.examples.tasks import Task, modules_to_preload, select_tasks, take_shard, task_of, tasks_of
from hypothesis import given
from hypothesis import strategies as st

from tests.cases import cases
from tests.site.project import write

TASKS = [
    Task("a/one.py", "", Requirements()), Task("a/two.py", "", Requirements(devices=2)),
    Task("b/old.py", "", Requirements("old")), Task("b/old_many.py", "", Requirements("old", 4)),
]
DURATIONS = st.dictionaries(st.text("abc", min_size=1, max_size=4), st.floats(0.1, 900), min_size=1, max_size=30)


@pytest.mark.parametrize(("runner", "taken"), [
    (Runner("cpu"), ["a/one.py"]),
    (Runner("cpu-many", devices="many"), ["a/two.py"]),
    (Runner("old", environment="old"), ["b/old.py", "b/old_many.py"]),
    (Runner("other", environment="other"), []),
], ids=lambda each: each.name if isinstance(each, Runner) else "")
def test_a_runner_takes_what_belongs_to_it(runner, taken):
    assert [each.snippet for each in tasks_of(TASKS, runner)] == taken


def test_snippets_are_chosen_by_a_part_of_their_path():
    assert [each.snippet for each in select_tasks(TASKS, ["./snippets/a/"])] == ["a/one.py", "a/two.py"]
    assert select_tasks(TASKS, []) == TASKS
    with pytest.raises(ConfigError, match=r"no snippet matches 'c/'; there are a/one\.py"):
        select_tasks(TASKS, ["c/"])


def test_what_a_runner_imports_ahead_is_what_its_snippets_and_their_tests_import(tmp_path):
    write(tmp_path, {
        "snippets/a/one.py": "from _helper import total\n", "snippets/a/_helper.py": "from torch.nn import Linear\n",
        "snippets/a/two.py": "import math\n", "tests/snippets/a/test_two.py": "from transformers import Trainer\n",
    })
    runner = Runner("cpu", preload=("torch", "transformers.trainer", "accelerate"))
    one, two = Task("a/one.py", "", Requirements()), Task("a/two.py", "tests/snippets/a/test_two.py", Requirements())

    def ahead(*some):
        return modules_to_preload(runner, some, tmp_path, Snippets(tmp_path / "snippets"))

    assert ahead(one) == ("torch",)
    assert ahead(two) == ("transformers.trainer",)
    assert ahead(one, two) == ("torch", "transformers.trainer")
    assert ahead(two._replace(problem="has no test", test="tests/gone.py")) == ()


@given(DURATIONS, st.integers(1, 5))
def test_every_task_is_in_one_shard_and_no_shard_has_much_more_than_another(durations, count):
    some = [Task(name, "", Requirements()) for name in durations]
    shards = [take_shard(some, number, count, durations) for number in range(1, count + 1)]
    assert sorted(each.snippet for mine in shards for each in mine) == sorted(durations)
    loads = [sum(durations[each.snippet] for each in mine) for mine in shards]
    assert max(loads) - min(loads) <= max(durations.values()) + 1e-6  # else its last task had gone elsewhere


def test_a_project_without_tests_of_snippets_has_none_to_run(tmp_path):
    assert task_of(tmp_path, "a/one.py") == Task("a/one.py", "", Requirements())


@pytest.mark.parametrize(("test", "problem"), [
    (None, "has no test; write tests/snippets/a/test_one.py, which asserts its effect"),
    ("import pytest\npytestmark = pytest.mark.env(name)\n", "cannot be read: line 2: the marker's argument"),
    ("pytestmark = broken(\n", "cannot be read: '(' was never closed"),
])
def test_a_snippet_without_a_test_that_can_be_read_says_so(tmp_path, test, problem):
    folder = tmp_path / "tests/snippets/a"
    folder.mkdir(parents=True)
    if test:
        (folder / "test_one.py").write_text(test)
    assert problem in task_of(tmp_path, "a/one.py").problem


@pytest.mark.parametrize("case", cases("examples/runners"))
def test_case(case, tmp_path):
    (tmp_path / "pyproject.toml").write_text(case["pyproject"], encoding="utf-8")
    if "refused" in case:
        with pytest.raises(ConfigError) as refused:
            select_runners(read_runners(tmp_path), case.get("named", []))
        assert case["refused"] in str(refused.value)
    else:
        assert [each.name for each in select_runners(read_runners(tmp_path), case.get("named", []))] == case["chosen"]


def test_without_a_pyproject_there_is_the_cpu(tmp_path):
    assert list(read_runners(tmp_path)) == ["cpu"]
