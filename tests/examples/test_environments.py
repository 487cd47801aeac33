"""An environment is made from its pins, once, and whole or not at all."""

import hashlib
import os
import signal
import subprocess
import sys
import threading
import time
import zipfile
from pathlib import Path

import pytest
from hexapla.errors import ConfigError
from hexapla.examples import environments
from hexapla.examples.client import Limits
from hexapla.examples.environments import COMPLETE, ensure_python, folder_of
from hexapla.examples.local_pool import start_worker
from hexapla.examples.runners import Runner

ROOT = Path(__file__).parents[2]


def pins(root, text):
    file = root / "snippets/environments/small.txt"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)
    return file


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """An environment that holds nothing but hexapla: no network is needed to make it."""
    root = tmp_path_factory.mktemp("project")
    return root, ensure_python(pins(root, "# nothing\n"))


def ask(python, code):
    ended = subprocess.run([python, "-c", code], capture_output=True, text=True, check=False, env={})
    return ended.stdout.strip() or ended.stderr.splitlines()[-1]


def test_it_holds_what_is_pinned_and_hexapla_and_nothing_of_ours(made):
    assert ask(made[1], "import hexapla.examples.fork_server; print('here')") == "here"
    assert ask(made[1], "import yaml") == "ModuleNotFoundError: No module named 'yaml'"


def test_it_is_made_once(made, monkeypatch):
    root, python = made
    monkeypatch.setattr(environments, "create_environment", lambda *_: pytest.fail("made again"))
    assert ensure_python(root / "snippets/environments/small.txt") == python


def test_other_pins_are_another_environment(tmp_path):
    first = folder_of(pins(tmp_path, "a==1\n"))
    assert folder_of(pins(tmp_path, "a==1\r\n")) == first
    assert folder_of(pins(tmp_path, "a==2\n")) != first


def test_hashes_are_kept_in_the_form_that_tools_write(tmp_path):
    digest = "0" * 64
    assert folder_of(pins(tmp_path, f"a==1 \\\n    --hash=sha256:{digest} \\\n    --hash=sha256:{digest}\n"
                                    f'b==2 ; sys_platform == "linux" \\\n    --hash=sha256:{digest}\n'))


def test_a_file_that_has_another_hash_is_not_installed(tmp_path):
    with zipfile.ZipFile(tmp_path / "small-1.0-py3-none-any.whl", "w") as wheel:
        wheel.writestr("small.py", "one = 1\n")
        wheel.writestr("small-1.0.dist-info/METADATA", "Metadata-Version: 2.1\nName: small\nVersion: 1.0\n")
        wheel.writestr("small-1.0.dist-info/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        wheel.writestr("small-1.0.dist-info/RECORD", "")
    good = hashlib.sha256((tmp_path / "small-1.0-py3-none-any.whl").read_bytes()).hexdigest()
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PIP_FIND_LINKS", str(tmp_path))
        patch.setenv("PIP_NO_INDEX", "1")
        patch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
        with pytest.raises(ConfigError, match="DO NOT MATCH THE HASHES"):
            ensure_python(pins(tmp_path, f"small==1.0 --hash=sha256:{'0' * 64}\n"))
        python = ensure_python(pins(tmp_path, f"small==1.0 --hash=sha256:{good}\n"))
    assert ask(python, "import small; print(small.one)") == "1"


@pytest.mark.parametrize("file", sorted((ROOT / "snippets/environments").glob("*.txt")), ids=lambda file: file.stem)
def test_every_pin_of_the_guide_has_hashes(file):
    lines = file.read_text().splitlines()
    packages = [number for number, line in enumerate(lines) if line[0].isalnum()]
    assert packages
    assert all(lines[number].endswith(" \\") and lines[number + 1].startswith("    --hash=") for number in packages)


def test_one_that_was_interrupted_is_made_anew(made):
    root, python = made
    (python.parents[1] / COMPLETE).unlink()
    python.unlink()
    assert ensure_python(root / "snippets/environments/small.txt").exists()


def test_what_cannot_be_installed_leaves_nothing_behind_and_says_why(tmp_path):
    file = pins(tmp_path, "no-such-package-in-any-index==1 ; broken\n")
    with pytest.raises(ConfigError, match=r"small\.txt: the environment cannot be made: "):
        ensure_python(file)
    assert not folder_of(file).exists()


@pytest.mark.parametrize("line", [
    "-e .", "./evil", "evil @ file:///tmp/evil", "git+https://example.org/evil", "--no-binary :all:", "-r other.txt",
    "evil", "evil>=1", "evil @ https://example.org/evil.tar.gz", "--index-url file:///tmp/evil", "a==1 --no-binary a",
    "a==1 --hash=sha256:00 --no-binary a", "--hash=sha256:00",
])
def test_a_line_that_would_run_code_to_be_installed_is_no_pin(line, tmp_path):
    with pytest.raises(ConfigError, match=r"small\.txt:2:1: .* is no pin; write it as package==1\.0"):
        ensure_python(pins(tmp_path, f"# ours\n{line}\n"))


def test_one_that_comes_with_a_tree_is_not_used(made, tmp_path):
    python = made[1]
    shipped = tmp_path / ".hexapla/environments" / python.parents[1].name
    shipped.mkdir(parents=True)
    (shipped / COMPLETE).touch()
    assert not ensure_python(pins(tmp_path, "# nothing\n")).is_relative_to(tmp_path)


@pytest.mark.parametrize("name", ["venv.py", "pip.py", "tempfile.py"])
def test_no_module_of_the_working_folder_is_run_to_make_one(name, tmp_path, monkeypatch):
    (tmp_path / name).write_text(f"open({str(tmp_path / 'ran')!r}, 'w')\n")
    monkeypatch.chdir(tmp_path)
    ensure_python(pins(tmp_path, f"# {name}\n"))
    assert not (tmp_path / "ran").exists()


@pytest.fixture
def interruptible():
    """Ctrl+C raises KeyboardInterrupt, whatever handler a launcher of processes left in this one."""
    left = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, left)


@pytest.mark.usefixtures("interruptible")
def test_an_interrupt_ends_the_children_of_a_command_before_anything_is_removed(tmp_path):
    writes = "import pathlib, time\nfor n in range(10**6): pathlib.Path(f'{n}').touch(); time.sleep(0.01)"
    parent = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {writes!r}], cwd={str(tmp_path)!r})"

    def interrupt():
        while not any(tmp_path.iterdir()):
            time.sleep(0.01)
        os.kill(os.getpid(), signal.SIGINT)

    threading.Thread(target=interrupt, daemon=True).start()
    with pytest.raises(KeyboardInterrupt):
        environments.run_command([sys.executable, "-c", parent], tmp_path / "small.txt")
    written = sorted(tmp_path.iterdir())
    time.sleep(0.2)
    assert sorted(tmp_path.iterdir()) == written


def test_pins_that_are_not_there_say_where_to_write_them(tmp_path):
    with pytest.raises(ConfigError, match=r"small\.txt: No such file or directory; write the environment's pins there"):
        ensure_python(tmp_path / "small.txt")


def test_a_program_runs_in_it(made):
    root, python = made
    worker = start_worker(root, root / "snippets", Runner("small", environment="small"), "cpu", 1)
    file = root / "snippets/program.py"
    file.write_text("import os, sys\nprint(sys.executable, os.environ['HEXAPLA_ENVIRONMENT'])\n")
    ended = worker.run_program(file, Limits(60))
    worker.close()
    assert ended.output == f"{python} small\n"
    assert "torch" not in worker.packages
