"""What a page says of itself: to who shares it, to search engines, to feeds, and to a reader who finds a mistake."""

import json
from urllib.parse import parse_qs, urlsplit
from xml.etree import ElementTree

import pytest
from selectolax.lexbor import LexborHTMLParser as HTMLParser

from tests.site.project import CONFIG, PAGE, build, git, lay, write
from tests.site.switcher import switch

FORGE = "https://github.com/o/r"
AUTHOR = "A. Mori & Söhne"
ATOM = "{http://www.w3.org/2005/Atom}"
DESCRIBED = '---\ntitle: One "two" </script>\ndescription: What <it> does.\n---\n\n' + PAGE
CONFIGURED = CONFIG + f"repo_url: {FORGE}\nextra: {{release: '1.2'}}\n"


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    root = lay(tmp_path_factory.mktemp("shared"), {"mkdocs.yml": CONFIGURED, "docs/en/index.md": DESCRIBED,
                                                   "docs/en/robots.txt": "", "docs/zh/a.md": "# 甲 {#a}\n\n字。\n",
                                                   "docs/en/a.md": "# A {#a}\n\nText.\n"})
    git(root, "init", "-q")
    git(root, "add", ".")
    by = ("--date", "2026-01-02T00:00:00", "--author", f"{AUTHOR} <a@demo.example>")
    git(root, "commit", "-qm", "First & <only>", *by)
    write(root, {"docs/en/robots.txt": "# by another author\n"})
    git(root, "commit", "-qam", "Second", "--author", "Another <b@demo.example>")
    built = build(root)
    assert built.status == 0, built.said
    return built


def head(site, page):
    return HTMLParser(site.page(page)).css_first("head")


def test_a_page_is_described_where_its_address_is_shared(site):
    found = head(site, "index.html").css("meta[property]")
    said = {each.attributes["property"]: each.attributes["content"] for each in found}
    assert said["og:title"] == 'One "two" </script>' and said["og:description"] == "What <it> does."
    assert said["og:url"] == "https://demo.example/" and said["og:locale"] == "en"


def test_search_engines_read_what_a_page_is_and_what_it_translates(site):
    def graph(page):
        text = head(site, page).css_first('script[type="application/ld+json"]').text()
        return {each["@type"]: each for each in json.loads(text)["@graph"]}

    english, chinese = graph("a/index.html"), graph("zh/a/index.html")
    assert english["TechArticle"]["inLanguage"] == "en" and "translationOfWork" not in english["TechArticle"]
    assert chinese["TechArticle"]["translationOfWork"] == {"@id": "https://demo.example/a/"}
    assert chinese["BreadcrumbList"]["itemListElement"][-1]["item"] == "https://demo.example/zh/a/"
    assert graph("index.html")["TechArticle"]["headline"] == 'One "two" </script>'


def test_each_language_has_a_feed_of_its_changes(site):
    for folder, language in (("", "en"), ("zh/", "zh"), ("zh-Hant/", "zh-Hant")):
        feed = ElementTree.fromstring(site.page(f"{folder}feed.xml"))
        links = [each.find(f"{ATOM}link").attrib["href"] for each in feed.findall(f"{ATOM}entry")]
        assert f"https://demo.example/{folder}a/" in links
        assert {each.text for each in feed.iter(f"{ATOM}summary")} == {"First & <only>"}
        assert {each[0].text for each in feed.iter(f"{ATOM}author")} == {"Demo", AUTHOR}
        assert feed.attrib["{http://www.w3.org/XML/1998/namespace}lang"] == language
        assert head(site, f"{folder}a/index.html").css_first('link[type="application/atom+xml"]')


def test_a_page_ends_with_its_last_change_and_where_to_report_a_mistake(site):
    foot = HTMLParser(site.page("zh/a/index.html")).css_first(".hx-foot")
    asked = parse_qs(urlsplit(foot.css_first("a").attributes["href"]).query)
    assert foot.css_first("a").attributes["href"].startswith(f"{FORGE}/issues/new?")
    assert asked["body"] == ["Page: a\nSection:\nLanguage: zh\nVersion: 1.2\n\n"]
    assert foot.css_first("span").text() == f"最后修改：2026-01-02，{AUTHOR}"


def test_an_author_who_changed_every_page_is_not_named(tmp_path):
    root = lay(tmp_path, {})
    git(root, "init", "-q")
    git(root, "add", ".")
    git(root, "commit", "-qm", "All", "--date", "2026-01-02T00:00:00")
    assert HTMLParser(build(root).page("zh/index.html")).css_first(".hx-foot span").text() == "最后修改：2026-01-02"


def test_without_git_and_a_repository_nothing_is_said_of_them(tmp_path):
    built = build(lay(tmp_path, {}))
    assert built.status == 0, built.said
    assert "hx-foot" not in built.page("index.html") and not (built.site / "feed.xml").exists()
    assert "Sitemap: https://demo.example/sitemap.xml" in built.page("robots.txt")


def test_a_robots_txt_of_the_projects_own_stays(tmp_path):
    built = build(write(lay(tmp_path, {}), {"docs/robots.txt": "User-agent: *\nDisallow: /\n"}))
    assert built.status == 0, built.said
    assert built.page("robots.txt") == "User-agent: *\nDisallow: /\n"


@pytest.mark.parametrize(("locale", "lang"), [("ja-JP", "ja"), ("zh-TW", "zh-Hant"), ("zh-CN", "zh"), ("en-GB", ""),
                                              ("fr", "")])
def test_the_front_page_tells_who_reads_another_language(visit, locale, lang):
    page = visit("/", locale=locale)
    shown = page.locator(".hx-hint:visible")
    assert shown.evaluate_all("all => all.map(each => each.lang)") == [lang] * bool(lang)
    if lang:
        shown.locator("button").click()
        page.reload()
        assert not page.locator(".hx-hint:visible").count()
        switch(page, lang)
        assert not page.locator(".hx-hint").count()
