"""From the front page the right section is two clicks away; the tool's commands answer as its own front page shows."""

import re

import pytest
import yaml
from hexapla.cli import main

from tests.guide.guide import PAGES, PROJECT, ROOT
from tests.guide.test_pages import targets

TASKS = yaml.safe_load((ROOT / "tests/cases/guide/tasks.yml").read_text(encoding="utf-8"))


@pytest.mark.parametrize("language", [language.code for language in PROJECT.languages])
def test_two_clicks_lead_to_the_section(language):
    linked = {target.partition("#")[0] for target in targets(PAGES[language, "index.md"])}
    lost = []
    for task in TASKS:
        file, _, section = task["goal"].partition("#")
        if file not in linked or section not in {heading.id for heading in PAGES[language, file].headings}:
            lost.append(f"{task['task']}: {task['goal']}")
    assert not lost


@pytest.mark.parametrize("language", ["en", "zh", "ja"])
def test_the_first_commands_answer_as_the_page_shows(language, tmp_path, monkeypatch, capsys):
    for code, model in (("en", "v2"), ("ja", "v1")):
        (tmp_path / "docs" / code).mkdir(parents=True)
        (tmp_path / "docs" / code / "a.md").write_text(
            f"# A {{#a}}\n\n## B {{#b}}\n\nC.\n\n```bash\ndemo --model {model}\n```\n")
    (tmp_path / "mkdocs.yml").write_text("site_name: Demo\n")
    monkeypatch.chdir(tmp_path)
    page = (ROOT / f"docs/{language}/tools/index.md").read_text(encoding="utf-8")
    shown = re.findall(r"^    \$ hexapla (.*)\n((?:    .+\n)+?)    ```", page, re.M)
    assert [command.split()[0] for command, _ in shown] == ["check", "init"]
    for command, answer in shown:
        main(command.split())
        lines = capsys.readouterr().out.splitlines()  # with wider gaps than the page has room for
        shown_lines = {" ".join(each.split()) for each in answer.splitlines()} - {"…"}
        assert not shown_lines - {" ".join(each.split()) for each in lines}


def test_a_comparison_reports_what_the_page_shows(tmp_path, capsys):
    for code, title, memory, model in (
        ("en", "Install", "It needs 8 GB.", "v2"), ("ja", "インストール", "4 GBが必要です。", "v1"),
    ):
        (tmp_path / "docs" / code).mkdir(parents=True)
        (tmp_path / "docs" / code / "a.md").write_text(
            f"# {title} {{#install}}\n\n{memory}\n\n```bash\ndemo --model {model}\n```\n", encoding="utf-8")
    (tmp_path / "mkdocs.yml").write_text("site_name: Demo\n")
    main(["check", "--parity", "--root", str(tmp_path)])
    shown = (ROOT / "snippets/tools/check_parity.txt").read_text(encoding="utf-8")
    assert shown == f"$ hexapla check --parity\n{capsys.readouterr().out}"
