"""The command line: exit statuses, sentences, and what is written."""

import json
import os
import shlex
import shutil
import subprocess
import sys

import pytest
from hexapla import reports
from hexapla.cli import COMMANDS, main, make_parser
from hexapla.convert import source_formats
from hexapla.examples.evidence import parse_evidence
from hexapla.frameworks import redirect_forms
from hexapla.pages.lines import DIALECTS
from hexapla.setup import ci_files
from hexapla.translation import tracking
from hexapla.translation.exchange import exchange_files

from tests.hang_limit import HANG
from tests.site.project import hexapla, lay


def test_run_shows_and_record_writes(tmp_path):
    root = lay(tmp_path, {})
    shown = hexapla("run", cwd=root)
    assert shown.returncode == 0, shown.stderr
    assert "ran" in shown.stdout
    assert not (root / "snippets/evidence").exists()
    recorded = hexapla("run", "--record", "add", cwd=root / "docs")
    assert recorded.returncode == 0, recorded.stderr
    (file,) = (root / "snippets/evidence").glob("cpu-*.json")
    assert parse_evidence(file.read_text(encoding="utf-8")).runs["demo/add.py"].output == "3"


def test_a_failed_snippet_is_exit_status_1_and_is_recorded_as_failed(tmp_path):
    root = lay(tmp_path, {"snippets/demo/bad.py": "raise SystemExit('no')\n"})
    ended = hexapla("run", "--record", cwd=root)
    assert ended.returncode == 1
    assert "1 ran, 1 failed, 0 skipped" in ended.stdout
    assert "ended with status 1: no" in ended.stdout


@pytest.mark.parametrize(("arguments", "says"), [
    (["run", "--root", "nowhere"], "nowhere/mkdocs.yml: No such file or directory; check the path given to --root"),
    (["run", "none_such"], "no snippet matches 'none_such'; there are demo/add.py"),
    (["run", "--runner", "tpu"], "there is no runner 'tpu'; there are cpu"),
])
def test_what_cannot_be_done_is_exit_status_2_and_one_sentence(tmp_path, arguments, says):
    ended = hexapla(*arguments, cwd=lay(tmp_path, {}))
    assert ended.returncode == 2
    assert ended.stderr.count("\n") == 1
    assert says in ended.stderr


def test_outside_a_project_it_says_where_to_go(tmp_path):
    ended = hexapla("run", cwd=tmp_path)
    assert ended.returncode == 2
    assert "no mkdocs.yml or zensical.toml here or above; go into the project or name it with --root" in ended.stderr


def test_a_changed_output_is_a_failure_until_it_is_accepted(tmp_path):
    root = lay(tmp_path, {})
    assert hexapla("run", "--record", cwd=root).returncode == 0
    snippet = root / "snippets/demo/add.py"
    snippet.write_text(snippet.read_text(encoding="utf-8") + "print('another')\n", encoding="utf-8")
    ended = hexapla("run", cwd=root)
    assert ended.returncode == 1
    assert "+another" in ended.stdout
    assert "if this is right, `hexapla run --record demo/add` accepts it" in ended.stdout
    assert hexapla("run", "--record", "demo/add", cwd=root).returncode == 0
    assert hexapla("run", cwd=root).returncode == 0


def test_evidence_changed_by_hand_stops_all_but_recording_that_snippet(tmp_path):
    root = lay(tmp_path, {"snippets/demo/other.py": "print(1)\n"})
    assert hexapla("run", "--record", cwd=root).returncode == 0
    (file,) = (root / "snippets/evidence").glob("*.json")
    file.write_text(file.read_text(encoding="utf-8").replace('"output": "3"', '"output": "4"'), encoding="utf-8")
    for arguments in (["run"], ["run", "--record", "other"]):
        refused = hexapla(*arguments, cwd=root)
        assert refused.returncode == 2
        assert "the run of demo/add.py was changed by hand: its digest does not hold" in refused.stderr
    assert hexapla("run", "--record", "demo/add", cwd=root).returncode == 0
    assert {name: run.output for name, run in parse_evidence(file.read_text(encoding="utf-8")).runs.items()} == {
        "demo/add.py": "3", "demo/other.py": "1",
    }


@pytest.mark.parametrize("minimum", ["2", '"all"'])
def test_a_runner_that_runs_fewer_than_it_promises_fails(minimum, tmp_path):
    root = lay(tmp_path, {
        "pyproject.toml": f"[tool.hexapla.runners]\ncpu = {{minimum = {minimum}}}\n",
        "snippets/demo/skipped.py": "print('needs two'), exit(75)\n",
    })
    ended = hexapla("run", cwd=root)
    assert ended.returncode == 1
    assert "the runner cpu promises 2 of these snippets, and 1 ran" in ended.stdout
    assert hexapla("run", "demo/add", cwd=root).returncode == 0


def test_runners_shows_what_belongs_where_and_what_is_here(tmp_path):
    table = "[tool.hexapla.runners]\ncpu = {}\ntpu = {device = 'tpu'}\n"
    shown = hexapla("runners", cwd=lay(tmp_path, {"pyproject.toml": table}))
    assert shown.returncode == 0, shown.stderr
    assert shown.stdout.splitlines()[0].startswith("cpu            1 snippets  core")
    assert "no tpu here" in shown.stdout.splitlines()[1]


def test_what_belongs_to_another_runner_says_to_which(tmp_path):
    root = lay(tmp_path, {
        "pyproject.toml": "[tool.hexapla.runners]\ncpu = {}\nold = {environment = 'old'}\n",
        "tests/snippets/demo/test_add.py": "import pytest\npytestmark = pytest.mark.env('old')\n",
    })
    ended = hexapla("run", "add", cwd=root)
    assert ended.returncode == 2
    assert "demo/add.py belongs to another runner; add --runner old" in ended.stderr


def test_damaged_evidence_is_not_overwritten(tmp_path):
    root = lay(tmp_path, {})
    assert hexapla("run", "--record", cwd=root).returncode == 0
    (file,) = (root / "snippets/evidence").glob("*.json")
    file.write_text("{", encoding="utf-8")
    ended = hexapla("run", "--record", cwd=root)
    assert ended.returncode == 2
    assert "move the file away and record again" in ended.stderr
    assert file.read_text(encoding="utf-8") == "{"


def test_repair_without_its_extra_says_what_to_install(tmp_path):
    garbled = "梯度累积把几个小批次的梯度加在一起。".encode().decode("cp1252", "ignore") * 3
    root = lay(tmp_path / "project", {"garbled.md": garbled})
    (tmp_path / "numpy.py").write_text("raise ModuleNotFoundError(name='numpy')\n")
    command = [sys.executable, "-m", "hexapla", "repair", "garbled.md"]
    path = os.pathsep.join(filter(None, [str(tmp_path), os.environ.get("PYTHONPATH", "")]))
    ended = subprocess.run(command, cwd=root, env=os.environ | {"PYTHONPATH": path}, capture_output=True, text=True,
                           timeout=HANG, check=False)
    assert ended.returncode == 2
    assert "this command needs the package numpy; install it with `pip install 'hexapla[repair]'`" in ended.stderr
    assert "Traceback" not in ended.stderr


def test_check_of_the_small_project(tmp_path):
    root = lay(tmp_path, {"docs/zh/index.md": "# 首页 {#home}\n\n[去](nowhere.md)\n"})
    ended = hexapla("check", "--format", "json", cwd=root)
    assert ended.returncode == 1
    found = json.loads(ended.stdout)
    assert found["schema"] == 1
    assert ("link-target-missing", "docs/zh/index.md", 3) in {
        (each["rule"], each["path"], each["line"]) for each in found["findings"]
    }


@pytest.mark.parametrize("line", [line for each in COMMANDS.values() for line, _ in each.examples])
def test_an_example_of_the_help_is_a_command(line):
    words = shlex.split(line.partition(" > ")[0])
    assert words[0] == "hexapla"
    make_parser(words[1]).parse_args(words[1:])


def test_every_command_has_examples_that_its_help_shows(capsys):
    assert all(each.examples for each in COMMANDS.values())
    with pytest.raises(SystemExit, match="0"):
        main(["sync", "--help"])
    assert capsys.readouterr().out.endswith("record it as current\n")


@pytest.mark.parametrize(("shell", "says"), [("bash", "complete "), ("zsh", "#compdef hexapla"), ("fish", "complete ")])
def test_a_shell_completes_commands_and_their_options(capsys, shell, says):
    assert main(["completion", shell]) == 0
    script = capsys.readouterr().out
    assert says in script
    assert all(name in script for name in (*COMMANDS, "write-baseline"))


@pytest.mark.skipif(not shutil.which("bash"), reason="the script is bash's")
def test_bash_reads_its_script(capsys, tmp_path):
    main(["completion", "bash"])
    (tmp_path / "hexapla").write_text(capsys.readouterr().out, encoding="utf-8")
    asked = "COMP_WORDS=(hexapla check --ex); COMP_CWORD=2; _shtab_hexapla; echo ${COMPREPLY[@]}"
    command = ["bash", "-c", f". ./hexapla; {asked}"]
    said = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True).stdout
    assert said.split() == ["--explain", "--external"]


# By command and option: the table that has what the option may be.
CHOICES = {
    ("check", "--format"): reports.FORMATS, ("check", "--anchors"): DIALECTS, ("status", "--format"): tracking.FORMATS,
    ("ci", "--for"): ci_files.HOSTS, ("addresses", "--map"): redirect_forms.HOSTS,
    ("export", "--format"): exchange_files.FORMATS, ("convert", "--from"): source_formats.DIALECTS,
    ("convert", "--to"): source_formats.DIALECTS,
}


@pytest.mark.parametrize(("command", "option"), CHOICES)
def test_what_an_option_may_be_is_what_the_program_knows(command, option):
    commands = next(each for each in make_parser(command)._actions if each.choices)
    named = {name: each.choices for each in commands.choices[command]._actions
             for name in each.option_strings or [each.dest]}
    assert [*named[option]] == [*CHOICES[command, option]]
