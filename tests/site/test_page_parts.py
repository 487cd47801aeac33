"""What a page asks the site for by a placeholder: numbers out of the evidence, passages out of the pages."""

from urllib.parse import urljoin

from hexapla.examples.evidence import Evidence, Hardware, Run, Status, dump_evidence
from hexapla.examples.snippet import Snippets
from selectolax.lexbor import LexborHTMLParser as HTMLParser

from tests.site.project import PAGE, build, lay, write

FRONT = PAGE + """
<div data-hexapla="numbers" data-of="a.md#part #home"></div>

<div data-hexapla="parallel" data-of="a.md#part"></div>
"""
PARTS = {
    "docs/en/a.md":
        "# A {#a}\n\n## Part `x` {#part}\n\n- a list\n\nIt is [a](index.md)\n**text** & more.\n\nNot this.\n",
    "docs/zh/a.md": "# 甲 {#a}\n\n## 部分 `x` {#part}\n\n这是软件，\n**文字**。\n",
}


def record(root, **runs):
    """Evidence of these snippets, each with its status and its tests."""
    code = Snippets(root / "snippets")
    made = {
        f"demo/{name}.py": Run(status, code.hash(f"demo/{name}.py") if fresh else "sha256:old", "2026-01-02", 0.1, 1,
                               {"python": "3.11"}, "3", tests=tests)
        for name, (status, fresh, tests) in runs.items()
    }
    write(root, {"snippets/evidence/cpu-demo.json": dump_evidence(Evidence(Hardware("cpu", "Demo", 2, 1), made))})


def numbers(built, page):
    return [(each.css_first("dd").text(), each.css_first("dt").text(), *(link.attrs["href"] for link in each.css("a")))
            for each in HTMLParser(built.page(page)).css(".hx-numbers > div")]


def test_numbers_count_what_holds_today(tmp_path):
    root = lay(tmp_path, PARTS | {
        "docs/en/index.md": FRONT, "docs/zh/index.md": FRONT.replace("Home", "首页"),
        "snippets/demo/other.py": "print(2)\n", "snippets/demo/failed.py": "print(3)\n",
    })
    record(root, add=(Status.RAN, True, ["test_a", "test_b"]), other=(Status.RAN, False, ["test_c"]),
           failed=(Status.FAILED, True, ["test_d"]))
    built = build(root)
    assert built.status == 0, built.said
    # Nobody has said what the Chinese was made from, and so for what is converted from it.
    assert numbers(built, "index.html") == [
        ("1 of 3", "programs ran", "a/#part"), ("3 languages", "0 of 3 sections in step", "#home"),
        ("2 tests", "of these programs"),
    ]
    assert numbers(built, "zh/index.html")[0] == ("1 / 3 个", "运行过的程序", "a/#part")


def test_a_passage_is_shown_in_all_languages_as_their_pages_have_it_the_readers_first(tmp_path):
    built = build(lay(tmp_path, PARTS | {"docs/en/index.md": FRONT, "docs/zh/index.md": FRONT.replace("Home", "首页")}))
    assert built.status == 0, built.said
    english, chinese, traditional = (
        ("English", "https://demo.example/a/#part", "It is a\n<strong>text</strong> &amp; more."),
        ("简体中文", "https://demo.example/zh/a/#part", "这是软件，<strong>文字</strong>。"),
        ("繁體中文", "https://demo.example/zh-Hant/a/#part", "這是軟體，"),
    )
    for page, shown in (
        ("", (english, chinese, traditional)),
        ("zh/", (chinese, english, traditional)),
        ("zh-Hant/", (traditional, english, chinese)),
    ):
        columns = HTMLParser(built.page(page + "index.html")).css(".hx-parallel > div")
        assert [each.attributes["data-name"] for each in columns] == [name for name, _, _ in shown]
        links = [each.css_first("a").attributes["href"] for each in columns]
        assert [urljoin(f"https://demo.example/{page}", link) for link in links] == [url for _, url, _ in shown]
        for column, (_, _, text) in zip(columns, shown, strict=True):
            assert text in column.html and "Not this" not in column.html


def test_a_program_is_copied_at_the_step_that_needs_it(tmp_path):
    part = '<div data-hexapla="program" data-of="demo/add.py"></div>'
    built = build(lay(tmp_path, {"docs/en/index.md": f"# Home {{#home}}\n\n{part}\n",
                                 "docs/zh/index.md": f"# 首页 {{#home}}\n\n{part}\n"}))
    assert built.status == 0, built.said
    for page, *said, ran in (
        ("", "add.py", "Copy program", "Download", "Not run yet"),
        ("zh/", "add.py", "复制完整程序", "下载", "尚未运行"),
        ("zh-Hant/", "add.py", "複製完整程式", "下載", "尚未執行"),
    ):
        box = HTMLParser(built.page(page + "index.html")).css_first(".hx-program")
        links = box.css("a")
        assert [link.text() for link in links] == said and box.css_first(".hx-run__not-run").text() == ran
        source, *files = (urljoin("/" + page, link.attributes["href"]).removeprefix("/") for link in links)
        assert source == "source/demo/add.py.html" and files == ["programs/demo/add.py"] * 2
        program = built.page(files[0])
        assert "print(total)" in program and str(len(program.splitlines())) in box.css_first("span").text()
    written = built.page("index.md")
    assert 'href="https://demo.example/programs/demo/add.py"' in written and "<style" not in written


def test_a_part_that_there_is_not_stops_the_build(tmp_path):
    for part, said in (
        ('<div data-hexapla="weather"></div>', "a part of the page is missing"),
        ('<div data-hexapla="parallel" data-of="a.md#none"></div>', "no page has the section 'a.md#none'"),
        ('<div data-hexapla="numbers" data-of="none.md"></div>', "no page is at 'none.md'"),
        ('<div data-hexapla="program" data-of="demo/none.py"></div>', "no snippet that runs by itself is at"),
    ):
        built = build(lay(tmp_path, PARTS | {"docs/en/index.md": f"# Home {{#home}}\n\n{part}\n"}))
        assert built.status != 0 and said in built.said
