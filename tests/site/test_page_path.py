"""The path above a page's title: where its parts lead to, on every site, and after the front page has changed."""

from selectolax.lexbor import LexborHTMLParser as HTMLParser

from tests.site.project import CONFIG, build, lay, write

MATERIAL = "theme: {name: material, font: false}"
SETTINGS = CONFIG.replace(MATERIAL, f"{MATERIAL[:-1]}, features: [navigation.path]}}").replace(
    "name: 简体中文", "name: 简体中文, nav_translations: {Recipes: 实战}"
).replace("name: 繁體中文", "name: 繁體中文, nav_translations: {Recipes: 實戰}") + """
nav:
  - index.md
  - Recipes: [a.md, b.md]
  - Tools: [tools/index.md, tools/c.md]
  - Other: [d.md]
"""
FRONT = "# Home {#home}\n\n## Recipes {#all-recipes}\n\n## Home's other part {#part}\n"
PAGES = {f"docs/en/{name}.md": f"# {name} {{#x}}\n" for name in ("a", "b", "d", "tools/index", "tools/c")}


def path_of(built, page):
    """The parts of a page's path below the front page: the address, None for plain text, by the title."""
    parts = HTMLParser(built.page(page)).css(".md-path__link")[1:]
    return {each.text(strip=True): each.attributes.get("href") for each in parts}


def test_a_part_leads_to_its_list_on_the_front_page_to_its_own_index_or_nowhere(tmp_path):
    built = build(lay(tmp_path, PAGES | {
        "mkdocs.yml": SETTINGS, "docs/en/index.md": FRONT, "docs/zh/index.md": FRONT.replace("Recipes", "实战"),
        "docs/zh/a.md": "# 甲 {#x}\n",
    }))
    assert built.status == 0, built.said
    assert path_of(built, "a/index.html") == path_of(built, "b/index.html") == {"Recipes": "..#all-recipes"}
    assert path_of(built, "zh/a/index.html") == {"实战": "../#all-recipes"}
    assert path_of(built, "zh-Hant/a/index.html") == {"實戰": "../#all-recipes"}
    assert path_of(built, "tools/c/index.html") == {"Tools": "../"}
    assert path_of(built, "tools/index.html") == {"Tools": None}  # where one is
    assert path_of(built, "d/index.html") == {"Other": None}

    written = (built.site / "d/index.html").stat().st_ino
    write(built.root, {"docs/en/index.md": f"{FRONT}\n## More {{#more}}\n"})
    assert build(built.root).status == 0
    assert (built.site / "d/index.html").stat().st_ino == written  # no path names that part: no page anew

    write(built.root, {"docs/en/index.md": FRONT.replace("Home's other part", "Other").replace("Recipes", "Gone")})
    again = build(built.root)
    assert path_of(again, "d/index.html") == {"Other": "..#part"}  # what is kept of the page is not taken
    assert path_of(again, "a/index.html") == {"Recipes": None}


def test_a_site_without_a_front_page_has_plain_text(tmp_path):
    root = lay(tmp_path, PAGES | {"mkdocs.yml": SETTINGS.replace("index.md\n", "a.md\n", 1).replace(
        "Recipes: [a.md, b.md]", "Recipes: [{Deep: [b.md]}]")})
    for page in ("docs/en/index.md", "docs/zh/index.md"):
        (root / page).unlink()
    built = build(root)
    assert built.status == 0, built.said
    parts = HTMLParser(built.page("b/index.html")).css("span.md-path__link")
    assert [each.text(strip=True) for each in parts] == ["Recipes", "Deep"]
