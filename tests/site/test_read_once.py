"""What a build reads is read once: the lines of a page's source, by whoever renders it, and mkdocs.yml."""

from collections import Counter

import pytest
from hexapla.config import mkdocs_yaml
from hexapla.pages import lines
from hexapla.site.build import builder
from mkdocs.exceptions import Abort

from tests.site.live.edits import FIGURE, SHOWN, TREE
from tests.site.live.live_project import LiveProject, loaded
from tests.site.project import CONFIG, write

PAGE = f"---\nhardware: cpu\n---\n# Lexed {{#lexed}}\n\n!!! note\n\n    {FIGURE}\n\n{SHOWN}"
TRANSLATION = PAGE.replace("Lexed", "词法")
DERIVED = PAGE.replace("Lexed", "詞法")


@pytest.fixture
def counted(monkeypatch):
    """How often a text was cut into lines, and how often mkdocs.yml was read, in this process."""
    found = Counter()

    def split_lines(text, original=lines.split_lines):
        found[text] += 1
        return original(text)

    def load_yaml(*given, original=mkdocs_yaml.load_yaml):
        found["mkdocs.yml"] += 1
        return original(*given)

    monkeypatch.setattr(lines, "split_lines", split_lines)
    monkeypatch.setattr(mkdocs_yaml, "load_yaml", load_yaml)
    monkeypatch.setattr(builder, "FORKS", False)
    return found


def built(root, counted, strict=False):
    """Build a tree in this process."""
    config = loaded(root, root / "site")
    config.strict = strict
    config.plugins.on_startup(command="build", dirty=False)
    lines.read_once.cache_clear()
    counted.clear()
    config.plugins["hexapla"].build(config)


def test_a_page_is_lexed_once_and_mkdocs_yml_is_read_once(counted, tmp_path):
    config = CONFIG.replace("superfences", "superfences, admonition")
    root = write(tmp_path, TREE | {"docs/en/lexed.md": PAGE, "docs/zh/lexed.md": TRANSLATION, "mkdocs.yml": config})
    built(root, counted)
    page = (root / "site/lexed/index.html").read_text(encoding="utf-8")
    assert '">0</abbr></p>' in page and 'class="hx-run"' in page
    texts = [text for text in counted if "{#lexed}" in text]
    assert [counted[text] for text in (PAGE, DERIVED)] == [1, 1]
    # Its readers in Chinese are shown the same lines; what programs read has no front matter.
    assert {text for text in texts if "Lexed" in text and text.startswith("---")} == {PAGE}
    assert counted["mkdocs.yml"] == 1


def test_a_strict_build_reads_mkdocs_yml_once_for_the_rules_too(counted, tmp_path):
    with pytest.raises(Abort):
        built(write(tmp_path, TREE), counted, strict=True)
    assert counted["mkdocs.yml"] == 1


def test_a_save_reads_no_mkdocs_yml(counted, tmp_path):
    project = LiveProject(write(tmp_path, TREE))
    assert counted["mkdocs.yml"] == 1
    write(tmp_path, {"docs/en/a.md": "# Page a {#a}\n\nAnother.\n"})
    project.changed("docs/en/a.md")
    assert "Another" in project.page("a/")
    assert counted["mkdocs.yml"] == 1
    project.close()
