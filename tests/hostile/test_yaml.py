"""YAML out of a tree ends no process: it is refused with its place, and the other pages are reported."""

import json
import re
from pathlib import Path

import pytest
import yaml
from hexapla.yaml_text import DEEPEST, load_yaml

from tests.site.project import build, hexapla, lay

CASES = yaml.safe_load((Path(__file__).parents[1] / "cases/hostile/yaml.yml").read_text(encoding="utf-8"))
BROKEN_PAGE = {"docs/en/other.md": "# Other {#other}\n\n[nowhere](none.md)\n"}


def text_of(case):
    return case.get("text") or case["repeat"] * case["times"]


@pytest.mark.parametrize("case", [case for case in CASES if "says" in case], ids=lambda case: case["name"])
def test_a_text_over_a_bound_is_refused_before_a_value_is_made(case):
    with pytest.raises(yaml.YAMLError, match=case["says"]):
        load_yaml(text_of(case))


def test_a_text_at_the_bound_is_read():
    text = "[" * DEEPEST + "]" * DEEPEST
    assert load_yaml(text) == yaml.safe_load(text)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
def test_front_matter_hides_no_other_page(case, tmp_path):
    root = lay(tmp_path, BROKEN_PAGE | {"docs/en/index.md": f"---\n{text_of(case)}\n---\n\n# Home {{#home}}\n"})
    done = hexapla("check", cwd=root)
    assert done.returncode == 1, done.stderr
    assert "docs/en/other.md\n      3:11  error    link-target-missing" in done.stdout
    assert "docs/en/index.md" in done.stdout or "says" not in case
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("file", ["mkdocs.yml", "docs/glossary.yml", "snippets/comments.yml"])
@pytest.mark.parametrize("case", [case for case in CASES if "says" in case], ids=lambda case: case["name"])
def test_a_file_of_settings_is_named(case, file, tmp_path):
    root = lay(tmp_path, {file: text_of(case)})
    done = hexapla("check", cwd=root)
    assert done.returncode in {0, 1, 2}, done.stderr
    assert "Traceback" not in done.stderr
    assert file != "mkdocs.yml" or file in done.stderr


@pytest.mark.parametrize(("written", "shown"), [("2024", "2024"), ("1.5", "1.5"), ("2024-01-02", "2024-01-02"),
                                                ("true", "True"), ("[a]", "[&#39;a&#39;]")])
def test_a_title_that_yaml_reads_as_something_else_is_text(written, shown, tmp_path):
    page = f"---\ntitle: {written}\n---\n\nSome words.\n"
    built = build(lay(tmp_path, {"docs/en/dated.md": page, "docs/zh/dated.md": page}))
    assert built.status == 0, built.said
    for language in ("", "zh/", "zh-Hant/"):
        assert f"<title>{shown}" in built.page(f"{language}dated/index.html").replace("'", "&#39;")
        home = built.page(f"{language}index.html").replace("'", "&#39;")  # whose navigation shows it
        assert re.search(rf'href="dated/"[^<]*(?:<[^<]*){{1,3}}>\s*{re.escape(shown)}\s*<', home)
        index = json.loads(built.page(f"{language}search/index.json"))
        assert shown.replace("&#39;", "'") in json.dumps(index, ensure_ascii=False)
