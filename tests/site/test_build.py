"""What a built site holds, read from its HTML."""

import re

import pytest
from hexapla.examples.evidence import Evidence, Hardware, Run, Status, dump_evidence
from hexapla.examples.snippet import Snippets

from tests.cases import cases
from tests.site.project import CONFIG, FILES, PAGE, SNIPPET, build, lay, write

CPU = Hardware("cpu", "Demo CPU", 2, 1 << 30)


def evidence(root, **changes):
    """The text of a file of evidence for the small project's snippet."""
    fields = {
        "status": Status.RAN, "source": Snippets(root / "snippets").hash("demo/add.py"), "date": "2026-01-02",
        "seconds": 0.1, "peak_memory_bytes": 1 << 20, "versions": {"torch": "9.9"}, "output": "3 <ok>", "reason": "",
    }
    return dump_evidence(Evidence(CPU, {"demo/add.py": Run(**fields | changes)}))


CHINESE = "\n参数与`参数`。\n换行\n处。**注意：**粗体。\nFP8\n（8 位）与 FP4\n相比。\n"
FIGURE = "`{evidence} demo/add > total as 0 million`"
SIZE = "`{evidence cpu}\ndemo/add > total as 0.0 MB`"


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """The small project: one page in English alone, evidence, a comment in Chinese, a page by hand in zh-Hant."""
    root = lay(tmp_path_factory.mktemp("small"), {
        "docs/en/only.md": "# Only here {#only}\n\nText.\n",
        "docs/en/hand.md": "# By hand {#hand}\n",
        "docs/zh/hand.md": "# 参数 {#hand}\n",
        "docs/zh-Hant/hand.md": "# 自己寫的參數 {#hand}\n",
        "docs/en/figures.md": '# Figures {#figures}\n\n--8<-- "demo/table.md"\n',
        "docs/zh/figures.md": '# 数字 {#figures}\n\n--8<-- "demo/table.md"\n',
        "docs/en/bound.md": f"# Bound {{#bound}}\n\nIt is {FIGURE}\nand {SIZE}. `` {FIGURE} `` shows it.\n",
        "docs/zh/bound.md": f"# 绑定 {{#bound}}\n\n| 共计 |\n|---|\n| {FIGURE}的 {SIZE.replace(chr(10), ' ')} |\n",
        "snippets/demo/table.md": "| | speed |\n|---|---|\n| all | 3 |\n",
        "snippets/demo/table.zh.md": "| | 速度 |\n|---|---|\n| 全部 | 3 |\n",
        "docs/zh/index.md": FILES["docs/zh/index.md"] + CHINESE,
        "docs/glossary.yml": "- {term: parameter, treatment: translate, zh: 参数, zh-Hant: 參數}\n",
        "snippets/comments.yml": '"Add the numbers.":\n  zh: 把数字相加，参数用 `参数`。\n',
    })
    write(root, {"snippets/evidence/cpu-demo.json": evidence(root, output="3 <ok>\ntotal: 57,000,000 bytes")})
    built = build(root)
    assert built.status == 0, built.said
    return built


def test_every_language_has_every_page(site):
    for language in ("", "zh/", "zh-Hant/"):
        for page in ("index.html", "only/index.html", "hand/index.html", "404.html"):
            assert (site.site / language / page).is_file()


def test_code_is_the_snippets_and_comments_are_the_readers(site):
    assert "# Add the numbers." in site.page("index.html")
    assert "# 把数字相加，参数用 `参数`。" in site.page("zh/index.html")
    assert "--8&lt;--" not in site.page("index.html")


def test_a_table_is_the_readers_where_there_is_one(site):
    assert "<td>all</td>" in site.page("figures/index.html")
    assert "<td>全部</td>" in site.page("zh/figures/index.html")


def without_measures(page):
    """A page whose dates and measures are not kept whole."""
    return re.sub("</?time>", "", page).replace("\xa0", " ")


def test_a_figure_is_the_evidence_s_in_the_form_of_the_page_s_language(site):
    assert "It is 57 million\nand 57.0 MB" in without_measures(site.page("bound/index.html"))
    assert "<td>5700万的 57.0 MB</td>" in without_measures(site.page("zh/bound/index.html"))
    assert "<td>5700萬的 57.0 MB</td>" in without_measures(site.page("zh-Hant/bound/index.html"))


def test_a_figure_is_searched_as_it_is_shown(site):
    def searched(language):
        return "".join(file.read_text("utf-8") for file in (site.site / language / "search/text").glob("*.json"))

    assert "57 million" in searched("")
    assert "5700萬" in searched("zh-Hant")


def test_a_derived_language_reads_the_comments_converted_as_its_prose_is(site):
    assert "# 把數字相加，參數用 `参数`。" in site.page("zh-Hant/index.html")


def test_a_block_says_where_its_code_ran_and_what_it_printed(site):
    page = without_measures(site.page("index.html"))
    assert 'href="source/demo/add.py.html?last=2#L-1">Source: demo/add.py, lines 1 to 2</a>' in page
    assert '<span class="hx-run__ran">Ran on CPU, 2026-01-02</span></summary>' in page
    assert "Demo CPU · Ran on 2026-01-02 with torch 9.9" in page
    assert "Output · Demo CPU" in page and "3 &lt;ok&gt;" in page
    assert "GPU" not in page, "what has not run is said on a page about that hardware alone"
    source = site.page("source/demo/add.py.html")
    assert '<span id="L-2">' in source
    assert '<a href="../../" lang="en">' in source and '<a class="back" href="../../">Home</a>' in source
    assert '<link rel="icon" href="../../assets/images/favicon.png">' in source


def test_traditional_is_derived_from_prose_alone(site):
    page = site.page("zh-Hant/index.html")
    assert "參數與<code>参数</code>" in page
    assert "自動轉換" in page
    assert "自己寫的參數" in site.page("zh-Hant/hand/index.html")
    assert "自動轉換" not in site.page("zh-Hant/hand/index.html")


def test_bold_and_line_breaks_beside_full_width_marks_and_a_line_break_between_han(site):
    page = site.page("zh/index.html")
    assert "换行处。<strong>注意：</strong>粗体。FP8（8 位）与 FP4\n相比。" in page


def test_a_page_that_is_missing_is_the_english_one_and_says_so(site):
    page = site.page("zh/only/index.html")
    assert "以下为英文原文" in page
    assert '<div lang="en">\n<h1 id="only">' in page
    assert '<link rel="canonical" href="https://demo.example/only/">' in page
    assert 'hreflang="zh"' not in page.partition("</head>")[0]


def test_other_languages_are_announced_by_absolute_addresses(site):
    head = site.page("zh/index.html").partition("</head>")[0]
    found = re.findall(r'<link rel="alternate" href="([^"]+)" hreflang="([^"]+)">', head)
    assert found == [
        ("https://demo.example/", "en"),
        ("https://demo.example/zh/", "zh"),
        ("https://demo.example/zh-Hant/", "zh-Hant"),
        ("https://demo.example/zh-Hant/", "zh-TW"),
        ("https://demo.example/", "x-default"),
    ]
    assert '<link rel="canonical" href="https://demo.example/zh/">' in head


def test_the_404_page_of_each_language_speaks_it(site):
    assert "找不到页面" in site.page("zh/404.html")
    assert "找不到頁面" in site.page("zh-Hant/404.html")
    assert "Page not found" in site.page("404.html")
    assert '--hx-language: "繁體中文"' in site.page("zh-Hant/404.html")


def test_the_404_page_shows_the_doors_of_its_front_page(tmp_path):
    doors = '<div class="hx-doors"><a href="{}">{}</a></div>'
    built = build(lay(tmp_path, {
        "mkdocs.yml": CONFIG.replace("https://demo.example/", "https://demo.example/guide/"),
        "docs/en/index.md": f"{PAGE}\n{doors.format('a/#x', 'Slow')}\n",
        "docs/zh/index.md": f"{PAGE}\n{doors.format('a/', '慢')}\n",
    }))
    assert built.status == 0, built.said
    for again in range(2):  # rendered, and out of the cache
        assert doors.format("/guide/a/#x", "Slow") in built.page("404.html"), again
        assert doors.format("/guide/zh/a/", "慢") in built.page("zh/404.html"), again
        write(built.root, {"docs/en/other.md": "# Other {#other}\n"})
        assert build(built.root).status == 0


@pytest.mark.parametrize("case", cases("site/evidence"))
def test_evidence_is_never_more_than_it_is(case, tmp_path):
    root = lay(tmp_path, {})
    changes = case["run"] | ({"status": Status(case["run"]["status"])} if "status" in case["run"] else {})
    built = build(write(root, {"snippets/evidence/cpu-demo.json": evidence(root, **changes)}))
    assert built.status == 0, built.said
    page = without_measures(built.page("index.html"))
    assert case["says"] in page
    assert f">{case['badge']}</span></summary>" in page
    assert "hx-run__ran" not in page
    assert "hx-run__output" not in page


def test_a_later_include_of_the_same_snippet_carries_the_output(tmp_path):
    root = lay(tmp_path, {"docs/en/index.md": PAGE + "\n" + PAGE.partition("\n\n")[2]})
    built = build(write(root, {"snippets/evidence/cpu-demo.json": evidence(root)}))
    page = without_measures(built.page("index.html"))
    assert page.count("CPU, 2026-01-02") == 2
    assert page.count("<samp") == 1
    assert page.index("<samp") > page.rindex("CPU, 2026-01-02")


def test_a_helper_ran_where_the_snippet_that_uses_it_did(tmp_path):
    helper = "# --8<-- [start:part]\none = 1\n# --8<-- [end:part]\n"
    files = {"snippets/demo/_one.py": helper, "snippets/demo/add.py": "from _one import one\n" + SNIPPET}
    root = lay(tmp_path, files | {"docs/en/index.md": PAGE.replace("add.py:shown", "_one.py:part")})
    built = build(write(root, {"snippets/evidence/cpu-demo.json": evidence(root)}))
    page = without_measures(built.page("index.html"))
    assert "Ran on CPU, 2026-01-02</span></summary>" in page
    assert "<samp" not in page
    assert 'href="notebooks/demo/add.ipynb" download' in page, "its own is not made; this one writes the helper"
    assert (built.site / "notebooks/demo/add.ipynb").is_file()


def test_a_file_that_no_snippet_uses_has_no_notebook(tmp_path):
    helper = "# --8<-- [start:part]\none = 1\n# --8<-- [end:part]\n"
    page = PAGE.replace("add.py:shown", "_one.py:part")
    built = build(lay(tmp_path, {"snippets/demo/_one.py": helper, "docs/en/index.md": page}))
    assert 'href="source/demo/_one.py.html?last=1#L-1"' in built.page("index.html")
    assert "download" not in built.page("index.html")


def test_a_derived_page_without_a_title_says_that_it_is_derived(tmp_path):
    built = build(lay(tmp_path, {"docs/zh/index.md": FILES["docs/zh/index.md"].replace("# 首页 {#home}", "文字。")}))
    assert "自動轉換" in built.page("zh-Hant/index.html")


def test_a_text_that_another_plugin_converts_before_a_page_is_not_the_page(tmp_path):
    """A hook comes after the plugins of the same priority."""
    hook = (
        "from markdown import Markdown\n"
        "def on_page_markdown(markdown, config, **_):\n"
        "    names, options = config.markdown_extensions, config.mdx_configs\n"
        "    return markdown + '\\n\\n' + Markdown(extensions=names, extension_configs=options).convert('*words*')\n"
    )
    root = lay(tmp_path, {"hook.py": hook})
    (root / "mkdocs.yml").write_text((root / "mkdocs.yml").read_text() + "hooks: [hook.py]\n")
    built = build(root)
    assert built.status == 0, built.said
    assert "<em>words</em>" in built.page("index.html")
    assert "# Add the numbers." in built.page("index.html")
