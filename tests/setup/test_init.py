"""`hexapla init`: what it finds, what it writes, and that the site then stands."""

import json
import shlex

import pytest
import yaml
from hexapla.cli import main
from hexapla.config.mkdocs_yaml import read_settings
from hexapla.setup import plan as setup_plan

from tests.site.project import build, git, write

ENGLISH_JAPANESE = "languages: [{locale: en, name: English, default: true}, {locale: ja, name: 日本語}]"
ONE_LANGUAGE = {
    "mkdocs.yml": "site_name: Kit\n# Ours.\nnav:\n  - Home: index.md\n  - guide/tour.md\nplugins:\n  - search\n"
    "  - tags   # keep\n\n# After.\nextra_css: [extra.css]\ntheme: {name: material, custom_dir: docs/theme}\n",
    "docs/index.md": "# Home\n\n![a](img/a.png), [tour](guide/tour.md#steps)\n",
    "docs/guide/tour.md": "# Tour\n\n## Steps\n",
    "docs/img/a.png": b"\x89PNG",
    "docs/extra.css": "b {}\n",
    "docs/theme/main.html": '{% extends "base.html" %}\n',
}
SUFFIXES = {
    "mkdocs.yml": f"site_name: Kit\ntheme:\n  name: material\nplugins:\n- search\n- i18n:\n    {ENGLISH_JAPANESE}\n",
    "docs/index.md": "# Home {#home}\n\n![a](img/a.png)\n", "docs/index.ja.md": "# ホーム {#home}\n\n![a](img/a.png)\n",
    "docs/img/a.png": b"\x89PNG", "docs/img/a.ja.png": b"\x89PNG2",
}
FOLDERS = {
    "mkdocs.yml": f"site_name: Kit\ntheme: material\nplugins: [search, i18n: {{docs_structure: folder, "
    f"{ENGLISH_JAPANESE}}}]\n",
    "docs/en/index.md": "# Home {#home}\n", "docs/ja/index.md": "# ホーム {#home}\n",
}
FROM_THE_ROOT = {
    "mkdocs.yml": "site_name: Kit\ntheme: material\nplugins: [search]\nmarkdown_extensions:\n  - pymdownx.superfences\n"
    "  - pymdownx.snippets: {base_path: [.], check_paths: true}\n",
    "docs/index.md": '# Home {#home}\n\n```python\n--8<-- "docs_src/first/sum.py:sum"\n```\n\n--8<-- "NOTES.md"\n',
    "docs_src/first/sum.py": "# --8<-- [start:sum]\ntotal = 1 + 2\n# --8<-- [end:sum]\nprint(total)\n",
    "NOTES.md": "Notes of the project.\n", "tests/test_kit.py": "raise SystemExit('no snippet')\n",
}
TREES = {
    "nothing": {}, "one language": ONE_LANGUAGE, "endings": SUFFIXES, "folders": FOLDERS,
    "includes from the root": FROM_THE_ROOT,
    "pages alone": {"docs/index.md": "# Home {#home}\n"},
    "folders alone": {name: text for name, text in FOLDERS.items() if name != "mkdocs.yml"},
    "endings alone": {name: text for name, text in SUFFIXES.items() if name != "mkdocs.yml"},
    "MkDocs' own start": {"mkdocs.yml": "site_name: My Docs\n", "docs/index.md": "# Welcome {#welcome}\n"},
    "plugins by name": {
        "mkdocs.yml": "site_name: Kit\nplugins:\n  search:\n  # Ours.\n  tags: {}\n\n# More.\nmarkdown_extensions:\n"
        "  toc:\n    permalink: true\n  admonition:  # last\n", "docs/index.md": "# Home {#home}\n"},
    "all on one line": {
        "mkdocs.yml": "{site_name: Kit, plugins: {search: {}}, markdown_extensions: {}, theme: {name: material}}\n",
        "docs/index.md": "# Home {#home}\n"},
    "Windows' line ends": {"mkdocs.yml": "site_name: My Docs\r\n", "docs/index.md": "# Welcome {#welcome}\r\n"},
}


def files(root):
    return {path.relative_to(root).as_posix(): path.read_bytes() for path in root.rglob("*") if path.is_file()}


def init(capsys, root, *arguments):
    """The exit status, and what was printed."""
    status = main(["init", "--root", str(root), *arguments])
    return status, capsys.readouterr()


@pytest.mark.parametrize("name", TREES)
def test_a_site_in_three_languages_stands_and_a_second_run_changes_nothing(capsys, tmp_path, name):
    root = write(tmp_path / "kit", TREES[name])
    root.mkdir(exist_ok=True)
    before = files(root)
    assert init(capsys, root, "--languages", "ja,zh-TW")[0] == 0
    assert files(root) == before
    status, said = init(capsys, root, "--languages", "ja,zh-TW", "--write")
    assert (status, said.err) == (0, "")
    after = files(root)
    status, said = init(capsys, root, "--languages", "ja,zh-TW", "--write")
    assert "nothing to write" in said.out
    assert files(root) == after
    built = build(root, "--strict")
    assert built.status == 0, built.said
    assert (built.site / "ja/index.html").is_file()
    assert (built.site / "zh-TW/index.html").is_file()
    assert main(["run", "--root", str(root)]) == 0
    assert main(["check", "--root", str(root)]) == 0  # pages that nobody has begun are notes
    assert " error " not in capsys.readouterr().out
    main(["status", "--root", str(root), "--format", "json"])
    assert "zh-TW" in capsys.readouterr().out


def test_a_first_page_shows_code_that_ran(capsys, tmp_path):
    init(capsys, tmp_path, "--write")
    assert "greet" in build(tmp_path).page("index.html")


def test_what_a_person_wrote_stays(capsys, tmp_path):
    write(tmp_path, ONE_LANGUAGE)
    init(capsys, tmp_path, "--languages", "ja", "--write")
    text = (tmp_path / "mkdocs.yml").read_text(encoding="utf-8")
    kept = iter(text.splitlines())
    assert all(line in kept for line in ONE_LANGUAGE["mkdocs.yml"].splitlines())
    after = files(tmp_path)
    assert {name: after[name] for name in ("docs/en/index.md", "docs/en/extra.css", "docs/theme/main.html")} == {
        f"docs/{place}": ONE_LANGUAGE[f"docs/{name}"].encode() for place, name in (
            ("en/index.md", "index.md"), ("en/extra.css", "extra.css"), ("theme/main.html", "theme/main.html"))
    }
    assert "docs/en/guide/tour.md" in after


def test_endings_become_folders(capsys, tmp_path):
    write(tmp_path, SUFFIXES)
    init(capsys, tmp_path, "--write")
    after = files(tmp_path)
    assert after["docs/ja/index.md"] == SUFFIXES["docs/index.ja.md"].encode()
    assert after["docs/ja/img/a.png"] == SUFFIXES["docs/img/a.ja.png"]
    assert after["docs/en/img/a.png"] == SUFFIXES["docs/img/a.png"]
    assert not (tmp_path / "docs/img").exists()


def test_a_language_joins_a_project_that_is_set_up(capsys, tmp_path):
    init(capsys, tmp_path, "--languages", "ja", "--write")
    write(tmp_path, {"docs/glossary.yml": "- term: Adam\n  treatment: keep\n"})
    before = files(tmp_path)
    said = init(capsys, tmp_path, "--languages", "ja,ko", "--write")[1].out
    assert "set up already" in said
    after = files(tmp_path)
    assert {name for name in after if before.get(name) != after[name]} == {
        "mkdocs.yml", "docs/glossary.yml", "translations/ko.txt", "translations/strings-ko.yml"}
    listed = read_settings(tmp_path / "mkdocs.yml")["plugins"][1]["i18n"]["languages"]
    assert [entry["locale"] for entry in listed] == ["en", "ja", "ko"]


FOREIGN = {
    "FastAPI": ({"docs/en/docs/index.md": "# A {#a}\n", "docs/ja/docs/index.md": "# あ {#a}\n",
                 "docs/en/mkdocs.yml": "markdown_extensions: [attr_list]\n"},
                "docs/{lang}/docs/{page}.md"),
    "MCP": ({"mkdocs.yml": "site_name: x\nmarkdown_extensions: [attr_list]\n", "docs/index.md": "# A {#a}\n",
             "i18n/ja/pages/index.md": "# あ {#a}\n"},
            "i18n/{lang}/pages/{page}.md"),
}
HUGGING_FACE = {
    "docs/source/en/_toctree.yml": "- {local: index, title: Kit}\n- {local: tour, title: Tour}\n",
    "docs/source/en/index.md": "# Kit\n\n<Tip>\n\nRead the [tour](./tour#steps).\n\n</Tip>\n",
    "docs/source/en/tour.md": "# Tour\n\n## Steps\n\nThe steps to take.\n",
    "docs/source/ja/_toctree.yml": "- {local: index, title: キット}\n",
    "docs/source/ja/index.md": "# キット\n\n<Tip>\n\n[ツアー](./tour#steps)を読みます。\n\n</Tip>\n",
}


@pytest.mark.parametrize("name", FOREIGN)
def test_a_language_begins_in_a_tree_that_other_tools_make_a_site_of(capsys, tmp_path, name):
    tree, says = FOREIGN[name]
    root = write(tmp_path / "kit", tree)
    before = files(root)
    status, said = init(capsys, root, "--languages", "ko", "--write")
    assert status == 0
    assert says in said.out
    after = files(root)
    assert after.keys() - before.keys() == {"translations/ko.txt"}
    assert {path: after[path] for path in before} == before
    assert "nothing to write" in init(capsys, root, "--languages", "ko", "--write")[1].out
    assert files(root) == after
    assert json.loads(init(capsys, root, "--format", "json")[1].out)["files"] == []
    main(["status", "--root", str(root), "--format", "json"])
    assert "ko" in capsys.readouterr().out
    exported = ["export", "--root", str(root), "index", "--format", "po", "--language", "ko", "--output", str(tmp_path)]
    assert main(exported) == 0
    file = tmp_path / "ko/index.po"
    file.write_text(file.read_text(encoding="utf-8").replace('msgid "A"\nmsgstr ""', 'msgid "A"\nmsgstr "가"'), "utf-8")
    assert main(["import", "--root", str(root), str(file), "--write"]) == 0
    assert main(["check", "--root", str(root)]) == 0


def test_a_foreign_tree_is_converted_and_set_up_by_the_commands_that_are_named(capsys, tmp_path, monkeypatch):
    root = write(tmp_path / "kit", HUGGING_FACE)
    before = files(root)
    monkeypatch.chdir(root)
    status, said = init(capsys, root, "--languages", "ko", "--write")
    assert (status, files(root)) == (0, before)
    following = [line.removeprefix("next: ") for line in said.out.splitlines() if line.startswith("next: ")]
    assert following[-1] == "mkdocs serve"
    for command, *arguments in map(str.split, following[:-1]):
        if command == "cd":
            monkeypatch.chdir(arguments[0])
        else:
            assert main(arguments) == 0
    site = tmp_path / "kit-site"
    assert (site / "snippets/hello/greet.py").is_file()
    assert "nothing to write" in init(capsys, site, "--languages", "ko", "--write")[1].out
    built = build(site, "--strict")
    assert built.status == 0, built.said
    assert 'href="tour/#steps"' in built.page("ja/index.html")
    assert main(["check", "--root", str(site)]) == 0  # pages that nobody has begun are notes
    assert " error " not in capsys.readouterr().out
    main(["status", "--root", str(site), "--format", "json"])
    assert "ko" in capsys.readouterr().out


GENERATED = {
    "Starlight": {"astro.config.mjs": "export default {}\n", "package.json": "{}\n",
                  "src/content/docs/index.mdx": "# A\n", "src/content/docs/guides/a.mdx": "# B\n"},
    "Starlight in docs": {"package.json": "{}\n", "docs/astro.config.mjs": "export default {}\n",
                          "docs/package.json": "{}\n", "docs/src/content/docs/index.md": "# A\n"},
    "VitePress": {"package.json": "{}\n", "docs/.vitepress/config.mts": "export default {}\n",
                  "docs/index.md": "# A\n", "docs/package.json": "{}\n"},
    "VitePress in folders": {"docs/.vitepress/config.js": "", "docs/en/a.md": "# A\n", "docs/zh/a.md": "# 一\n"},
    "VitePress in a workspace": {"package.json": "{}\n", "packages/kit/index.ts": "", "packages/docs/index.md": "# A\n",
                                 "packages/docs/.vitepress/config/index.ts": "", "packages/docs/zh/index.md": "# 一\n"},
    "Docusaurus": {"docusaurus.config.ts": "export default {}\n", "docs/intro.md": "# A\n", "src/x.js": ""},
    "Docusaurus beside its pages": {"website/docusaurus.config.js": "", "docs/intro.md": "# A\n"},
    "Next.js": {"next.config.js": "", "docs/a.mdx": "# A\n"},
    "Hugo": {"hugo.toml": "", "content/a b.md": "# A\n", "docs/b.md": "# B\n"},
    "mdBook": {"book.toml": "", "src/SUMMARY.md": "# Summary\n"},
    "Sphinx": {"docs/conf.py": "", "docs/index.md": "# A\n"},
}


@pytest.mark.parametrize("name", GENERATED)
def test_a_site_of_another_generator_is_named_and_left(capsys, tmp_path, monkeypatch, name):
    root = write(tmp_path / "a kit", GENERATED[name])
    before = files(root)
    status, said = init(capsys, root, "--languages", "ja", "--write")
    assert (status, said.out, said.err.count("\n"), files(root)) == (2, "", 1, before)
    assert f"is a {name.split()[0]} site" in said.err
    command = shlex.split(said.err.partition("use check, status and translate on it: ")[2])
    assert command[:2] == ["hexapla", "check"]
    monkeypatch.chdir(tmp_path)
    assert main(command[1:]) in {0, 1}
    assert main(["status", *command[2:]]) == 0
    capsys.readouterr()


def test_a_site_of_another_generator_without_pages_is_left_too(capsys, tmp_path):
    root = write(tmp_path / "kit", {"hugo.yaml": "", "docs/a.md": "# A\n"})
    status, said = init(capsys, root, "--write")
    assert (status, "is a Hugo site" in said.err, "hexapla check" in said.err) == (2, True, False)
    assert files(root).keys() == {"hugo.yaml", "docs/a.md"}


def test_a_language_that_the_theme_has_no_words_for_is_built(capsys, tmp_path):
    init(capsys, tmp_path, "--languages", "ne", "--write")
    assert '<html lang="ne"' in build(tmp_path, "--strict").page("ne/index.html")


STOPS = {
    "no folder": (None, (), "is no folder"),
    "no code": ({}, ("--languages", "japanese"), "is no code of a language"),
    "no name": ({}, ("--languages", "aa-XY"), "hexapla add-language aa-XY --name"),
    "a region in lower case": ({}, ("--languages", "pt-br"), "write it as ko or pt-BR"),
    "another theme": ({"mkdocs.yml": "theme: readthedocs\n"}, (), "mkdocs.yml:1: the theme is readthedocs"),
    "a theme of its own": ({"mkdocs.yml": "theme: {name: null, custom_dir: x}\n"}, (), "the theme is null"),
    "inherited": ({"mkdocs.yml": "INHERIT: ../base.yml\n"}, (), "INHERIT"),
    "no YAML": ({"mkdocs.yml": "a: [\n"}, (), "is not YAML"),
    "all in braces": ({"mkdocs.yml": "{site_name: x, plugins: [search]}\n", "docs/a.md": "# A\n"}, (), "one pair of"),
    "plugins empty": ({"mkdocs.yml": "plugins:\n"}, (), "mkdocs.yml:1: `plugins` is empty"),
    "plugins by reference": ({"mkdocs.yml": "plugins: !ENV [A, B]\n"}, (), "`plugins` is neither a list nor"),
    "an old i18n": ({"mkdocs.yml": "plugins: [i18n: {languages: {en: English}}]\n"}, (), "version 1"),
    "half moved": ({"mkdocs.yml": "site_name: x\n", "docs/a.md": "# A\n", "docs/en/b.md": "# B\n"}, (), "docs/en: is"),
    "docs_dir above": ({"mkdocs.yml": "docs_dir: ../x\n"}, (), "docs_dir is '../x'"),
    "docs_dir here": ({"mkdocs.yml": "docs_dir: .\n", "a.md": "# A\n"}, (), "docs_dir is '.'"),
    "includes from outside": (
        {"mkdocs.yml": "markdown_extensions: [pymdownx.snippets: {base_path: [., ../x]}]\n", "docs/a.md": "# A\n"}, (),
        "which lies outside of the project"),
    "Zensical's": ({"mkdocs.yml": "markdown_extensions: {zensical.extensions.macros: }\n", "docs/a.md": "# A\n"}, (),
                   "names zensical.extensions.macros, which Zensical has"),
    "an include that would move": (
        {"mkdocs.yml": "site_name: x\nmarkdown_extensions: [pymdownx.snippets]\n", "docs/b/c.md": "# C\n",
         "docs/a.md": '# A\n\n--8<-- "docs/b/x.txt"\n', "docs/b/x.txt": "x"}, (),
        "docs/a.md:3: includes docs/b/x.txt, which would move"),
    "an included page that would move": (
        {"mkdocs.yml": "site_name: x\n", "docs/a.md": '# A\n\n--8<-- "docs/b/x.md"\n', "docs/b/x.md": "x\n"}, (),
        "docs/a.md:3: includes docs/b/x.md, which would move"),
    "two for one place": ({**SUFFIXES, "docs/ja/index.md": "# B\n"}, (), "would become docs/ja/index.md"),
}


@pytest.mark.parametrize("name", STOPS)
def test_what_cannot_be_set_up_is_one_sentence_and_nothing_written(capsys, tmp_path, name):
    tree, arguments, says = STOPS[name]
    root = tmp_path / "kit"
    if tree is not None:
        root.mkdir()
        write(root, tree)
    before = files(tmp_path)
    status, said = init(capsys, root, *arguments, "--write")
    assert (status, said.out) == (2, "")
    assert says in said.err
    assert said.err.count("\n") == 1
    assert files(tmp_path) == before


def test_what_is_not_installed_is_named(capsys, tmp_path):
    settings = "plugins: [search, elsewhere]\nmarkdown_extensions: [tables, nowhere.made, pymdownx.keys]\n"
    write(tmp_path, {"mkdocs.yml": f"site_name: x\n{settings}", "docs/index.md": "# A {#a}\n"})
    status, said = init(capsys, tmp_path, "--write")
    assert status == 0
    assert "mkdocs.yml names elsewhere, nowhere.made, not installed here" in said.out


def test_files_that_pages_include_by_their_path_stay(capsys, tmp_path):
    root = write(tmp_path, {
        "mkdocs.yml": "site_name: x\nmarkdown_extensions: [pymdownx.snippets]\n",
        "docs/index.md": '# A {#a}\n\n--8<-- "docs/parts/note.txt"\n\n```python\n--8<-- "docs/code/a.py"\n```\n',
        "docs/parts/note.txt": "Take care.\n", "docs/code/a.py": "print(1)\n", "docs/img/a.txt": "x",
    })
    assert init(capsys, root, "--write")[0] == 0
    assert {path for path in files(root) if path.startswith("docs/")} == {
        "docs/en/index.md", "docs/parts/note.txt", "docs/code/a.py", "docs/en/img/a.txt"}
    built = build(root, "--strict")
    assert built.status == 0, built.said
    assert "Take care." in built.page("index.html")


def test_includes_of_one_folder_stay_where_they_are(capsys, tmp_path):
    write(tmp_path, {
        "mkdocs.yml": "markdown_extensions: [pymdownx.snippets: {base_path: code}]\n", "code/a.py": "print(1)\n",
        "docs/index.md": '# A {#a}\n\n```python\n--8<-- "a.py"\n```\n',
    })
    init(capsys, tmp_path, "--write")
    assert {"hexapla": {"snippets": "code"}} in read_settings(tmp_path / "mkdocs.yml")["plugins"]
    assert not (tmp_path / "snippets").exists()


def test_includes_from_the_root_are_shown_and_their_folder_can_become_that_of_the_snippets(capsys, tmp_path):
    root = write(tmp_path, FROM_THE_ROOT)
    init(capsys, root, "--write")
    page = build(root, "--strict").page("index.html")
    assert "Notes of the project." in page
    assert "source/docs_src/first/sum.py.html" in page
    assert ">Not run yet</summary>" not in page
    settings = (root / "mkdocs.yml").read_text(encoding="utf-8")
    write(root, {"mkdocs.yml": settings.replace("hexapla", "hexapla: {snippets: docs_src}")})
    assert main(["run", "--root", str(root), "--record"]) == 0
    page = build(root, "--strict").page("index.html")
    assert "source/first/sum.py.html" in page
    assert '<samp lang="en">3' in page
    assert main(["check", "--root", str(root)]) == 0


def test_a_write_that_fails_leaves_every_page_where_it_was(capsys, tmp_path, monkeypatch):
    write(tmp_path, ONE_LANGUAGE)
    before = files(tmp_path)

    def full(root, edits):
        raise OSError(28, "No space left on device", "mkdocs.yml")

    monkeypatch.setattr(setup_plan.new_language, "write_files", full)
    assert init(capsys, tmp_path, "--write")[0] == 2
    assert files(tmp_path) == before
    assert not (tmp_path / "docs/en").exists()


def test_a_commit_is_asked_for_once_there_is_none(capsys, tmp_path):
    assert "no commit of git here" in init(capsys, tmp_path)[1].out
    git(tmp_path, "init")
    git(tmp_path, "commit", "--allow-empty", "-m", "x")
    assert "no commit of git here" not in init(capsys, tmp_path)[1].out


def test_the_settings_made_are_yaml(capsys, tmp_path):
    init(capsys, tmp_path, "--languages", "zh-TW", "--write")
    assert yaml.safe_load((tmp_path / "mkdocs.yml").read_text(encoding="utf-8"))["site_name"] == tmp_path.name
