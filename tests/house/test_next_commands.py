"""Every `next:` command that a report ends with runs as printed, wherever it is run from."""

import shlex

import pytest
from hexapla.cli import main, next_command

from tests.site.project import lay

PAIR = {"w/fr/a.md": "# A {#a}\n\nOne.\n", "w/en/a.md": "# A {#a}\n\nOne.\n", "w/en/b.md": "# B {#b}\n\nTwo.\n"}
LAYOUT = ("--layout", "w/{lang}/{page}.md", "--anchors", "pymdownx")
SITUATIONS = {
    "a page is not recorded": ({}, ("status",)),
    "a layout is given": (PAIR, ("status", *LAYOUT)),
    "nothing but a missing page": (PAIR | {"translations/de.txt": ""}, ("status", *LAYOUT, "--languages", "de")),
    "a language is added": ({}, ("add-language", "ko", "--write")),
}


@pytest.mark.parametrize("name", SITUATIONS)
def test_a_next_command_runs_as_printed(name, tmp_path, monkeypatch, capsys):
    files, command = SITUATIONS[name]
    root = lay(tmp_path / "a tree", files)
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    monkeypatch.chdir(elsewhere)
    assert main([*command, "--root", str(root)]) == 0
    printed = capsys.readouterr().out.splitlines()[-1]
    assert printed.startswith(next_command.NEXT)
    assert main(shlex.split(printed.removeprefix(next_command.NEXT))) in {0, 1}, capsys.readouterr().err


def test_a_command_whose_packages_are_not_there_is_printed_with_what_installs_them(tmp_path, monkeypatch, capsys):
    root = lay(tmp_path, PAIR | {"translations/de.txt": ""})
    monkeypatch.setattr(next_command, "find_spec", lambda _: None)
    main(["status", *LAYOUT, "--languages", "de", "--root", str(root)])
    assert capsys.readouterr().out.splitlines()[-1].startswith("next: pip install 'hexapla[translate]', then hexapla e")
