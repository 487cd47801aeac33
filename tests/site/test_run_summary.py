"""What the runs of a page share is said once, and a page about a hardware that nothing ran on says so at its top."""

import pytest
from hexapla.examples.evidence import Evidence, Hardware, Run, Status, dump
from hexapla.examples.snippet import Snippets
from hexapla.site.page.run_summary import is_usual, summarize, versions_text

from tests.site.project import PAGE, build, lay, write

ABOUT_GPUS = "---\nhardware: gpu\n---\n" + PAGE


def run(date, **versions):
    return Run(Status.RAN, "sha256:x", date, seconds=0.1, peak_memory_bytes=1, versions=versions, output="3")


def test_the_summary_is_what_most_runs_have_and_others_are_told_apart():
    known = [run("2026-01-02", torch="2"), run("2026-01-02", torch="2", jax="1"), run("2026-03-04", torch="3")]
    summary = summarize((each, each.versions) for each in known)
    assert (summary.date, versions_text(summary.versions)) == ("2026-01-02", "jax 1, torch 2")
    assert [is_usual(each, each.versions, summary) for each in known] == [True, True, False]


def test_a_run_without_the_named_packages_counts_by_its_first_version():
    only = run("2026-01-02", python="3.11")
    assert versions_text(summarize([(only, {"torch"})]).versions) == "python 3.11"


def built(root, *kinds):
    """A site whose page is about GPUs and whose snippet ran on hardware of these kinds."""
    lay(root, {"docs/en/index.md": ABOUT_GPUS, "docs/zh/index.md": ABOUT_GPUS})
    source = Snippets(root / "snippets").hash("demo/add.py")
    for kind in kinds:
        found = Evidence(Hardware(kind, f"Demo {kind.upper()}", 2, 1), {
            "demo/add.py": run("2026-01-02", torch="9.9")._replace(source=source),
        })
        write(root, {f"snippets/evidence/{kind}-demo.json": dump(found)})
    made = build(root)
    assert made.status == 0, made.said
    return made


@pytest.fixture(scope="module")
def on_cpus(tmp_path_factory):
    return built(tmp_path_factory.mktemp("cpu"), "cpu")


@pytest.mark.parametrize(("page", "said"), [
    ("index.html", "The code on this page ran on Demo CPU (CPU) only, not yet on GPU."),
    ("zh/index.html", "本页代码目前只在 Demo CPU (CPU) 上运行过，尚未在 GPU 上运行。"),
    ("zh-Hant/index.html", "本頁程式碼目前只在 Demo CPU (CPU) 上執行過，尚未在 GPU 上執行。"),
])
def test_a_page_about_gpus_says_that_nothing_ran_on_one(page, said, on_cpus):
    html = on_cpus.page(page)
    assert said in html
    assert html.index("</h1>") < html.index(said) < html.index("hx-run__copy")


def test_it_says_so_until_that_changes(tmp_path):
    page = built(tmp_path, "cpu", "gpu").page("index.html")
    assert "hx-hardware" not in page
    assert page.count("on 2026-01-02 with torch 9.9, unless") == 2


def test_a_page_without_evidence_says_that_nothing_ran(tmp_path):
    assert '<p class="hx-hardware" role="note" data-search-exclude>GPU: not run yet</p>' in built(tmp_path).page(
        "index.html"
    )
