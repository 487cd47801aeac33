"""Every `next:` command that a report ends with runs as printed, wherever it is run from."""

import shlex

import pytest
from hexapla.cli import main, options

from tests.site.project import lay, write

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
    assert printed.startswith(options.NEXT)
    assert main(shlex.split(printed.removeprefix(options.NEXT))) in {0, 1}, capsys.readouterr().err


FIXABLE = PAIR | {
    "w/fr/a.md": "# Un\n\nDes mots.\n", "w/en/un/b.md": "# B {#b}\n\nTwo words.\n",
    "w/fr/un/b.md": "# Deux\n\nDes mots.\n"}


def test_the_command_that_writes_fixes_repeats_what_was_given(tmp_path, monkeypatch, capsys):
    root = write(tmp_path / "a tree", FIXABLE)
    monkeypatch.chdir(tmp_path)
    given = (str(root / "w/fr/un"), "--select", "anchor-unpinned", "--root", "a tree", *LAYOUT)
    main(["check", *given, "--fix"])
    [printed] = [line for line in capsys.readouterr().out.splitlines() if line.startswith("nothing was written; ")]
    assert main(shlex.split(printed.partition("with: hexapla ")[2])) == 0
    assert "{#b}" in (root / "w/fr/un/b.md").read_text(encoding="utf-8")
    assert (root / "w/fr/a.md").read_text(encoding="utf-8") == FIXABLE["w/fr/a.md"]


def followed(said, monkeypatch):
    """Run the commands that a report ends with where it was printed; what each returned."""
    for line in said.splitlines():
        name, *arguments = shlex.split(line.removeprefix("next: ")) if line.startswith("next: ") else [""]
        if name == "cd":
            monkeypatch.chdir(arguments[0])
        elif name == "hexapla" and arguments[0] != "translate":  # which serves until it is ended
            yield main(arguments)


TREES = {
    "a project": {"mkdocs.yml": "site_name: x\n", "docs/index.md": "# A {#a}\n"},
    "another's": {"docs/fr/docs/index.md": "# A {#a}\n", "docs/ja/docs/index.md": "# あ {#a}\n",
                  "docs/fr/mkdocs.yml": "markdown_extensions: [attr_list]\n"},
}


@pytest.mark.parametrize("name", TREES)
def test_what_init_prints_runs_from_where_it_was_printed(tmp_path, monkeypatch, capsys, name):
    write(tmp_path / "a tree", TREES[name])
    monkeypatch.chdir(tmp_path)
    assert main(["init", "--root", "a tree", "--source", "fr", "--write"]) == 0
    returned = list(followed(capsys.readouterr().out, monkeypatch))
    assert len(returned) == 2 and set(returned) <= {0, 1}, capsys.readouterr().err


def test_what_convert_prints_runs_from_where_it_was_printed(tmp_path, monkeypatch, capsys):
    write(tmp_path / "theirs", {"fr/_toctree.yml": "- {title: A, local: index}\n", "fr/index.md": "# A\n\nUn.\n"})
    monkeypatch.chdir(tmp_path)
    assert main(["convert", "theirs", "a site", "--source", "fr", "--write"]) == 0
    returned = list(followed(capsys.readouterr().out, monkeypatch))
    assert returned == [0, 0], capsys.readouterr().err
    assert (tmp_path / "a site/docs/fr/index.md").is_file()


def test_a_command_whose_packages_are_not_there_is_printed_with_what_installs_them(tmp_path, monkeypatch, capsys):
    root = lay(tmp_path, PAIR | {"translations/de.txt": ""})
    monkeypatch.setattr(options, "find_spec", lambda _: None)
    main(["status", *LAYOUT, "--languages", "de", "--root", str(root)])
    assert capsys.readouterr().out.splitlines()[-1].startswith("next: pip install 'hexapla[translate]', then hexapla e")
