"""The table of what ran where is the evidence and nothing else; each snippet can be downloaded as a notebook."""

import json

import pytest
from hexapla.config.project import load_project
from hexapla.examples.evidence import Evidence, Hardware, Run, Status, dump_evidence
from hexapla.examples.snippet import open_snippets
from selectolax.lexbor import LexborHTMLParser as HTMLParser

from tests.site.project import build, lay, write

PAGE = '# Where {#where}\n\n<div data-hexapla="what-ran-where"></div>\n'
SHOWN = PAGE + '\n```python\n--8<-- "demo/skipped.py"\n--8<-- "demo/failed.py"\n```\n'
BLOCK = '# In place {#in-place}\n\n``` { .python run="sum_up" }\nprint(1 + 2)\n```\n'
PYPROJECT = """\
[tool.hexapla.runners]
cpu = {}
old = {environment = "old"}
gpu = {device = "gpu"}
"""
NAV = "nav: [demo.md, index.md, where.md]\n"
OLD = 'import pytest\npytestmark = pytest.mark.env("old")\n'
NAMES = ("add", "changed", "failed", "new", "old", "partly", "skipped")
LEFT_OUT = "3\nNo snapshot: it needs CUDA, and PyTorch finds none here"


def run(status, source, **more):
    versions = {"python": "3.11", "torch": "9.9"}
    given = {"output": "3"} | more
    return Run(status, source, "2026-01-02", seconds=0.1, peak_memory_bytes=1, versions=versions, **given)


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    root = lay(tmp_path_factory.mktemp("where"), {
        "pyproject.toml": PYPROJECT, "docs/en/where.md": SHOWN, "docs/zh/where.md": SHOWN,
        "docs/en/demo.md": BLOCK, "docs/zh/demo.md": BLOCK.replace("In place", "就地"),
        **{f"snippets/demo/{name}.py": f'"""About {name}."""\nprint(1)\n' for name in NAMES[1:]},
        **{f"tests/snippets/demo/test_{name}.py": OLD if name == "old" else "" for name in NAMES},
    })
    settings = (root / "mkdocs.yml").read_text()
    (root / "mkdocs.yml").write_text(settings.replace("hexapla: {", "hexapla: {run_blocks: true, ")
                                    .replace("gpu: GPU}", "gpu: GPU, tpu: TPU}") + NAV)
    code = open_snippets(load_project(root))
    runs = {
        "demo/add.py": run(Status.RAN, code.hash("demo/add.py")),
        "demo/changed.py": run(Status.RAN, "sha256:of before"),
        "demo/failed.py": run(Status.FAILED, code.hash("demo/failed.py"), reason="raised <Error>"),
        "demo/partly.py": run(Status.RAN, code.hash("demo/partly.py"), output=LEFT_OUT),
        "demo/skipped.py": run(Status.SKIPPED, code.hash("demo/skipped.py"), reason="needs two devices"),
        "demo#sum_up.py": run(Status.RAN, code.hash("demo#sum_up.py")),
        "demo/gone.py": run(Status.RAN, "sha256:of no snippet"),
    }
    machine = Hardware("cpu", "Demo(R) CPU 9 Processor", 2, 1)
    gpu = Evidence(Hardware("gpu", "Demo GPU", 1, 1), {"demo/add.py": runs["demo/add.py"]})
    write(root, {
        "snippets/evidence/cpu-demo-9.json": dump_evidence(Evidence(machine, runs)),
        "snippets/evidence/gpu-demo-gpu.json": dump_evidence(gpu),
    })
    built = build(root)
    assert built.status == 0, built.said
    return built


def table(site, page):
    """The table's rows as texts, the name of the technique first."""
    rows = HTMLParser(site.page(page)).css(".hx-where tr")
    return [[cell.text(strip=True) for cell in row.css("th, td")] for row in rows]


def legend(site, page):
    return [each.text(strip=True) for each in HTMLParser(site.page(page)).css(".hx-where__legend span")]


def test_every_cell_says_what_the_evidence_says(site):
    assert table(site, "where/index.html") == [
        ["Technique", "Demo CPU 92 of 8 ran", "Demo GPU1 of 8 ran"],
        ["In place"],  # the page that it stands in, which has the same name as the snippets' folder
        ["sum_up", "Ran on 2026-01-02 with torch 9.9", "Not run yet"],
        ["Where"],  # the page that shows most of them; they follow one another as in the navigation
        ["About skippeddemo/skippedNotebook", "Skipped on 2026-01-02 because: needs two devices", "Not run yet"],
        ["About faileddemo/failedNotebook", "Failed on 2026-01-02: raised <Error>", "Not run yet"],
        ["demo/addNotebook", "Ran on 2026-01-02 with torch 9.9", "Ran on 2026-01-02 with torch 9.9"],  # on another page
        ["About changeddemo/changedNotebook", "Changed since it ran on 2026-01-02", "Not run yet"],
        ["About newdemo/newNotebook", "Not run yet", "Not run yet"],
        ["About olddemo/oldNotebook", "Not run yet", "–"],
        ["About partlydemo/partlyNotebook",
         "Ran on 2026-01-02 with torch 9.9, without the part that needs CUDA", "Not run yet"],
    ]
    assert legend(site, "where/index.html") == [
        "Ran", "Partly", "Failed", "Skipped", "Changed since", "Not run yet", "– Not for this hardware",
    ]
    assert "TPU: not run yet" in HTMLParser(site.page("where/index.html")).css_first(".hx-where__summary").text()


@pytest.mark.parametrize(("language", "said"), [("zh", "尚未运行"), ("zh-Hant", "尚未執行")])
def test_each_language_says_it_in_its_words(site, language, said):
    rows = table(site, f"{language}/where/index.html")
    assert rows[8][1] == said and said in legend(site, f"{language}/where/index.html")
    assert "2026-01-02" in rows[7][1]
    assert "2026-01-02" in HTMLParser(site.page(f"{language}/where/index.html")).css_first(".hx-where__summary").text()


def test_a_reason_is_shown_when_its_sign_is_pressed(site):
    page = HTMLParser(site.page("where/index.html"))
    reasons = {"failed": "raised <Error>", "partly": "the part that needs CUDA", "skipped": "needs two devices"}
    for state, reason in reasons.items():
        (cell,) = page.css(f"td.hx-where__{state}")
        button, said = cell.css_first("button"), cell.css_first("[popover]")
        assert button.attributes["popovertarget"] == said.attributes["id"]
        assert button.attributes["title"] == said.text() and said.text().endswith(reason)
    ids = [each.attributes["id"] for each in page.css(".hx-where [id]")]
    assert len(ids) == len({*ids})


@pytest.mark.parametrize(("language", "title"), [("", "In place"), ("zh/", "就地")])
def test_the_contents_list_the_groups_below_the_heading_of_the_table(site, language, title):
    page = HTMLParser(site.page(f"{language}where/index.html"))
    links = page.css(".md-sidebar--secondary a.md-nav__link")
    listed = {each.attributes["href"]: each.text(strip=True) for each in links}
    assert listed.pop("#where-demo") and listed == {"#where-demo-page": title}
    for each in ("where-demo", "where-demo-page"):
        assert page.css_first(f"th[scope=rowgroup]#{each}")


def test_every_snippet_has_its_source_and_its_notebook_to_download(site):
    for name in NAMES:
        notebook = json.loads(site.page(f"notebooks/demo/{name}.ipynb"))
        assert f"demo/{name}.py" in "".join(notebook["cells"][0]["source"])
        assert site.page(f"source/demo/{name}.py.html")
    page = HTMLParser(site.page("zh/index.html"))
    links = [link.attributes["href"] for link in page.css(".hx-run__source a[download]")]
    assert links == ["../notebooks/demo/add.ipynb"]


def test_the_same_evidence_gives_the_same_site(site, tmp_path):
    kept = {file: file.read_bytes() for file in (site.root / "site/notebooks").rglob("*.ipynb")}
    page = site.page("where/index.html")
    assert len(kept) == len(NAMES)
    assert build(site.root).status == 0
    assert {file: file.read_bytes() for file in kept} == kept
    assert table(site, "where/index.html") == [
        [cell.text(strip=True) for cell in row.css("th, td")] for row in HTMLParser(page).css(".hx-where tr")
    ]


def test_a_page_without_the_placeholder_has_no_table(site):
    assert "hx-where" not in site.page("index.html")


def test_a_placeholder_that_is_written_otherwise_stops_a_build(tmp_path):
    built = build(lay(tmp_path, {"docs/en/where.md": PAGE.replace("></div>", "> </div>")}))
    assert built.status == 1
    assert "a part of the page is missing" in built.said
    assert "Traceback" not in built.said
