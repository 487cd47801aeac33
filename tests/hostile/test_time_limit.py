"""A page that takes too long holds up no command: it is named, and the others go on."""

import subprocess
import sys
import time
from contextlib import suppress

import pytest
from hexapla.checks.engine import page_store
from hexapla.checks.engine.time_limit import TimeLimit, TimeLimitError
from hexapla.config.layout import Layout
from hexapla.editor import preview
from hexapla.pages.dialects import make_dialect
from hexapla.site import process_pool
from hexapla.site.process_pool import Failure, result_of

from tests.hang_limit import HANG
from tests.site.project import lay

HOOK = '''
from hexapla.checks.engine.time_limit import TimeLimit
from markdown.extensions import Extension
from markdown.preprocessors import Preprocessor

TimeLimit.__init__.__defaults__ = (0.5,)

class Slow(Preprocessor):
    def run(self, lines):
        while "without an end" in lines:
            pass
        return lines

class Slowness(Extension):
    def extendMarkdown(self, md):
        md.preprocessors.register(Slow(md), "slow", 1)

def on_config(config):
    config.markdown_extensions.append(Slowness())
'''


def endless(*_):
    """A renderer whose extensions catch all that is an Exception."""
    while True:
        with suppress(Exception):
            time.process_time()


@pytest.fixture
def half_a_second(monkeypatch):
    monkeypatch.setattr(TimeLimit.__init__, "__defaults__", (0.5,))


def test_no_extension_catches_the_limit():
    with pytest.raises(TimeLimitError), TimeLimit(0.2):
        endless()


def test_a_page_that_is_rendered_too_long_has_a_sentence_for_its_result(half_a_second):
    assert result_of(endless, None) == Failure(process_pool.TOO_LONG)
    assert result_of(len, "abc") == 3


def test_a_preview_that_takes_too_long_says_so(monkeypatch):
    monkeypatch.setattr(preview, "SECONDS", 0.2)
    assert preview.render_preview(endless, "a") == preview.TOO_LONG
    assert preview.render_preview(str.upper, "a") == "A"


def test_a_page_that_is_read_too_long_is_named_and_its_text_is_checked(half_a_second, tmp_path):
    layout = Layout(tmp_path, "{lang}/{page}.md", "{lang}/{page}.md", "en", ())
    store = page_store.PageStore(layout, make_dialect("", None)._replace(render=endless), page_store.Cache(None))
    (problem,) = store.read("# Page\n").problems
    assert problem.message.startswith("reading this page takes more than")
    assert store.read("# Page\n").headings


@pytest.mark.parametrize("arguments", [(), ("--dirty",)])
def test_a_build_names_the_page_that_it_stopped(arguments, tmp_path):
    root = lay(tmp_path, {"docs/en/slow.md": "# Slow {#slow}\n\nwithout an end\n", "hook.py": HOOK})
    settings = (root / "mkdocs.yml").read_text()
    (root / "mkdocs.yml").write_text(settings + "hooks: [hook.py]\n")
    done = subprocess.run([sys.executable, "-m", "mkdocs", "build", *arguments], cwd=root, capture_output=True,
                          text=True, timeout=HANG, check=False)
    assert "docs/en/slow.md:1:1: this page takes more than" in done.stderr
    assert "Traceback" not in done.stderr
    assert done.returncode == 1
