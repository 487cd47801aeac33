"""`mkdocs serve` as an author uses it: pages, saves and mistakes, over HTTP and in a browser."""

import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from contextlib import suppress
from pathlib import Path

import pytest
from hexapla.site.serve.http_process import LIVE
from hexapla.site.serve.responses import with_script
from hexapla.site.serve.site_in_memory import ServedPage
from selectolax.lexbor import LexborHTMLParser

from tests.hang_limit import HANG
from tests.site.live.edits import TREE
from tests.site.project import write


@pytest.mark.parametrize("mount", ["/", "/h&x/", "/it's/", "/</script>`${a}/"])
def test_a_page_asks_the_address_where_the_site_is_mounted(mount):
    page = with_script(ServedPage("", "<body></body>", "1"), "", mount, "").decode()
    script = LexborHTMLParser(page).css_first("#hx-live").text()
    assert json.loads(re.search(r"fetch\((\".*?\")", script)[1]) == mount + LIVE
    assert script.rstrip().endswith("})();")



class Served:
    """A `mkdocs serve` of its own, which prints into a file."""

    def __init__(self, root, prints=subprocess.DEVNULL):
        self.root = root
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        command = [sys.executable, "-m", "mkdocs", "serve", "--dev-addr", f"127.0.0.1:{self.port}"]
        self.process = subprocess.Popen(command, cwd=root, stdout=prints, stderr=subprocess.STDOUT, text=True,
                                        start_new_session=True, env={**os.environ, "PYTHONUNBUFFERED": "1"})
        until = time.monotonic() + 60
        while True:
            try:
                self.get("")
                return
            except (urllib.error.URLError, ConnectionError):
                assert time.monotonic() < until and self.process.poll() is None
                time.sleep(0.1)

    def get(self, path):
        """The text at an address, and its status."""
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/{path}", timeout=HANG) as answer:
                return answer.status, answer.read().decode()
        except urllib.error.HTTPError as error:
            return error.code, error.read().decode()

    def until(self, path, text):
        """The page once it has a text."""
        until = time.monotonic() + 30
        while text not in (page := self.get(path)[1]):
            assert time.monotonic() < until, page
            time.sleep(0.05)
        return page

    def end(self):
        """Stop it."""
        self.process.send_signal(signal.SIGINT)
        self.process.wait(timeout=30)


@pytest.fixture
def served(tmp_path):
    with (tmp_path / "said.txt").open("w") as prints:
        server = Served(write(tmp_path / "project", TREE), prints)
        yield server
        if server.process.poll() is None:
            server.end()


def test_a_save_is_served_and_its_findings_follow_in_the_terminal(served, tmp_path):
    write(served.root, {"docs/en/a.md": "# Page a {#a}\n\n## Part {#part}\n\nSaved 42.\n"})
    served.until("a/", "Saved 42.")
    write(served.root, {"docs/zh/a.md": "# 页面 {#a}\n\n## 部分 {#part}\n\n保存 43。\n"})
    served.until("zh-Hant/a/", "儲存 43")
    until = time.monotonic() + 30
    while "number-differs" not in (tmp_path / "said.txt").read_text(encoding="utf-8"):
        assert time.monotonic() < until
        time.sleep(0.05)


def test_a_mistake_is_told_in_the_page_and_the_others_go_on(served):
    write(served.root, {"docs/en/a.md": '# Page a {#a}\n\n```text\n--8<-- "demo/none.txt"\n```\n'})
    page = served.until("a/", "docs/en/a.md:4:1")
    assert 'class="admonition failure hx-error"' in page
    assert "md-header" in page
    assert served.get("")[0] == 200
    write(served.root, {"docs/en/a.md": "# Page a {#a}\n\n## Part {#part}\n"})
    assert "hx-error" not in served.until("a/", "Part")


def test_settings_that_cannot_be_read_leave_the_site_as_it_was(served):
    text = (served.root / "mkdocs.yml").read_text()
    write(served.root, {"mkdocs.yml": text + "\nnonsense: [\n"})
    assert "Home" in served.until("", 'role="alert"')
    write(served.root, {"mkdocs.yml": text.replace("Demo", "Mended")})
    assert 'role="alert"' not in served.until("", "Mended")


def test_addresses_outside_the_site_are_not_served(served):
    for path in ("../mkdocs.yml", "%2e%2e/mkdocs.yml", "assets/../../mkdocs.yml", "docs/en/a.md"):
        status, text = served.get(path)
        assert status == 404
        assert "site_name" not in text
    assert re.search(r"zh/", served.get("zh/nowhere/")[1])


def test_an_address_without_a_page_shows_the_doors_of_the_front_page(served):
    doors = '<div class="hx-doors"><a href="{}a/">A</a></div>'
    write(served.root, {"docs/en/index.md": f"# Home {{#home}}\n\n{doors.format('')}\n"})
    served.until("", doors.format(""))
    assert doors.format("/") in served.get("nowhere/")[1]


def test_a_page_that_ends_its_process_is_told_and_the_server_goes_on(served):
    write(served.root, {"hook.py": "import os\ndef on_page_markdown(markdown, **more):\n"
                                   "    if 'end the process' in markdown:\n        os._exit(3)\n"})
    text = (served.root / "mkdocs.yml").read_text()
    write(served.root, {"mkdocs.yml": text + "hooks: [hook.py]\n", "docs/en/a.md": "# A {#a}\n\nend the process\n"})
    assert "ended with status 3" in served.until("a/", "hx-error")
    assert "Home" in served.get("")[1]


def children(served):
    said = subprocess.run(["ps", "-o", "pid=", "--ppid", str(served.process.pid)], capture_output=True, text=True,
                          check=False)
    return {int(number) for number in said.stdout.split()}


def kill(numbers):
    for number in numbers:
        with suppress(ProcessLookupError):  # a child that had its work done may have ended by now
            os.kill(number, signal.SIGKILL)


def test_a_page_saved_while_nobody_watches_is_served(served):
    assert "Saved unwatched" not in served.get("a/")[1]
    os.kill(served.process.pid, signal.SIGSTOP)  # so that the process that watches cannot be made again yet
    kill(children(served))
    write(served.root, {"docs/en/a.md": "# A {#a}\n\nSaved unwatched.\n"})
    os.kill(served.process.pid, signal.SIGCONT)
    served.until("a/", "Saved unwatched")


def test_a_process_that_is_killed_is_made_again_and_a_killed_server_leaves_none(served):
    before = children(served)
    assert before
    kill(before)
    until = time.monotonic() + 20
    while not (after := children(served)) - before:
        assert time.monotonic() < until
        time.sleep(0.1)
    assert served.get("a/")[0] == 200
    served.process.kill()
    served.process.communicate(timeout=20)
    for number in after:
        while Path(f"/proc/{number}").exists():
            assert time.monotonic() < until + 20
            time.sleep(0.1)
    again = Served(served.root)
    assert again.get("a/")[0] == 200
    again.end()


def test_a_tab_shows_a_save_without_a_touch_and_stays_where_it_was(served, open_tab):
    long = "".join(f"Line {number}.\n\n" for number in range(200))
    write(served.root, {"docs/en/a.md": f"# Page a {{#a}}\n\n## Part {{#part}}\n\n{long}"})
    served.until("a/", "Line 199")
    address = f"http://127.0.0.1:{served.port}"
    page, other = open_tab(address, own=True), open_tab(address, own=True)
    page.goto(f"{address}/a/")
    other.goto(f"{address}/more/b/")
    other.evaluate("window.untouched = true")
    page.evaluate("scrollTo(0, 2000)")
    page.wait_for_timeout(300)
    write(served.root, {"docs/en/a.md": f"# Page a {{#a}}\n\n## Part {{#part}}\n\nNew words.\n\n{long}"})
    page.get_by_text("New words.").wait_for(timeout=10_000, state="attached")
    page.wait_for_function("scrollY > 1500", timeout=5_000)
    assert other.evaluate("window.untouched") is True
    write(served.root, {"docs/en/a.md": f"# Another title {{#a}}\n\n## Part {{#part}}\n\n{long}"})
    other.locator("nav.md-nav--primary").get_by_text("Another title").first.wait_for(timeout=10_000, state="attached")


def test_an_author_sees_every_edit_without_touching_the_browser(served, open_tab):
    settings = (served.root / "mkdocs.yml").read_text()
    write(served.root, {"mkdocs.yml": settings.replace("plugins:\n", "plugins:\n  - search\n")})
    served.until("zh/", "md-search__form")
    address = f"http://127.0.0.1:{served.port}"
    page, other = open_tab(address, own=True), open_tab(address, own=True)
    page.goto(f"{address}/zh/")
    page.click("[popovertarget=hx-languages]")
    page.click(".hx-beside button[lang='en']")
    page.wait_for_selector("body.hx-paired")
    other.goto(f"{address}/zh-Hant/a/")
    other.get_by_text("批次大小與層").wait_for(timeout=10_000)

    code = (served.root / "snippets/demo/add.py").read_text()
    write(served.root, {"snippets/demo/add.py": code.replace("1 + 2", "1 + 4711")})
    page.locator("body.hx-paired .hx-pair", has_text="4711").wait_for(timeout=15_000)
    assert page.get_by_text("4711").count() == 1  # over both columns

    text = (served.root / "docs/en/index.md").read_text()
    write(served.root, {"docs/en/index.md": text + "\nBeside it.\n"})
    page.locator(".hx-pair > [lang=en]", has_text="Beside it.").wait_for(timeout=15_000)

    write(served.root, {"docs/glossary.yml": "- term: batch size\n  treatment: translate\n  zh: 批次大小\n"
                                             "  zh-Hant: 批量大小\n"})
    other.get_by_text("批量大小與層").wait_for(timeout=15_000)

    write(served.root, {"docs/zh/a.md": "# 另一个标题 {#a}\n\n## 部分 {#part}\n\n新的一段。\n"})
    other.get_by_text("新的一段").wait_for(timeout=15_000)
    page.locator("nav.md-nav--primary").get_by_text("另一个标题").first.wait_for(timeout=15_000, state="attached")
    page.wait_for_selector("body.hx-paired")

    page.locator("input[name=query]").press_sequentially("另一个标题")
    page.locator(".md-search-result__link", has_text="另一个标题").first.wait_for(timeout=15_000)
    page.keyboard.press("Escape")
    page.evaluate("document.querySelector(\".md-header a[hreflang='zh-Hant']\").click()")
    page.wait_for_url("**/zh-Hant/")


@pytest.mark.parametrize("more", [[], ["--no-livereload"]])
def test_a_taken_port_is_one_sentence_before_anything_is_built(tmp_path, more):
    root = write(tmp_path, TREE)
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        command = [sys.executable, "-m", "mkdocs", "serve", "--dev-addr", f"127.0.0.1:{port}", *more]
        ended = subprocess.run(command, cwd=root, capture_output=True, text=True, timeout=HANG, check=False)
    said = ended.stdout + ended.stderr
    assert ended.returncode == 1 and "Traceback" not in said
    assert f"the port {port} of 127.0.0.1: Address already in use; choose another, such as mkdocs serve -a" in said
