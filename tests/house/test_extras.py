"""A base installation: each command's help, and one sentence that names the extra where a command needs it."""

import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from hexapla.cli import COMMANDS

from tests.hang_limit import HANG
from tests.house.missing_modules import MISSING
from tests.site.project import lay

ROOT = Path(__file__).parents[2]
# Imports by distribution, where they are called otherwise.
IMPORTED = {"mkdocs-material": "material", "mkdocs-static-i18n": "mkdocs_static_i18n", "galore-torch": "galore_torch",
            "apollo-torch": "apollo_torch", "lomo-optim": "lomo_optim"}
BLOCK = MISSING + "from hexapla.cli import main\n"
HELP = BLOCK + """
for command in sys.argv[1:]:
    try:
        main([command, "--help"])
    except SystemExit as ended:
        assert ended.code == 0, command
"""
RUN = BLOCK + """
if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
"""


def optional():
    """The names that the packages of all extras are imported by."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    wanted = [name for each in project["optional-dependencies"].values() for name in each]
    names = {"".join(c if c.isalnum() or c in "-_" else " " for c in each).split()[0] for each in wanted} - {"hexapla"}
    return sorted({IMPORTED.get(name, name.replace("-", "_")) for name in names})


def run(root, code, *arguments):
    """A program in a process in which no package of an extra can be imported."""
    return subprocess.run([sys.executable, "-c", code.format(names=optional()), *arguments], cwd=root,
                          capture_output=True, text=True, timeout=HANG, check=False)


def test_each_command_explains_itself_without_any_extra(tmp_path):
    ended = run(lay(tmp_path, {}), HELP, *COMMANDS)
    assert ended.returncode == 0, ended.stderr
    assert ended.stdout.count("usage: hexapla") == len(COMMANDS)


@pytest.mark.parametrize(("arguments", "extra"), [
    ("draft --language zh --model nowhere", "translate"),
    ("draft --language zh --model nowhere --write", "translate"),
    ("translate", "translate"),
    ("next --language zh", "translate"),
    ("submit page#first --language zh --version v", "translate"),
    ("mcp", "agents"),
    ("export --format po --output out", "translate"),
    ("import out", "translate"),
    ("stage --engine zensical tree", "site"),
    ("repair garbled.txt", ""),
    ("init", ""), ("check", ""), ("status", ""), ("pull-request --since HEAD", ""), ("diff index", ""),
    ("sync index", ""), ("sync index --moves", ""), ("add-language ko", ""), ("convert docs/en converted", ""),
    ("new snippet a/b", ""), ("run", ""), ("runners", ""), ("completion bash", ""),
])
def test_a_command_runs_without_any_extra_or_names_the_one_it_needs(tmp_path, arguments, extra):
    garbled = "梯度累积把几个小批次的梯度加在一起。".encode().decode("latin-1") * 3
    root = lay(tmp_path, {"garbled.txt": garbled, "out/zh/index.po": 'msgid ""\nmsgstr ""\n'})
    ended = run(root, RUN, *arguments.split())
    assert "Traceback" not in ended.stderr, ended.stderr
    if extra:
        assert ended.returncode == 2
        assert ended.stderr.endswith(f"install it with `pip install 'hexapla[{extra}]'`\n")
        assert ended.stderr.count("\n") == 1
    else:
        assert "No module named" not in ended.stderr and "this command needs" not in ended.stderr
