"""The real site, built once for all workers, served on this machine, and a real Chromium to look at it."""

import fcntl
import functools
import http.server
import os
import shutil
import threading
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.site.project import build_alone

ROOT = Path(__file__).parents[2]


class Handler(http.server.SimpleHTTPRequestHandler):
    """Serves a folder, and its 404.html for what is not there, as static hosts do."""

    def log_message(self, format, *args):
        """Say nothing."""

    def send_error(self, code, message=None, explain=None):
        if code != 404:
            super().send_error(code, message, explain)
            return
        body = Path(self.directory, "404.html").read_bytes()
        self.send_response(404)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


@pytest.fixture(scope="session")
def built_site(tmp_path_factory):
    """The project's own site, and one page that is in English alone; the worker that needs it first builds it."""
    own = tmp_path_factory.getbasetemp()
    shared = own.parent if "PYTEST_XDIST_WORKER" in os.environ else own
    with (shared / "guide.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (shared / "guide/site").exists():
            build_guide(shared / "guide")
    return shared / "guide/site"


def build_guide(root):
    """Build the project's own site in a folder of its own. A build that failed before leaves no site behind."""
    shutil.rmtree(root, ignore_errors=True)
    root.mkdir()
    # Runs are of their tests and of what is pinned too: without these each would be outdated.
    for name in ("docs", "snippets", "tests/snippets", "mkdocs.yml", "pyproject.toml", "constraints.txt"):
        if (ROOT / name).is_dir():  # Python writes its caches there while other tests run
            shutil.copytree(ROOT / name, root / name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(ROOT / name, root / name)
    (root / "docs/en/only_english.md").write_text(
        "# Only in English {#only}\n\n## A part {#part}\n\nText to read.\n", encoding="utf-8"
    )
    config = (root / "mkdocs.yml").read_text(encoding="utf-8")
    (root / "mkdocs.yml").write_text(config.replace("nav:\n", "nav:\n  - only_english.md\n", 1), encoding="utf-8")
    built = build_alone(root, "--strict")
    assert built.status == 0, built.said


@contextmanager
def serving(folder):
    """Serve a folder on this machine; gives its address."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Handler, directory=folder))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()


@pytest.fixture(scope="session")
def site_url(built_site):
    """Where the site is served; no other address may be asked for anything."""
    with serving(built_site) as url:
        yield url


@pytest.fixture
def visit(open_tab, site_url):
    """Open a page of the site: visit("/zh/", color_scheme="dark"). Any request to another host fails the test."""
    def opened(path, **options):
        tab = open_tab(site_url, **options)
        tab.goto(site_url + path)
        return tab

    return opened


@pytest.fixture(scope="module")
def read_page(open_tab_for_all, site_url):
    """Open a page of the site once for all tests of a module that leave it as it was: it costs 0.4 CPU seconds."""
    @functools.cache
    def opened(path):
        tab = open_tab_for_all(site_url)
        tab.goto(site_url + path)
        return tab

    return opened
