"""What the site says of its translations."""

import re
from shutil import rmtree

from selectolax.lexbor import LexborHTMLParser as HTMLParser

from tests.site.project import CONFIG, build, git, lay

PAGE = "# Home {#home}\n\nWords that open it.\n\n## Part {#part}\n\nOne two three.\n"
CHINESE = "# 首页 {#home}\n\n开头。\n\n## 部分 {#part}\n\n一二三。\n"


def sync(root):
    """`hexapla sync docs/en --write`."""
    from hexapla.cli import main

    assert main(["sync", "docs/en", "--write", "--root", str(root)]) == 0


def test_a_section_that_is_behind_says_so_and_leads_to_what_changed(tmp_path):
    root = lay(tmp_path, {"docs/en/index.md": PAGE, "docs/zh/index.md": CHINESE})
    sync(root)
    git(root, "init", "-q")
    git(root, "add", "-A")
    git(root, "commit", "-qm", "all")
    (root / "docs/en/index.md").write_text(PAGE.replace("two", "2 <b>"), encoding="utf-8")
    built = build(root, "--strict")
    assert built.status == 0, built.said
    for language, says in (("zh", "本节落后于英文原文：翻译之后，原文有 2 个词改动。"),
                           ("zh-Hant", "本節落後於英文原文：翻譯之後，原文有 2 個詞改動。")):
        html = built.page(f"{language}/index.html")
        assert html.count('class="hx-behind"') == 1
        banner = html[html.index('id="part"') :]
        assert says in banner
        address = re.search(r'hx-behind.*?href="\.\./(.*?)#part"', banner)[1]
        changes = built.page(address)
        assert '<h2 id="part">' in changes
        assert "One <del>two </del><ins>2 &lt;b&gt; </ins>three." in changes
        status = built.page(f"translations/{language}/index.html")
        assert f'<html lang="{language}">' in status
        assert status.count("<i></i>") == 1
        assert 'href="changes/index.html#part"' in status
    assert "hx-behind" not in built.page("index.html")


def test_a_site_that_records_nothing_says_nothing(tmp_path):
    built = build(lay(tmp_path, {}), "--strict")
    assert built.status == 0, built.said
    assert "hx-status" not in built.page("zh/index.html")
    assert not (built.site / "translations").exists()


def test_a_current_translation_leads_to_its_languages_page_alone(tmp_path):
    root = lay(tmp_path, {"docs/en/index.md": PAGE, "docs/zh/index.md": CHINESE})
    sync(root)
    built = build(root, "--strict")
    html = built.page("zh/index.html")
    assert "hx-behind" not in html
    assert 'href="../translations/zh/index.html"' in html
    assert "没有待处理的内容" in built.page("translations/zh/index.html")


def test_a_page_translated_in_part_shows_the_rest_in_the_original_in_its_place(tmp_path):
    more = "\n## Middle {#middle}\n\nSee [the part](#part).\n\n```python\nx = 1\n```\n\n## End {#end}\n\nThe end.\n"
    chinese = "# 首页 {#home}\n\n开头。见[部分](#part)。\n\n## 结束 {#end}\n\n完。\n"
    root = lay(tmp_path, {"docs/en/index.md": PAGE + more, "docs/zh/index.md": chinese})
    sync(root)
    built = build(root, "--strict")  # neither the code of a missing section nor a link to it is an error
    assert built.status == 0, built.said
    for language, note in (("zh", "本节尚未翻译，以下为原文。"), ("zh-Hant", "本節尚未翻譯，以下為原文。")):
        html = built.page(f"{language}/index.html")
        article = html[html.index("<article") : html.index("</article>")]
        assert re.findall(r'<h[12] id="(\w+)"', article) == ["home", "part", "middle", "end"]
        part, middle = article[: article.index('id="end"')].split('<div class="hx-original" lang="en">')[1:]
        assert note in part and "One two three." in part
        assert note in middle and 'href="#part"' in middle and "hx-original" not in middle
        assert article.count("hx-behind") == 3  # and one that says of the link that the source does not have it
        doubted = {"zh": "检查对本节有疑问", "zh-Hant": "檢查對本節有疑問"}[language]
        assert doubted in article[: article.index('id="part"')]
        assert "<!-- hx" not in article
    assert "hx-original" not in built.page("index.html")
    rmtree(root / "translations/zh")  # where nobody records what is translated, nothing is filled in
    refused = build(root, "--strict")
    assert refused.status == 1
    assert "code-count" in refused.said and "link-anchor-missing" in refused.said


def test_a_page_whose_first_section_is_missing_has_the_original_title(tmp_path):
    title = "# The *original* title {#home}"
    root = lay(tmp_path, {"docs/en/index.md": f"{title}\n\nWords.\n\n## End {{#end}}\n\nThe end.\n",
                          "docs/zh/index.md": "# 结束 {#end}\n\n完。\n"})
    sync(root)
    built = build(root, "--strict")
    assert built.status == 0, built.said
    for language in ("zh", "zh-Hant"):
        html = built.page(f"{language}/index.html")
        assert re.search(r"<title>The original title", html)
        original = html[html.index('<div class="hx-original" lang="en">') :].split("</div>")[0]
        assert "The <em>original</em> title" in original and "Words." in original


def test_a_section_that_moved_is_shown_as_it_was_translated(tmp_path):
    more = "## More {#more}\n\nSee [the part](#part) and `x`.\n"
    translated = "## 更多 {#more}\n\n见[部分](#part)和 `x`，信息如下。\n"
    root = lay(tmp_path, {
        "docs/en/index.md": PAGE + "\n" + more, "docs/zh/index.md": CHINESE + "\n" + translated,
        "docs/en/other.md": "# Other {#other}\n\nWords.\n", "docs/zh/other.md": "# 其他 {#other}\n\n词。\n",
    })
    sync(root)
    for command in (("init", "-q"), ("add", "-A"), ("commit", "-qm", "all")):  # links lead as in the source of then
        git(root, *command)
    (root / "docs/en/index.md").write_text(PAGE, encoding="utf-8")
    elsewhere = more.replace("#part", "index.md#part")
    (root / "docs/en/other.md").write_text(f"# Other {{#other}}\n\nWords.\n\n{elsewhere}", encoding="utf-8")
    built = build(root, "--strict")
    assert built.status == 0, built.said
    for language, says in (("zh", "信息如下"), ("zh-Hant", "資訊如下")):
        html = built.page(f"{language}/other/index.html")
        article = html[html.index("<article") : html.index("</article>")]
        assert re.findall(r'<h[12] id="(\w+)"', article) == ["other", "more"]
        assert says in article and "hx-original" not in article
        assert re.search(r'href="\.\./(index\.html)?#part"', article)


def test_a_page_says_who_made_its_translation_where_the_project_wishes(tmp_path):
    wishing = CONFIG + "extra: {provenance: true}\n"
    root = lay(tmp_path, {"mkdocs.yml": wishing, "docs/en/index.md": PAGE, "docs/zh/index.md": CHINESE})
    sync(root)
    file = root / "translations/zh/index.txt"
    home, part = file.read_text(encoding="utf-8").strip().split("\n\n")
    home, part = (re.sub(r"(translation \w+).*", r"\1", each) for each in (home, part))
    made = "drafted by m<b> on 2026-11-27 with instructions - memory - around - terms -"
    file.write_text(f"{home} reviewed by Ada & Söhne\n\n{part} draft\n{made}\n", encoding="utf-8")
    built = build(root, "--strict")
    assert built.status == 0, built.said
    for language, said in (("zh", ["译文审阅：Ada & Söhne", "未经审阅的草稿：m<b>"]),
                           ("zh-Hant", ["譯文審閱：Ada & Söhne", "未經審閱的草稿：m<b>"])):
        foot = HTMLParser(built.page(f"{language}/index.html")).css(".hx-foot > span")
        assert [each.text() for each in foot] == said
    assert "hx-foot" not in built.page("index.html")  # the source was translated by nobody
    page = root / "docs/zh/index.md"
    page.write_text(CHINESE.replace("## ", "新的词。\n\n## ", 1), encoding="utf-8")  # which nobody has read
    assert "Söhne" not in build(root, "--strict").page("zh/index.html")
    page.write_text(CHINESE, encoding="utf-8")
    (root / "mkdocs.yml").write_text(CONFIG, encoding="utf-8")
    assert "Söhne" not in build(root, "--strict").page("zh/index.html")
