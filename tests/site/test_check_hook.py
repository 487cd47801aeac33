"""A build and the findings of `hexapla check`: what stops a strict one, what `mkdocs serve` says of a saved page."""

import json
import re
import socket
import subprocess
import sys
import threading
import time

import pytest

from tests.site.live.live_project import URL, loaded
from tests.site.project import CONFIG, FILES, build, lay

CODE = "\n```text\nbatch {}\n```\n"
ENGLISH, CHINESE = FILES["docs/en/index.md"], FILES["docs/zh/index.md"]


@pytest.mark.parametrize(("files", "says"), [
    ({"docs/en/index.md": ENGLISH + CODE.format(1), "docs/zh/index.md": CHINESE + CODE.format(2)},
     r"docs/zh/index\.md:\d+:\d+ code-differs: "),
    ({"docs/en/index.md": ENGLISH + "\n[away](Thttps://example.org/)\n",
      "docs/zh/index.md": CHINESE + "\n[外面](https://example.org/)\n"},
     r"docs/en/index\.md:7:8 link-malformed: "),
])
def test_an_error_in_any_language_stops_a_strict_build_alone(tmp_path, files, says):
    root = lay(tmp_path, files)
    assert build(root).status == 0
    strict = build(root, "--strict")
    assert strict.status == 1
    assert re.search(says, strict.said), strict.said
    assert "Traceback" not in strict.said


BROKEN = {
    "docs/en/index.md": ENGLISH + "\n[away](Thttps://example.org/)\n",
    "docs/zh/index.md": CHINESE + "\n[外面](https://example.org/)\n",
    "snippets/comments.yml": "- {en: '# gone', zh: '# 没有了'}\n",
}


@pytest.mark.parametrize(("checks", "status", "says"), [
    ({}, 1, "snippets/comments.yml:1:1 comment-table: "),
    ({"ignore": ["comment-table"]}, 1, "docs/en/index.md:7:8 link-malformed: "),
    ({"ignore": ["comment-table", "link-malformed"]}, 0, ""),
    ({"severity": {"comment-table": "warning", "link-malformed": "note"}}, 0, ""),
    ({"ignore": ["comment-tabel"]}, 1,
     "mkdocs.yml: hexapla.checks.ignore names 'comment-tabel', which is no rule; did you mean comment-table?"),
])
def test_a_strict_build_obeys_the_configuration_of_rules(tmp_path, checks, status, says):
    root = lay(tmp_path, BROKEN)
    file = root / "mkdocs.yml"
    text = file.read_text(encoding="utf-8")
    assert "- hexapla: {" in text
    file.write_text(text.replace("- hexapla: {", f"- hexapla: {{checks: {json.dumps(checks)}, "), encoding="utf-8")
    built = build(root, "--strict")
    assert built.status == status, built.said
    assert says in built.said


def test_a_warning_of_the_check_stops_no_build(tmp_path):
    root = lay(tmp_path, {"docs/zh/index.md": CHINESE.replace("# 首页 {#home}", "# 首页 {#home}\n\n## 没有标识的标题")})
    assert build(root, "--strict").status == 0


def test_serve_tells_what_is_found_in_a_saved_page(tmp_path):
    other = "# Other {#other}\n\n[wrong](#none)\n"
    root = lay(tmp_path, {"docs/en/other.md": other, "docs/zh/other.md": other})
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        address = f"127.0.0.1:{free.getsockname()[1]}"
    command = [sys.executable, "-m", "mkdocs", "serve", "--dev-addr", address, "--config-file", root / "mkdocs.yml"]
    server = subprocess.Popen(command, cwd=root, stderr=subprocess.PIPE, text=True)
    said: list[str] = []
    threading.Thread(target=lambda: said.extend(iter(server.stderr.readline, "")), daemon=True).start()
    try:
        wait_for(lambda: any("Serving on" in line for line in said), said)
        before = len(said)
        (root / "docs/en/index.md").write_text(ENGLISH + CODE.format(1), encoding="utf-8")
        wait_for(lambda: any("checked index.md" in line for line in said[before:]), said)
    finally:
        server.terminate()
        server.wait(30)
    told = [line for line in said[before:] if re.search(r"docs/\w+/\w+\.md:\d", line)]
    assert [line for line in told if "docs/zh/index.md" in line and "code-count" in line], said
    assert not [line for line in said if "docs/en/other.md" in line], "only the saved page was asked for"


def test_a_server_whose_pages_mkdocs_builds_builds_again_while_it_has_the_port(tmp_path):
    hook = "def on_page_content(html, **more): return html\ndef on_post_build(config): pass\n"
    root = lay(tmp_path, {"hook.py": hook, "mkdocs.yml": CONFIG + "hooks: [hook.py]\n"})
    config = loaded(root, root / "site")
    config.plugins.on_startup(command="serve", dirty=False)
    plugin = config.plugins["hexapla"]
    with socket.socket() as listening:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind(("127.0.0.1", 0))
        config.dev_addr = listening.getsockname()
        for _ in range(2):
            plugin.build(config, serve_url=URL)
            assert plugin.mkdocs_builds and (root / "site/zh/index.html").is_file()
            listening.listen()
            config = loaded(root, root / "site")
            config.dev_addr = listening.getsockname()
    plugin.on_shutdown()


def wait_for(condition, said):
    """Until something was said; a minute is long for a page."""
    end = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < end, said
        time.sleep(0.1)
