"""A site served in this process, asked as a browser's page asks, and the same tree built from nothing."""

import multiprocessing
import os
import re
import shutil
import tempfile
from pathlib import Path
from types import SimpleNamespace

from hexapla.site.serve.http_process import Changes, Question
from hexapla.site.serve.live_server import LiveServer
from mkdocs.config import load_config

URL = "http://127.0.0.1:8000/"
SCRIPT = re.compile(r'<script id="hx-live".*?</script>\n', re.S)
DATE = re.compile(r"<lastmod>[^<]*</lastmod>")


def loaded(root, site_dir):
    """The configuration of a project, as `mkdocs serve` loads it."""
    config = load_config(str(root / "mkdocs.yml"), site_dir=str(site_dir), dev_addr="127.0.0.1:0")
    config.site_url = URL
    config.plugins["hexapla"].config.cards = False  # which are drawn by a build alone
    return config


class LiveProject:
    """A project that is served."""

    def __init__(self, root):
        self.root = root
        self.folder = tempfile.mkdtemp()
        self.numbers = iter(range(10**9))
        config = loaded(root, self.folder)
        config.plugins.on_startup(command="serve", dirty=False)
        self.plugin = config.plugins["hexapla"]
        self.plugin.build(config, serve_url=URL)
        place = SimpleNamespace(server_address=("127.0.0.1", 0), url=URL, mount_path="/")
        self.server = LiveServer(place, self.made_again, self.plugin.live)
        self.connection, self.server.connection = multiprocessing.Pipe()

    def made_again(self):
        """The site after its settings have changed."""
        self.plugin.build(loaded(self.root, self.folder), serve_url=URL)
        return self.plugin.live

    def ask(self, path, version=None):
        """Ask for an address; returns the number of the question."""
        number = next(self.numbers)
        self.connection.send(Question(number, path, version))
        return number

    def get(self, path):
        """The answer to a question."""
        number = self.ask(path)
        while not self.connection.poll():
            self.server.step()
        answer = self.connection.recv()
        assert answer.number == number
        return answer

    def page(self, path):
        """The HTML of a page, without the script that asks whether it has changed."""
        return SCRIPT.sub("", self.get(path).body.decode())

    def changed(self, *paths):
        """Tell that files have changed."""
        self.connection.send(self.changes(*paths))
        self.server.step()

    def changes(self, *paths):
        """Changes of files."""
        return Changes(frozenset(str(self.root / path) for path in paths))

    def close(self):
        """End it."""
        self.server.shutdown()
        self.plugin.on_shutdown()
        shutil.rmtree(self.folder)


def clean_build(root):
    """What a build of a copy of the tree, in a process of its own, writes as pages, by address; None where it fails."""
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder, "tree")
        shutil.copytree(root, copy, ignore=shutil.ignore_patterns(".hexapla"))
        process = multiprocessing.get_context("fork").Process(target=built, args=(copy, Path(folder, "site")))
        process.start()
        process.join()
        site = Path(folder, "site")
        if process.exitcode:
            return None
        return {file.relative_to(site).as_posix(): file.read_text(encoding="utf-8")
                for pattern in ("*.html", "*/index.json", "sitemap.xml") for file in sorted(site.rglob(pattern))}


def built(root, site):
    """In a process: build the tree."""
    os.chdir(root)
    config = loaded(root, site)
    config.plugins.on_startup(command="build", dirty=False)
    config.plugins["hexapla"].build(config)
    assert Path(config.site_dir) == site  # where `mkdocs gh-deploy` looks for it


def differences(project, pages):
    """The addresses whose answer is another than the clean build's."""
    found = []
    for path, expected in pages.items():
        if path.startswith("search/search_index") or path.endswith("404.html"):
            continue
        answer = project.get(path)
        text = SCRIPT.sub("", answer.body.decode()) if answer.body or not answer.file else Path(answer.file).read_text()
        if DATE.sub("", text) != DATE.sub("", expected):
            found.append(path)
    return found
