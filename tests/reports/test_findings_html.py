"""The report as an HTML file: both texts beside a finding, no words of a tree at work, everything by keyboard."""

import re
from importlib.resources import files

import pytest
from hexapla.checks.finding import Finding, ShownLines
from hexapla.cli import main
from hexapla.reports import FORMATS, Summary, findings_html
from lxml import html

HOSTILE = [
    "<script>document.title = 'run'</script>", "</pre></article><img src=x onerror=\"document.title = 'run'\">",
    "\"' onmouseover=alert(1) x=\"", "{{ 7 * 191 }}{% raw %}", "</title><style>* { display: none }</style>",
    "--></script><!--", "javascript:document.title='run'", "a\u202egnp.exe", "\x1b[31m\0\ud800", "&lt;b&gt; &amp;amp;",
    "<base href=//h.example><meta http-equiv=refresh content=0;url=//h.example>",
]
PAGES = {
    "docs/a.md": "# A\n\nFirst.\n\n## Second {#second}\n\nSee [b](b.md).\n",
    "docs/ja/a.md": "# あ\n\n最初。\n\n## 二番目 {#second}\n\n[b](none.md)を参照。\n",
    "docs/b.md": "# B\n", "docs/ja/b.md": "# び\n",
}


def finding(words, number=1, **fields):
    made = Finding(path=words, line=number, column=1, rule="link-differs", message=words, hint=words, language=words)
    return made._replace(**fields)


def shown(findings, shown_lines=(), pages=1):
    return FORMATS["html"](findings, Summary(pages, ("ja",), understood=("Docusaurus",), shown_lines=shown_lines))


def test_a_finding_stands_beside_both_texts(tmp_path, capsys):
    for path, text in PAGES.items():
        file = tmp_path / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    given = ["check", "--root", str(tmp_path), "--layout", "docs/{lang}/{page}.md", "--source-layout",
             "docs/{page}.md", "--select", "link-target-missing", "--format", "html"]
    assert main(given) == 1
    (article,) = html.document_fromstring(capsys.readouterr().out).iter("article")
    assert [each.text for each in article.iter("figcaption")] == ["docs/ja/a.md:7:5", "docs/a.md:7"]
    assert [each.text_content() for each in article.find_class("meant")] == [
        "7[b](none.md)を参照。", "7See [b](b.md)."]
    assert [each.get("lang") for each in article.iter("pre")] == ["ja", "en"]


@pytest.mark.parametrize("words", HOSTILE)
def test_no_words_of_a_tree_are_markup(words):
    shown_lines = [(ShownLines(words, words, 1, (words, words), 1),)]
    plain = shown([finding("x")], [(ShownLines("x", "x", 1, ("x", "x"), 1),)])
    made = shown([finding(words)], shown_lines)
    elements = [[each.tag for each in html.document_fromstring(text).iter()] for text in (plain, made)]
    assert elements[0] == elements[1]
    assert [sorted(each.keys()) for each in html.document_fromstring(made).iter(html.etree.Element)] == [
        sorted(each.keys()) for each in html.document_fromstring(plain).iter(html.etree.Element)]
    assert not re.search("[\0\x1b\u202e\ud800]", made)
    assert "1337" not in made


def test_findings_stand_by_language_and_rule_the_worst_first():
    found = [finding("a", language="zh", severity="warning", rule="length-suspect"), finding("b", language="zh"),
             finding("c", language="ja"), finding("d", language="zh"), finding("e", language="", rule="unknown")]
    page = html.document_fromstring(shown(found))
    heads = [each.text_content().split() for each in page.iter("h2", "h3")]
    assert [each[0] for each in heads] == ["The", "unknown", "日本語", "link-differs", "中文", "link-differs",
                                           "length-suspect"]
    assert [each.get("id") for each in page.iter("article")] == ["f1", "f2", "f3", "f4", "f5"]
    links = {each.get("href") for each in page.iter("a")}
    assert links == {f"#{each.get('id')}" for each in page.iter("h2", "h3")}


def test_what_is_told_by_its_places_is_a_list_and_what_is_too_much_is_counted():
    missing = [finding(f"docs/ja/{each}.md", language="ja", rule="page-missing") for each in "ab"]
    page = html.document_fromstring(shown(missing))
    assert [each.text_content() for each in page.find("body").iter("li")][1:] == [
        "docs/ja/a.md:1:1", "docs/ja/b.md:1:1"]
    assert not list(page.iter("article"))
    many = html.document_fromstring(shown([finding("a")] * (findings_html.LIMIT + 2)))
    assert len(list(many.iter("article"))) == findings_html.LIMIT
    assert "2 findings of lesser weight are left out" in many.text_content()


def test_a_long_line_is_cut_around_the_place():
    line = "あ" * 5_000 + "here" + "い" * 5_000
    assert "here" in findings_html.clip_line(line, 5_001)
    assert len(findings_html.clip_line(line, 5_001)) == findings_html.CLIPPED + 2
    assert findings_html.clip_line("short", 4) == "short"


def test_the_colours_are_the_editors():
    editor = files("hexapla.editor").joinpath("static/editor.css").read_text(encoding="utf-8")
    rows = re.findall(r"^  --[\w-]+: light-dark.*", shown([]), re.M)
    assert rows
    assert set(rows) <= set(editor.splitlines())


def test_a_browser_goes_from_finding_to_finding_and_asks_nobody(open_tab, tmp_path):
    file = tmp_path / "findings.html"
    tab = open_tab(file.as_uri())
    found = [finding(words.encode("utf-8", "replace").decode(), number) for number, words in enumerate(HOSTILE, 1)]
    file.write_text(shown(found, [(ShownLines("a", "ja", 1, (each.message,), 1),) for each in found]), encoding="utf-8")
    tab.goto(file.as_uri())
    places = []
    for key in "jjnkp":
        tab.keyboard.press(key)
        places.append(tab.evaluate("document.activeElement.id"))
    assert places == ["f1", "f2", "f3", "f2", "f1"]
    tab.get_by_role("button", name="Previous").click()
    assert tab.locator("#place").text_content() == f"{len(HOSTILE)} of {len(HOSTILE)}"
    assert tab.url.endswith(f"#f{len(HOSTILE)}")
    assert tab.title().startswith("Hexapla: ")
