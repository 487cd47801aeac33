"""`hexapla convert` on trees: what it writes, what it says, and what stops it."""

import json
import os
import subprocess
import sys

import pytest
import yaml
from hexapla.cli import main

from tests.hang_limit import HANG
from tests.site.project import write

REFERENCE = "https://huggingface.co/docs/kit/main/en"
TREE = {
    "en/_toctree.yml": """\
- title: Get started
  sections:
  - {local: index, title: Home}
  - {local: guides/tour, title: Tour}
- {local: trainer, title: Trainer}
""",
    "zh/_toctree.yml": """\
- title: 开始
  sections:
  - {local: index, title: 首页}
  - {local: guides/tour, title: 导览}
""",
    "en/index.md": """\
<!--Copyright-->

# Home

Use [`~Trainer.train`], then see [the tour](./guides/tour#first-steps).

<Tip>

Take care.

</Tip>

<hfoptions id="install">
<hfoption id="pip">

```bash
pip install kit
```

</hfoption>
<hfoption id="uv">

Text.

</hfoption>
</hfoptions>
""",
    "en/guides/tour.md": "# Tour\n\n## First steps\n\n[home](../index), [here](#first-steps), ![a](../a.png)\n",
    "en/trainer.md": "# Trainer\n\n[[autodoc]] Trainer\n\t- train\n",
    "en/a.png": b"\x89PNG",
    "zh/index.md": "# 首页\r\n\r\n先用[`~Trainer.train`]，再看[导览](./guides/tour#第一步)。\r\n",
    "zh/guides/tour.md": "# 导览[[the-tour]]\n\n## 第一步\n\n[首页](../index)、[这里](#第一步)、![a](../a.png)\n",
}


def converted(capsys, *arguments):
    """The exit status, and what was printed."""
    status = main(["convert", *map(str, arguments)])
    return status, capsys.readouterr()


def files(root):
    return {path.relative_to(root).as_posix(): path.read_bytes() for path in root.rglob("*") if path.is_file()}


def test_nothing_is_written_without_write(capsys, tmp_path):
    status, said = converted(capsys, write(tmp_path / "theirs", TREE), tmp_path / "ours")
    assert status == 1  # the reference of Trainer has no address here
    assert "nothing was written; write it with --write" in said.out
    assert sorted(path.name for path in tmp_path.iterdir()) == ["theirs"]


def test_a_tree_comes_over_and_goes_back_byte_for_byte(capsys, tmp_path):
    theirs, ours, again = write(tmp_path / "theirs", TREE), tmp_path / "ours", tmp_path / "again"
    status, said = converted(capsys, theirs, ours, "--reference", REFERENCE, "--write")
    assert (status, said.err) == (0, "")
    assert "pages: en 3, zh 2; 9 files written" in said.out
    chinese = (ours / "docs/zh/guides/tour.md").read_text(encoding="utf-8")
    assert '# 导览 {#tour data-id="[[the-tour]]"}' in chinese
    assert "## 第一步 {#first-steps}" in chinese
    assert "[首页](../index.md)、[这里](#first-steps)" in chinese
    assert "](./guides/tour.md#first-steps)" in (ours / "docs/zh/index.md").read_text(encoding="utf-8")
    assert converted(capsys, ours, again, "--to", "doc-builder", "--write")[0] == 0
    assert files(again) == files(theirs)


def test_the_site_builds_strictly_with_titles_in_each_language(capsys, tmp_path):
    ours = tmp_path / "ours"
    whole = TREE | {"zh/index.md": TREE["zh/index.md"] + "\r\n```bash\r\npip install kit\r\n```\r\n"}
    converted(capsys, write(tmp_path / "theirs", whole), ours, "--reference", REFERENCE, "--write")
    built = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "-q"], cwd=ours, capture_output=True, text=True,
        env={**os.environ, "NO_MKDOCS_2_WARNING": "1"}, timeout=HANG, check=False,
    )
    assert (built.returncode, built.stderr) == (0, "")
    home = (ours / "site/index.html").read_text(encoding="utf-8")
    assert f'<a class="api" href="{REFERENCE}/trainer#kit.Trainer.train"><code>train</code></a>' in home
    assert '<div class="admonition tip component">' in home
    assert '<label for="__tabbed_1_2">uv</label>' in home
    chinese = (ours / "site/zh/guides/tour/index.html").read_text(encoding="utf-8")
    assert "开始" in chinese
    assert 'href="#first-steps"' in chinese
    assert main(["check", "--root", str(ours), "--languages", "zh"]) in {0, 1}
    assert "link-target-missing" not in capsys.readouterr().out


def test_what_is_not_brought_over_has_its_place(capsys, tmp_path):
    tree = TREE | {
        "en/trainer.md": "# T\n\n<Tip>\n\nOpen.\n\n[x](nowhere) [`None`]\n", "en/notes.js": "x",
        "en/live.svg": "<svg><script/></svg>", "en/still.svg": "<svg/>", "en/data.csv": "a,b\n",
        "en/_toctree.yml": TREE["en/_toctree.yml"] + "- {}\n", "zh/index.md": "# 首\n\n## 二\n",
    }
    status, said = converted(capsys, write(tmp_path / "theirs", tree), tmp_path / "ours", "--format", "json",
                             "--reference", REFERENCE)
    report = json.loads(said.out)
    assert (status, report["schema"], report["written"]) == (1, 1, False)
    places = {(note["kind"], note["path"], note["line"]) for note in report["notes"]}
    assert places >= {
        ("unclosed", "en/trainer.md", 3), ("link-unknown", "en/trainer.md", 7),
        ("reference-unknown", "en/trainer.md", 7), ("file", "en/notes.js", 1), ("heading-alone", "zh/index.md", 3),
        ("file", "en/live.svg", 1), ("toctree", "en/_toctree.yml", TREE["en/_toctree.yml"].count("\n") + 1),
    }
    assert not {path for kind, path, _ in places if kind == "file"} & {"en/still.svg", "en/data.csv"}


def test_an_entry_without_a_title_has_its_page_s(capsys, tmp_path):
    tree = TREE | {"en/_toctree.yml": "- local: index\n- sections:\n  - {local: trainer, title: Training}\n",
                   "en/plot.svg": "<svg/>"}
    status, _ = converted(capsys, write(tmp_path / "theirs", tree), tmp_path / "ours", "--write")
    assert status in {0, 1}
    settings = (tmp_path / "ours/mkdocs.yml").read_text(encoding="utf-8")
    assert yaml.safe_load(settings[settings.index("nav:"):])["nav"][:2] == ["index.md", {"Training": "trainer.md"}]
    assert (tmp_path / "ours/docs/en/plot.svg").read_text(encoding="utf-8") == "<svg/>"


STOPS = {
    "converted already": (
        {"zh/index.md": "# 首页\n\n!!! tip\n    x\n"}, "zh/index.md:3: '!!! t' is this site's own Markdown"),
    "an id of ours": ({"zh/index.md": "# 首页 {#home}\n"}, "zh/index.md:1: '# 首页 {#home}' is this site's own"),
    "no page named": ({"en/_toctree.yml": "- title: Empty\n"}, "en/_toctree.yml: names no page"),
    "no list": ({"en/_toctree.yml": "title: x\n"}, "en/_toctree.yml: holds no list of pages"),
    "no YAML": ({"en/_toctree.yml": "- [\n"}, "en/_toctree.yml:2:1: is not YAML"),
    "endless": (
        {"en/_toctree.yml": "- &a\n  title: x\n  sections: [*a]\n"},
        "en/_toctree.yml:3:14: is not YAML (the alias *a stands in what it names); correct it"),
    "no UTF-8": ({"en/index.md": b"\xff"}, "index.md: is not UTF-8 at byte 0"),
    "two endings": ({"en/index.mdx": "x"}, "there is a page of this name with another ending"),
    "a script nobody can take out": (
        {"en/index.md": '<a title=">" onclick="go()">x</a>\n'}, "en/index.md:1: <a> onclick would run a script"),
}


@pytest.mark.parametrize("name", STOPS)
def test_a_tree_that_cannot_be_converted_is_one_sentence_and_nothing_written(capsys, tmp_path, name):
    tree, says = STOPS[name]
    status, said = converted(capsys, write(tmp_path / "theirs", TREE | tree), tmp_path / "ours", "--write")
    assert status == 2
    assert says in said.err
    assert said.err.count("\n") == 1
    assert not (tmp_path / "ours").exists()


def test_folders_that_cannot_be_are_refused(capsys, tmp_path):
    theirs = write(tmp_path / "theirs", TREE)
    for arguments, says in [
        ((theirs, theirs / "zh"), "is not empty; name a folder that does not exist yet"),
        ((theirs, theirs / "ours"), "lies inside"),
        ((tmp_path / "none", tmp_path / "ours"), "is no folder"),
        ((theirs, tmp_path / "ours", "--source", "ja"), "has no pages in ja; name the source language with --source"),
    ]:
        status, said = converted(capsys, *arguments, "--write")
        assert (status, said.err.count("\n")) == (2, 1)
        assert says in said.err


def test_one_language_may_stand_alone(capsys, tmp_path):
    alone = {path.removeprefix("en/"): content for path, content in TREE.items() if path.startswith("en/")}
    assert converted(capsys, write(tmp_path / "theirs", alone), tmp_path / "ours", "--write")[0] == 1
    assert (tmp_path / "ours/docs/en/guides/tour.md").is_file()


def test_a_link_out_of_the_tree_is_left_out(capsys, tmp_path):
    theirs = write(tmp_path / "theirs", TREE)
    write(tmp_path, {"secret.md": "# Secret\n"})
    (theirs / "en/leak.md").symlink_to(tmp_path / "secret.md")
    assert "en/leak.md:1: link-outside" in converted(capsys, theirs, tmp_path / "ours", "--write")[1].out
    assert not (tmp_path / "ours/docs/en/leak.md").exists()


def test_a_write_that_fails_leaves_nothing(capsys, tmp_path, monkeypatch):
    def full(*given):
        raise OSError(28, "No space left on device", "page")

    theirs = write(tmp_path / "theirs", TREE)
    monkeypatch.setattr("pathlib.Path.replace", full)
    status, said = converted(capsys, theirs, tmp_path / "ours", "--write")
    assert status == 2
    assert "ours: No space left on device" in said.err
    assert sorted(path.name for path in tmp_path.iterdir()) == ["theirs"]
