"""A small tree, and the editor over it as `hexapla translate` serves it."""

import json
import re
import subprocess
import sys
import urllib.error
import urllib.request
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest
from hexapla.translation.verdicts import DOUBTED, RULES, Doubt, Verdict, doubt_key, write_verdicts

from benchmarks.translating import CONFIG
from tests.site.project import git, write

ENGLISH = """\
# Page {#page}

The batch size is 42.

## First {#first}

See [the other](folder/other.md) and `run`.

## Second {#second}

The end.
"""
CHINESE = """\
# 页面 {#page}

批次大小是 42。

## 第一 {#first}

见[另一页](folder/other.md)和 `run`。

## 第二 {#second}

结束。
"""
JAPANESE = """\
# ページ {#page}

バッチサイズは42です。

## 二番目 {#second}

終わりです。
"""
PAGES = {
    "mkdocs.yml": CONFIG + "nav: [page.md, folder/other.md]\n",
    "docs/en/page.md": ENGLISH,
    "docs/zh/page.md": CHINESE,
    "docs/ja/page.md": JAPANESE.replace("\n", "\r\n"),
    "docs/en/folder/other.md": "# Other {#other}\n\nWords.\n",
    "docs/glossary.yml": "- {term: batch size, zh: 批次大小, ja: バッチサイズ}\n",
}


@dataclass(frozen=True)
class Served:
    """A editor: the tree it stands over, and its address."""

    root: Path
    url: str

    def ask(self, path, body=None, **headers):
        """A status and what was answered; a body is sent as JSON."""
        data = None if body is None else json.dumps(body).encode()
        kind = {} if body is None else {"Content-Type": "application/json"}
        request = urllib.request.Request(self.url + path, data, kind | headers)
        try:
            with urllib.request.urlopen(request, timeout=30) as answer:
                return answer.status, json.loads(answer.read())
        except urllib.error.HTTPError as error:
            text = error.read().decode()
            return error.code, json.loads(text) if text.startswith("{") else {"message": text}

    def cell(self, language, section, page="page"):
        """A section of a page as the editor shows it."""
        _, found = self.ask(f"api/page/{page}")
        row = next(row for row in found["rows"] if row["id"] == section)
        return next(cell for cell in row["cells"] if cell["language"] == language)

    def save(self, language, section, text, version=None, page="page", meant=""):
        """Save a section as it was when the editor showed it last, or as `version` has it."""
        version = self.cell(language, section, page)["version"] if version is None else version
        place = {"page": page, "language": language, "section": section}
        return self.ask("api/save", place | {"text": text, "version": version, "meant": meant})

    def text(self, path):
        """What a file holds, its line ends as they are."""
        return (self.root / path).read_bytes().decode()


@contextmanager
def serving(root):
    """The editor over a tree, until the block ends."""
    command = [sys.executable, "-m", "hexapla", "translate", "--root", str(root)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            said = process.stdout.readline()
            yield Served(root, re.search(r"http://127\.0\.0\.1:\d+/\S+/", said).group())
        finally:
            process.terminate()


@pytest.fixture
def served(tmp_path):
    """A editor for a test that writes."""
    with serving(write(tmp_path, PAGES)) as editor:
        yield editor


@pytest.fixture(scope="session")
def unwritten(tmp_path_factory):
    """One editor for all tests that write nothing; that holds to the end."""
    root = tmp_path_factory.mktemp("editor")
    with serving(write(root, PAGES)) as editor:
        yield editor
    files = [file for file in root.rglob("*") if file.is_file() and ".hexapla" not in file.parts]
    assert {file.relative_to(root).as_posix(): file.read_bytes().decode() for file in files} == PAGES


def record_doubts(root):
    """Record doubts about two sections as a review does, in a repository of Ada's; their ids by section."""
    git(root, "init", "-q")
    git(root, "config", "user.name", "Ada")
    made = {}
    for code, section, texts in (("ja", "page", ("The batch size is 42.", "バッチサイズは42です。")),
                                 ("zh", "second", ("The end.", "结束。"))):
        doubt = Doubt(code, "page", section, "", 0, 0, "unit", "doubted", *texts, doubt_key("unit", texts))
        write_verdicts(root, code, {"page": {doubt.key: Verdict(DOUBTED, RULES, doubt.message)}})
        made[section] = doubt.id
    return made
