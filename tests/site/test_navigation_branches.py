"""The navigation of each page is what the theme makes of it, though its branches are rendered once."""

import pytest

from tests.site.project import CONFIG, build, lay

NAV = """
nav:
  - index.md
  - Part: [part/index.md, part/a.md, {Deep: [part/deep/index.md, part/deep/b.md, b.md, {Same: c.md}]}]
  - Other: [a.md, {Same: c.md}, part/a.md, {Elsewhere: "https://example.org/"}]
"""
NAMES = ("index", "a", "b", "c", "part/index", "part/a", "part/deep/index", "part/deep/b")
PAGES = {f"docs/en/{name}.md": f"# {name} {{#x}}\n\n## More {{#more}}\n" for name in NAMES}
PAGES["docs/zh/b.md"] = "# 乙 {#x}\n"
HOOK = """
from hexapla.site.build import builder
builder.render_branches_once = lambda *given: None
def on_config(config):
    return config
"""


def pages(root, config, **more):
    built = build(lay(root, PAGES | more | {"mkdocs.yml": config + NAV}))
    assert built.status == 0, built.said
    return {file.relative_to(built.site): file.read_text(encoding="utf-8") for file in built.site.rglob("*.html")}


@pytest.mark.parametrize("more", [
    "", "use_directory_urls: false\n", "features: [navigation.tabs, navigation.sections, navigation.indexes]\n",
    "features: [navigation.prune, navigation.expand]\n",
])
def test_the_navigation_is_as_the_theme_makes_it(tmp_path, more):
    theme = "theme: {name: material, font: false}\n"
    config = CONFIG.replace(theme, f"theme:\n  name: material\n  font: false\n  {more}") if "features" in more else \
        CONFIG + more
    ours = pages(tmp_path / "ours", config)
    theirs = pages(tmp_path / "theirs", config + "hooks: [hook.py]\n", **{"hook.py": HOOK})
    assert {*ours} == {*theirs} and len(ours) > 20
    assert [name for name in ours if ours[name] != theirs[name]] == []


def test_a_project_s_own_template_of_the_navigation_is_asked_for_each_page(tmp_path):
    own = "{% macro render(item, path, level) %}<li>{{ item.title }} on {{ page.title }}</li>{% endmacro %}"
    config = CONFIG.replace("font: false}", "font: false, custom_dir: own}")
    made = pages(tmp_path, config, **{"own/partials/nav-item.html": own})
    assert "<li>Part on Same</li>" in made[next(name for name in made if name.parts[0] == "c")]
    assert "<li>Part on b</li>" in made[next(name for name in made if name.parts[0] == "b")]
