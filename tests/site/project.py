"""A small project on disk, for tests that break it."""

import functools
import json
import os
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace

from markdown.extensions import Extension
from markdown.preprocessors import Preprocessor

from tests.hang_limit import HANG
from tests.site.command_server import Request

CONFIG = """\
site_name: Demo
site_url: https://demo.example/
theme: {name: material, font: false}
plugins:
  - i18n:
      docs_structure: folder
      fallback_to_default: true
      languages:
        - {locale: en, name: English, default: true}
        - {locale: zh, name: 简体中文}
        - {locale: zh-Hant, name: 繁體中文}
  - hexapla: {derived: {zh-Hant: zh}, cards: false, hardware: {cpu: CPU, gpu: GPU}}
markdown_extensions: [attr_list, pymdownx.superfences, pymdownx.highlight, toc]
"""
CARDS = CONFIG.replace("cards: false", "cards: true")  # drawn, which takes a third of the build of so few pages
SNIPPET = """\
# --8<-- [start:shown]
# Add the numbers.
total = 1 + 2
# --8<-- [end:shown]
print(total)
"""
PAGE = """\
# Home {#home}

```python
--8<-- "demo/add.py:shown"
```
"""
FILES = {
    "mkdocs.yml": CONFIG,
    "snippets/demo/add.py": SNIPPET,
    "docs/en/index.md": PAGE,
    "docs/zh/index.md": PAGE.replace("Home", "首页"),
}


@dataclass(frozen=True)
class Built:
    """How a build ended: its exit status, and all that it said."""

    status: int
    said: str
    root: Path

    @property
    def site(self):
        return self.root / "site"

    def page(self, path):
        return (self.site / path).read_text(encoding="utf-8")


def write(root, files):
    """Write files below `root`, text as UTF-8 and bytes as they are."""
    for name, content in files.items():
        target = root / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content if isinstance(content, bytes) else content.encode())
    return root


def lay(root, files):
    """Write the small project, `files` over it."""
    return write(root, FILES | files)


def git(root, *arguments):
    """A git command that succeeds."""
    name = ("-c", "user.name=t", "-c", "user.email=t@example.org")
    subprocess.run(["git", *name, *arguments], cwd=root, check=True, capture_output=True)


COMPILED = tempfile.TemporaryDirectory()


@functools.cache
def command_server():
    """What runs commands for this process; it ends when this end of its pipe is closed."""
    command = [sys.executable, "-m", "tests.site.command_server", COMPILED.name]
    return subprocess.Popen(command, cwd=Path(__file__).parents[2], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                            text=True)


def run_forked(program, arguments, folder):
    """A command in a process of its own, forked from one that has imported what it needs; how it ended."""
    with tempfile.NamedTemporaryFile("r") as output, tempfile.NamedTemporaryFile("r") as errors:
        request = Request(program, arguments, str(folder), dict(os.environ), output.name, errors.name)
        server = command_server()
        server.stdin.write(json.dumps(request._asdict()) + "\n")
        server.stdin.flush()
        status = int(server.stdout.readline())
        return subprocess.CompletedProcess([program, *arguments], status, output.read(), errors.read())


def hexapla(*arguments, cwd):
    """`hexapla`, in a process of its own."""
    return run_forked("hexapla", arguments, cwd)


def build(root, *arguments, cwd=None):
    """`mkdocs build`, in a process of its own."""
    ended = run_forked("mkdocs", ["build", "--config-file", str(root / "mkdocs.yml"), *arguments], cwd or root)
    return Built(ended.returncode, ended.stdout + ended.stderr, root)


def build_alone(root, *arguments):
    """`mkdocs build` as a user calls it."""
    command = [sys.executable, "-m", "mkdocs", "build", "--config-file", str(root / "mkdocs.yml"), *arguments]
    ended = subprocess.run(command, cwd=root, capture_output=True, text=True, timeout=HANG, check=False)
    return Built(ended.returncode, ended.stdout + ended.stderr, root)


class RenderingPage(Extension):
    """What Zensical adds to Python-Markdown: a preprocessor that says which page is rendered."""

    def __init__(self, page, config):
        super().__init__()
        self.page, self.config = page, config

    def extendMarkdown(self, md):
        told = Preprocessor(md)
        told.name, told.page, told.config, told.run = "rendering_context", self.page, self.config, list
        md.preprocessors.register(told, told.name, 0)


def rendering_page(root, path, meta=None, config=()):
    """The page at a path below `root/docs`, as Zensical says it to extensions."""
    config = {"docs_dir": str(root / "docs"), "root_dir": str(root), **dict(config)}
    return RenderingPage(SimpleNamespace(path=path, meta=meta or {}), config)
