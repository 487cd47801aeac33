"""`hexapla.markdown` in a project that has no plugin: what a page shows of its code, its evidence and its language."""

import subprocess
import sys

import pytest
from hexapla.config.mkdocs_yaml import site_settings
from hexapla.config.project import find_root, load_project
from hexapla.errors import ConfigError
from hexapla.site.page import project_page
from markdown import Markdown
from selectolax.lexbor import LexborHTMLParser

from tests.cases import cases
from tests.site.project import SNIPPET, rendering_page, write
from tests.site.test_build import evidence

EXTENSIONS = ["toc", "attr_list", "admonition", "pymdownx.superfences"]
CONFIGURATION = """\
[project]
site_name = "Demo"

[project.markdown_extensions]
"hexapla.markdown" = {}
"""


def project(root, text, files=(), recorded=None):
    """A project of one page, as Zensical builds it."""
    own = {"zensical.toml": CONFIGURATION, "snippets/demo/add.py": SNIPPET, "docs/page.md": text}
    write(root, own | dict(files))
    return write(root, {"snippets/evidence/cpu-demo.json": evidence(root, **recorded)}) if recorded else root


def converter(root, config=(), **options):
    """What converts the page, as Zensical makes it."""
    names = [rendering_page(root, "page.md", config=config), *EXTENSIONS, "hexapla.markdown"]
    return Markdown(extensions=names, extension_configs={"hexapla.markdown": options})


@pytest.mark.parametrize("case", cases("site/markdown"))
def test_a_page_shows(case, tmp_path):
    root = project(tmp_path, case["text"], case.get("files", ()), case.get("recorded"))
    rendered = converter(root, case.get("config", ()), **case.get("options", {}))
    _, _, body = case["text"].rpartition("---\n")
    if "says" in case:
        with pytest.raises(ConfigError) as raised:
            rendered.convert(body)
        assert str(raised.value) == case["says"]
        return
    page = LexborHTMLParser(rendered.convert(body))
    found = {path: page.css_first(path) for path in case["shows"]}
    assert {path: each and each.text() for path, each in found.items()} == case["shows"]


def test_a_text_that_is_converted_for_a_page_is_no_page(tmp_path):
    root = project(tmp_path, "A page.")
    rendered = converter(root, language="zh")
    assert rendered.convert("一\n二") == "<p>一二</p>"
    assert rendered.reset().convert("一\n二") == "<p>一\n二</p>"


def test_a_page_without_our_style_sheet_brings_the_rules_of_every_screen_alone(tmp_path):
    text = '```python\n--8<-- "demo/add.py:shown"\n```\n'
    style = converter(project(tmp_path, text)).convert(text).partition("<style>")[2]
    assert ".hx-run summary" in style
    assert "writing-mode" not in style  # of a phone's


def test_a_text_of_no_engine_stays_as_it_is():
    assert Markdown(extensions=["hexapla.markdown"]).convert("一\n二") == "<p>一\n二</p>"


def test_a_zensical_that_does_not_say_what_it_renders_stops(monkeypatch):
    monkeypatch.setitem(sys.modules, "zensical", None)
    monkeypatch.setattr(project_page, "version", lambda name: "9.9")
    with pytest.raises(ConfigError, match=r"zensical 9\.9 does not say which page it renders"):
        Markdown(extensions=["hexapla.markdown"]).convert("A text.")


def test_what_was_changed_since_the_page_before_is_shown(tmp_path):
    text = '```\n--8<-- "demo/add.py:shown"\n```\n'
    root = project(tmp_path, text)
    assert "total = 1 + 2" in converter(root).convert(text)
    write(root, {"snippets/demo/add.py": SNIPPET.replace("1 + 2", "4 + 5")})
    assert "total = 4 + 5" in converter(root).convert(text)


def test_a_term_and_a_setting_that_were_changed_are_read_again(tmp_path):
    root = project(tmp_path, "A page.", {"docs/glossary.yml": "[]\n"})

    def opened():
        return project_page.open_project(root, "", True)[0].sources

    assert opened() is opened()
    before = opened()
    write(root, {"docs/glossary.yml": "- {term: step, treatment: translate, zh: 步}\n"})
    assert opened() is not before
    assert opened().terms
    write(root, {"zensical.toml": CONFIGURATION.replace("{}", '{hardware = {gpu = "GPU"}}')})
    assert opened().project.hardware == {"gpu": "GPU"}
    write(root, {"snippets/demo/more.py": SNIPPET})
    assert "demo/more.py" in opened().kinds
    (root / "snippets/demo/more.py").unlink()
    assert "demo/more.py" not in opened().kinds


def test_a_file_of_another_folder_a_test_and_a_lock_that_were_changed_are_read_again(tmp_path):
    snippets = 'base_path = ["snippets", "extra"]'
    settings = f'{CONFIGURATION}[project.markdown_extensions."pymdownx.snippets"]\n{snippets}\n'
    text = '```\n--8<-- "inc.py"\n```\n'
    root = project(tmp_path, text, {"zensical.toml": settings, "extra/inc.py": "total = 1"})
    assert "total = 1" in converter(root).convert(text)
    write(root, {"extra/inc.py": "total = 2"})
    assert "total = 2" in converter(root).convert(text)
    for path in ("constraints.txt", "tests/snippets/demo/test_add.py", "docs/other.md", "translations/ja/page.json"):
        before = project_page.open_project(root, "", True)
        write(root, {path: "# changed"})
        assert project_page.open_project(root, "", True) is not before, path


def test_the_commands_read_the_options_of_the_extension(tmp_path):
    options = CONFIGURATION.replace("{}", '{snippets = "examples", hardware = {gpu = "GPU"}}')
    root = write(tmp_path, {"zensical.toml": options, "docs/page.md": "A page."})
    found = load_project(find_root(root / "docs"))
    assert (found.snippets, found.hardware) == (root / "examples", {"gpu": "GPU"})
    for broken in ("[project", f"a = {'[' * 100_000}"):
        write(root, {"zensical.toml": broken})
        for read in (load_project, site_settings):
            with pytest.raises(ConfigError, match=r"zensical\.toml: is not TOML \(.*\); correct it"):
                read(root)


def test_it_needs_no_mkdocs():
    script = "import sys, hexapla.markdown; print([name for name in sys.modules if name.startswith('mkdocs')])"
    ended = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert ended.stdout == "[]\n"
