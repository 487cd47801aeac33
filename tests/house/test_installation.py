"""The smallest installation: what the command does where nothing of the site can be imported."""

import subprocess
import sys

import pytest

from tests.hang_limit import HANG
from tests.site.project import lay

SITE = ("mkdocs", "material", "mkdocs_static_i18n", "babel", "properdocs")
COMMAND = f"""
import sys
from importlib.abc import MetaPathFinder

class Missing(MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {SITE!r}:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)

sys.meta_path.insert(0, Missing())
from hexapla.cli import main
if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
"""
GARBLED = "梯度累积把几个小批次的梯度加在一起。".encode().decode("latin-1")


def command(root, *arguments):
    """The command in a process that has none of the site's packages."""
    return subprocess.run(
        [sys.executable, "-c", COMMAND, *arguments], cwd=root, capture_output=True, text=True, timeout=HANG, check=False
    )


@pytest.fixture
def root(tmp_path):
    """A project, a garbled file, and pages in another dialect."""
    files = {"garbled.txt": GARBLED * 3, "hugo/content/en/a.md": "---\ntitle: A\n---\nText.\n",
             "hugo/content/ja/a.md": "---\ntitle: A\n---\n文。\n", "hugo/hugo.toml": "", ".gitignore": ""}
    return lay(tmp_path, files)


@pytest.mark.parametrize(("arguments", "status", "says"), [
    ("--version", 0, "hexapla"),
    ("check", 0, "2 pages"),
    ("check --explain link-anchor-missing", 0, "anchor"),
    ("repair garbled.txt", 1, "梯度累积"),
    ("status", 0, "zh:"),
    ("status --format html", 0, "<html"),
    ("diff index", 0, ""),
    ("sync index --write", 0, "recorded"),
    ("run", 0, "1 ran"),
    ("runners", 0, "cpu"),
    ("add-language pt-BR", 0, "translations/pt-BR.txt"),
    ("export --format po --output out", 0, ""),
    ("init --format json", 0, "{"),
    ("convert hugo converted", 1, "3 files would be written"),
    ("stage --engine zensical tree", 2, ""),  # one sentence: the extra that is missing
], ids=lambda value: value if isinstance(value, str) else "")
def test_a_command_needs_nothing_of_the_site(root, arguments, status, says):
    ended = command(root, *arguments.split())
    assert "No module named" not in ended.stderr and "Traceback" not in ended.stderr, ended.stderr
    assert (ended.returncode, says in ended.stdout) == (status, True), ended.stdout + ended.stderr


def test_the_editor_needs_nothing_of_the_site(root):
    code = COMMAND.partition("from hexapla.cli")[0] + "import hexapla.editor.app, hexapla.drafts.draft_run"
    ended = subprocess.run([sys.executable, "-c", code], cwd=root, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stderr
