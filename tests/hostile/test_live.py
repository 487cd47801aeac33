"""The live server takes nothing for a change that the site does not read, and answers its own hosts only."""

import time
import urllib.error
import urllib.request
from pathlib import Path

import pytest
import yaml
from hexapla.site.serve.http_process import is_own_host

from tests.hang_limit import HANG
from tests.site.live.edits import TREE
from tests.site.live.live_project import LiveProject
from tests.site.live.test_serve import Served
from tests.site.project import CONFIG, write

CASES = yaml.safe_load((Path(__file__).parents[1] / "cases/hostile/live.yml").read_text(encoding="utf-8"))
INCLUDING = TREE | {
    "mkdocs.yml": CONFIG.replace("pymdownx.superfences", "{pymdownx.snippets: {base_path: [snippets, .]}}, "
                                 "pymdownx.superfences"),
    "README.md": "First words.\n", "docs/en/a.md": '# Page a {#a}\n\n```text\n--8<-- "README.md"\n```\n',
}


@pytest.fixture
def live(tmp_path):
    project = LiveProject(write(tmp_path, INCLUDING))
    yield project
    project.close()


@pytest.mark.parametrize("case", CASES["hosts"], ids=lambda case: case["host"])
def test_a_host_is_the_servers_own_or_refused(case):
    assert is_own_host(case["host"], "127.0.0.1") is case["here"]
    assert is_own_host(case["host"], "0.0.0.0") is case["everywhere"]
    assert is_own_host(case["host"], "docs.evil.example") is (case["here"] or case["host"] == "docs.evil.example")


@pytest.mark.parametrize("log", CASES["logs"])
def test_what_the_server_prints_and_what_no_page_shows_is_no_change(log, tmp_path):
    root = write(tmp_path, TREE)
    with (root / log).open("w") as prints:
        served = Served(root, prints)
        for unread in CASES["unread"]:
            write(root, {unread: "more\n"})
        write(root, {"docs/en/a.md": "# Page a {#a}\n\nSaved 42.\n"})
        served.until("a/", "Saved 42.")
        with pytest.raises(urllib.error.HTTPError) as refused:
            urllib.request.urlopen(urllib.request.Request(
                f"http://127.0.0.1:{served.port}/a/", headers={"Host": "docs.evil.example"}), timeout=HANG)
        time.sleep(0.5)
        served.end()
    assert refused.value.code == 421
    changes = [line for line in (root / log).read_text().splitlines() if " changed (" in line]
    assert [change.split()[2] for change in changes] == ["a.md"]


def test_saves_that_waited_are_one_change(live, monkeypatch):
    taken = []
    monkeypatch.setattr(live.server, "take_changes", taken.append)
    for number in range(60):
        live.connection.send(live.changes("docs/en/a.md", f"docs/en/{number % 3}.md"))
    live.server.step()
    assert [{Path(path).name for path in change} for change in taken] == [{"a.md", "0.md", "1.md", "2.md"}]


def test_of_the_files_beside_the_docs_those_that_pages_include_are_read(live, monkeypatch):
    assert "First words." in live.page("a/")
    write(live.root, {"README.md": "Second words.\n"})
    live.changed("README.md")
    assert "Second words." in live.page("a/")
    monkeypatch.setattr(live.server, "stop_rendering", None)
    live.changed("serve.log", "todo.md")
