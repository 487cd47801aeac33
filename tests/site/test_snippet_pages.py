"""What belongs to a snippet: its source as a page, the whole program, and where Colab opens its notebook."""

import subprocess
import sys

import pytest
from hexapla.examples.snippet import Snippets
from hexapla.site.page.line_breaks import break_cells, keep_options_whole, remove_cjk_line_breaks
from hexapla.site.page.snippet_pages import code_lines, colab_root, make_program
from selectolax.lexbor import LexborHTMLParser

from tests.site.project import CONFIG, build, git, lay, write

FILES = {
    "snippets/demo/_sums.py": '# --8<-- [start:all]\nNAME = "a \'quoted\' \\\\ name"\n\n\ndef add(one, other):\n'
                              '    """Add."""\n    return one + other\n# --8<-- [end:all]\n',
    "snippets/demo/use.py": '"""Use."""\nfrom _sums import NAME, add\n\nprint(add(1, 2), NAME)\n',
    "snippets/other/_more.py": "from sizes import SIZE as SIZE\n",
    "snippets/other/sizes.py": "SIZE = 5\n",
    "snippets/demo/far.py": 'import sys\nfrom pathlib import Path\n\n'
                            'sys.path.append(str(Path(__file__).parent.parent / "other"))\n'
                            "from _more import SIZE\n\nprint(SIZE)\n",
    "snippets/other/data.txt": "6\n",
    "snippets/other/count.py": 'from pathlib import Path\n\n'
                               'COUNT = int(Path(__file__).with_name("data.txt").read_text())\n',
    "snippets/other/read.py": '"""Count."""\nfrom count import COUNT\n\nprint(__doc__, COUNT)\n',
    "snippets/demo/alone.py": "# --8<-- [start:part]\nprint(7)\n# --8<-- [end:part]\n",
}


@pytest.fixture
def run_whole(tmp_path):
    """Runs the whole program of a snippet in an empty folder: what it prints, and the files that are there then."""
    def run(path):
        folder = tmp_path / "empty"
        folder.mkdir(exist_ok=True)
        name = path.rpartition("/")[2]
        (folder / name).write_text(make_program(path, snippets), encoding="utf-8")
        ended = subprocess.run([sys.executable, name], cwd=folder, capture_output=True, text=True, check=True)
        return ended.stdout, {file.name for file in folder.iterdir() if file.is_file()}

    snippets = Snippets(write(tmp_path / "project", FILES) / "snippets")
    return run


def test_a_whole_program_runs_in_an_empty_folder_and_again(run_whole):
    for _ in range(2):
        assert run_whole("demo/use.py")[0] == "3 a 'quoted' \\ name\n"


def test_a_whole_program_has_what_it_imports_from_other_folders(run_whole):
    assert run_whole("demo/far.py")[0] == "5\n"


def test_a_whole_program_has_its_docstring_and_the_data_of_its_helpers(run_whole):
    assert run_whole("other/read.py") == ("Count. 6\n", {"read.py", "count.py", "data.txt"})


def test_a_program_without_helpers_is_its_source_without_markers(tmp_path):
    assert make_program("demo/alone.py", Snippets(write(tmp_path, FILES) / "snippets")) == "print(7)\n"


def test_each_line_of_a_source_is_itself_also_inside_a_long_string():
    lines = [*code_lines("a.py", '"""One\n\ntwo <b>"""\nx = 1  # end')]
    assert [line.split(">")[0] for line in lines] == [f'<span id="L-{number}"' for number in range(1, 5)]
    assert "two &lt;b&gt;" in lines[2]
    assert all(line.count("<span") == line.count("</span>") for line in lines)


def test_the_markers_of_a_source_are_left_out_and_not_counted():
    lines = [*code_lines("a.py", "# --8<-- [start:a]\nx = 1\n    # --8<-- [end:a]\ny = 2\n")]
    assert [line.partition(">")[0] for line in lines] == ['<span id="L-1"', '<span id="L-2"']


@pytest.mark.parametrize(("repo", "root"), [
    ("https://github.com/own/name", "https://colab.research.google.com/github/own/name/blob/gh-pages/"),
    ("https://github.com/own/name.git/", "https://colab.research.google.com/github/own/name/blob/gh-pages/"),
    ("https://gitlab.example/own/name", ""), ("", ""),
])
def test_colab_opens_notebooks_of_sites_that_github_has(repo, root):
    assert colab_root(repo, "gh-pages") == root


def test_with_a_repository_pages_link_to_it_and_are_edited_where_they_come_from(tmp_path):
    config = CONFIG.replace("theme: {name: material, font: false}", "repo_url: https://github.com/own/name\n"
                            "extra: {release: 1.2.3}\n"
                            "theme: {name: material, font: false, features: [content.action.edit]}")
    git(tmp_path, "init", "-q")
    git(tmp_path, "commit", "--allow-empty", "-qm", "begin")
    git(tmp_path, "update-ref", "refs/remotes/origin/trunk", "HEAD")
    git(tmp_path, "symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/trunk")
    built = build(lay(tmp_path, {"mkdocs.yml": config}))
    assert built.status == 0, built.said
    page = built.page("zh-Hant/index.html")
    assert 'href="https://github.com/own/name/edit/trunk/docs/zh/index.md"' in page
    assert 'class="md-source__fact md-source__fact--version">1.2.3<' in page
    assert "colab.research.google.com/github/own/name/blob/gh-pages/notebooks/demo/add.ipynb" in page
    assert "data-md-component=\"source\"" not in page, "the theme's script would ask GitHub for figures"


@pytest.mark.parametrize(("cell", "shown"), [
    ("<td><code>a_long_name=with.more</code></td>",
     "<td><code>a_<wbr>long_<wbr>name=<wbr>with.<wbr>more<wbr></code></td>"),
    ("<td><code>a, &lt;attention_name&gt;</code></td>",
     "<td><code>a, <wbr>&lt;attention_<wbr>name&gt;<wbr></code></td>"),
    ("<td><code>&lt;attn_name&gt;</code></td>", None),
    ("<td><code>v_proj</code> and <code>hexapla check</code></td>", None),
    ("<th scope=row><code>f(x)</code> Llama 3 70B</th>", None),
    ("<td>Llama 3 70B on eight GPUs</td>", None),
])
def test_long_names_in_tables_break_after_a_sign_and_short_cells_do_not(cell, shown):
    page = "<p><code>a_b</code></p><table><tr>{}</tr></table>"
    assert break_cells(page.format(cell)) == page.format(shown or cell)


def test_a_command_for_the_shell_keeps_its_options_and_words_whole_and_other_code_stays():
    page = '<div class="language-{} highlight"><pre><code>x<b> </b>--a-b=c-d <i>-m</i> e-f - \\\n</code></pre></div> -x'
    option = '<span class="hx-option">{}</span>'.format
    shown = page.replace("--a-b", option("--a-b")).replace("-m", option("-m")).replace("e-f", option("e-f"))
    assert keep_options_whole(page.format("bash")) == shown.format("bash")
    assert keep_options_whole(page.format("console")) == shown.format("console")
    assert keep_options_whole(page.format("python")) == page.format("python")


def test_long_code_in_a_cell_breaks_between_its_options(tmp_path):
    page = "| a | b |\n|---|---|\n| x | `hexapla sync PAGE --reviewed-by NAME` |\n"
    built = build(lay(tmp_path, {"mkdocs.yml": CONFIG, "docs/en/index.md": f"# Home\n\n{page}"}))
    assert built.status == 0, built.said
    option = '<span class="hx-option">--reviewed-by</span>'
    shown = f"<code>hexapla <wbr>sync <wbr>PAGE <wbr>{option} <wbr>NAME<wbr></code>"
    assert shown in (built.site / "index.html").read_text(encoding="utf-8")


@pytest.mark.parametrize(("page", "shown"), [
    ("<p><strong>固定。</strong> 把</p>", "<p><strong>固定。</strong>把</p>"),
    ("<p><strong>固定。</strong> GPU</p>", "<p><strong>固定。</strong>GPU</p>"),
    ("<p><strong>固定。</strong>\nGPU</p>", "<p><strong>固定。</strong>GPU</p>"),
    ("<p><strong>Fixed.</strong> The GPU 用 <em>甲</em> GPU</p>", None),
    ("<pre><b>固定。</b> 把</pre>", None),
])
def test_no_gap_is_shown_behind_a_full_width_mark(page, shown):
    assert remove_cjk_line_breaks(page) == (shown or page)


def test_a_source_page_is_in_one_language_whatever_the_last_one_built_is_called(tmp_path):
    config = CONFIG.replace("name: 简体中文}", "name: 简体中文, site_name: 演示}")
    made = build(lay(tmp_path, {"mkdocs.yml": config.replace("繁體中文}", "繁體中文, site_name: 示範}")}))
    bar = LexborHTMLParser(made.page("source/demo/add.py.html")).css_first(".bar")
    assert [bar.css_first(part).text() for part in ("a", "button")] == ["Demo", "English"]
    assert [each.attributes["data-site"] for each in bar.css("[data-front]")] == ["Demo", "演示", "示範"]
