"""Each page as Markdown for programs: it says what its HTML says, and of each section what is known of it."""

import re

import pytest
import yaml
from hexapla.pages import parse
from hexapla.translation.sections.sections import cut_sections
from selectolax.lexbor import LexborHTMLParser as HTMLParser

from tests.site.project import CONFIG, FILES, PAGE, build, git, lay, write

LANGUAGES = {"en": "", "zh": "zh/", "zh-Hant": "zh-Hant/", "ja": "ja/"}
SECTION = re.compile(r'<!-- section id="(?P<id>[^"]*)" source="(?P<source>\w*)" state="(?P<state>[\w-]+)" '
                     r'languages="(?P<languages>[^"]*)" -->')


def squeezed(text):
    return "".join(text.split())


def code_in_html(html):
    """The blocks of code that a reader sees, the recorded outputs among them."""
    found = html.css("article pre > code, article pre > samp")
    return sorted(squeezed(each.text()) for each in found)


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_markdown_of_every_page_has_what_its_html_has(built_site, language):
    """The same headings under the same ids, the same code and the same output, in the same language."""
    folder = built_site / LANGUAGES[language]
    compared = 0
    for file in sorted(folder.rglob("*.md")):
        if language == "en" and file.relative_to(folder).parts[0] in LANGUAGES:
            continue
        page = file.with_suffix("") / "index.html" if file.name != "index.md" else file.with_suffix(".html")
        html, text = HTMLParser(page.read_text("utf-8")), file.read_text("utf-8")
        head, body = text[4:].split("\n---\n", 1)
        meta = yaml.safe_load(head)
        assert meta["language"] == language
        ids = [each.attributes["id"] for each in html.css("article :is(h1, h2, h3, h4)[id]")]
        known = {each.id for each in cut_sections(body)}
        assert {each for each in ids if each} <= known, file
        assert code_in_html(html) == sorted(squeezed(each.content) for each in parse(body).fences), file
        assert "\ue0f0" not in body, file
        compared += 1
    assert compared > 40


@pytest.mark.parametrize("language", LANGUAGES)
def test_llms_txt_lists_every_page_of_the_navigation(built_site, language):
    folder = built_site / LANGUAGES[language]
    listed = re.findall(r"\]\(https://hexapla\.example/([^)]+\.md)\)", (folder / "llms.txt").read_text("utf-8"))
    assert len(listed) == len({*listed}) > 40
    assert all((built_site / each).is_file() for each in listed)
    english = re.findall("^> .+", (built_site / "llms.txt").read_text("utf-8"), re.M)
    summary = re.findall("^> .+", (folder / "llms.txt").read_text("utf-8"), re.M)
    assert len(summary) == 1 and (summary == english) is (language == "en")
    home = HTMLParser((folder / "index.html").read_text("utf-8"))
    assert home.css_first("article a[href='llms.txt']")
    full = (folder / "llms-full.txt").read_text("utf-8")
    assert all((built_site / each).read_text("utf-8") in full for each in listed)


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """A page with one section that is behind, and a page that is in English alone."""
    root = tmp_path_factory.mktemp("markdown")
    lay(root, {
        "docs/en/a.md": "# A {#a}\n\nOne.\n\n## Part {#part}\n\nOld words here.\n",
        "docs/zh/a.md": "# 甲 {#a}\n\n一。\n\n## 部分 {#part}\n\n旧的软件。\n",
        "docs/en/only.md": "# Only {#only}\n\nText.\n",
        "translations/zh.yml": "",
    })
    git(root, "init", "-q")
    git(root, "add", ".")
    git(root, "commit", "-qm", "begin")
    return root


def sections(text):
    return {each["id"]: each for each in SECTION.finditer(text)}


def test_a_section_says_its_state_and_where_else_it_is(site):
    from hexapla.cli import main

    assert main(["sync", "zh", "--root", str(site), "--reviewed-by", "me", "--write"]) == 0
    write(site, {"docs/en/a.md": "# A {#a}\n\nOne.\n\n## Part {#part}\n\nQuite other words here today.\n\n"
                 '```python\n--8<-- "demo/add.py:shown"\n```\n'})
    built = build(site)
    assert built.status == 0, built.said
    english, chinese, derived = (built.page(path) for path in ("a.md", "zh/a.md", "zh-Hant/a.md"))
    assert {name: each["state"] for name, each in sections(english).items()} == {"a": "original", "part": "original"}
    assert {name: each["state"] for name, each in sections(chinese).items()} == {"a": "current", "part": "behind"}
    assert sections(english)["part"]["source"] == sections(chinese)["part"]["source"] != ""
    assert sections(derived)["part"]["languages"] == "en zh zh-Hant" and "舊的軟體" in derived
    behind = next(line for line in chinese.splitlines() if line.startswith("> "))
    assert "英文" in behind and "(https://demo.example/a.md#part)" in behind
    quoted = "\n> Quite other words here today.\n>\n> ```python\n> # Add the numbers.\n> total = 1 + 2\n> ```\n"
    assert quoted in chinese
    assert chinese.index("> Quite other words") < chinese.index("旧的软件。")
    assert "> Quite other words" in derived
    assert "(https://demo.example/programs/demo/add.py)" in english
    assert "> " not in english and english.count("<!-- evidence -->") == english.count("<!-- end of evidence -->") == 1
    only = built.page("zh/only.md")
    assert "written_in: en" in only and "本页还没有中文版" in only


def test_it_can_be_turned_off(tmp_path):
    config = CONFIG.replace("hexapla: {derived", "hexapla: {markdown: false, derived")
    built = build(lay(tmp_path, FILES | {"mkdocs.yml": config, "docs/en/index.md": PAGE}))
    assert built.status == 0, built.said
    assert not [*built.site.rglob("*.md")] and not (built.site / "llms.txt").exists()
    assert "index.md" not in built.page("index.html")
