"""What most runs share is said once; a page about a hardware says at its top how many of its programs ran on it."""

import re

import pytest
from hexapla.examples.evidence import Evidence, Hardware, Run, Status, dump_evidence, file_name
from hexapla.examples.snippet import Snippets
from hexapla.site.page.snippet_evidence import summarize_runs, versions_text
from hexapla.site.texts.strings import say_list

from benchmarks.evidence.tree import SIGNER, sign
from tests.site.project import PAGE, build, lay, write

ABOUT_GPUS = "---\nhardware: gpu\n---\n" + PAGE
TORCH = {"cpu": "9.9+cpu", "gpu": "8.8"}


def run(date, **versions):
    return Run(Status.RAN, "sha256:x", date, seconds=0.1, peak_memory_bytes=1, versions=versions, output="3")


def test_the_summary_is_what_most_runs_have():
    known = [run("2026-01-02", torch="2"), run("2026-01-02", torch="2", jax="1"), run("2026-03-04", torch="3")]
    summary = summarize_runs((each, each.versions) for each in known)
    assert (summary.date, versions_text(summary.versions, "en")) == ("2026-01-02", "jax 1 and torch 2")


@pytest.mark.parametrize(("language", "said"), [
    ("en", ["", "CPU", "CPU and NVIDIA GPU", "CPU, NVIDIA GPU and TPU"]),
    ("zh", ["", "CPU", "CPU、NVIDIA GPU", "CPU、NVIDIA GPU、TPU"]),
    ("zh-Hant", ["", "CPU", "CPU、NVIDIA GPU", "CPU、NVIDIA GPU、TPU"]),
    ("ja", ["", "CPU", "CPU、NVIDIA GPU", "CPU、NVIDIA GPU、TPU"]),
])
def test_names_are_joined_as_the_language_joins_them(language, said):
    names = ["CPU", "NVIDIA GPU", "TPU"]
    assert [say_list(language, names[:count]) for count in range(4)] == said
    assert say_list(language, ["CPU", "CPU"]) == "CPU"


def test_a_run_without_the_named_packages_counts_by_its_first_version():
    only = run("2026-01-02", python="3.11")
    assert versions_text(summarize_runs([(only, {"torch"})]).versions, "en") == "python 3.11"


def built(root, *kinds):
    """A site whose page is about GPUs and has two programs, which ran on CPUs, and one of them on a GPU as well."""
    more = "\n```python\n--8<-- \"demo/more.py\"\n```\n"
    lay(root, {f"docs/{code}/index.md": ABOUT_GPUS + more for code in ("en", "zh")} | {
        "docs/en/cpus.md": PAGE.replace("home", "cpus"), "snippets/demo/more.py": "print(2)\n",
    })
    code = Snippets(root / "snippets")
    for kind in kinds:
        paths = ["demo/add.py", "demo/more.py"][:1 + (kind == "cpu")]
        found = Evidence(Hardware(kind, f"Demo {kind.upper()}", 2, 1), {
            path: run("2026-01-02", torch=TORCH[kind])._replace(source=code.hash(path)) for path in paths
        })
        write(root, {f"snippets/evidence/{file_name(found.hardware)}": dump_evidence(found)})
    made = build(root)
    assert made.status == 0, made.said
    return made


def hardware_said(html):
    """What the line at the top of a page says, and what it opens to, each with its state."""
    (line,) = re.findall('<div class="hx-run hx-hardware".*?</div></details></div>', html, re.S)
    line = re.sub(r"</?a\b[^>]*>", "", line)
    return [[": ".join(each) for each in re.findall(f'<{tag} class="hx-run__([a-z-]+)">(.*?)</{tag}>', line)]
            for tag in ("span", "li")]


SAID = {
    "index.html": (
        [["ran: 2 of 2 ran on CPU", "not-run: GPU: not run yet"],
         ["ran: 2 of 2 ran on CPU with torch 9.9: demo/add, demo/more", "not-run: GPU: not run yet"]],
        [["ran: 2 of 2 ran on CPU", "partly: 1 of 2 ran on GPU: demo/add"],
         ["ran: 2 of 2 ran on CPU with torch 9.9: demo/add, demo/more",
          "partly: 1 of 2 ran on GPU with torch 8.8: demo/add"]],
    ),
    "zh/index.html": (
        [["ran: 在 CPU 上运行过 2 / 2 个", "not-run: GPU：尚未运行"],
         ["ran: 在 CPU 上运行过 2 / 2 个（torch 9.9）： demo/add, demo/more", "not-run: GPU：尚未运行"]],
        [["ran: 在 CPU 上运行过 2 / 2 个", "partly: 在 GPU 上运行过 1 / 2 个：demo/add"],
         ["ran: 在 CPU 上运行过 2 / 2 个（torch 9.9）： demo/add, demo/more",
          "partly: 在 GPU 上运行过 1 / 2 个（torch 8.8）： demo/add"]],
    ),
    "zh-Hant/index.html": (
        [["ran: 在 CPU 上執行過 2 / 2 個", "not-run: GPU：尚未執行"],
         ["ran: 在 CPU 上執行過 2 / 2 個（torch 9.9）： demo/add, demo/more", "not-run: GPU：尚未執行"]],
        [["ran: 在 CPU 上執行過 2 / 2 個", "partly: 在 GPU 上執行過 1 / 2 個：demo/add"],
         ["ran: 在 CPU 上執行過 2 / 2 個（torch 9.9）： demo/add, demo/more",
          "partly: 在 GPU 上執行過 1 / 2 個（torch 8.8）： demo/add"]],
    ),
}


@pytest.mark.parametrize(("number", "kinds"), [(0, ["cpu"]), (1, ["cpu", "gpu"])])
def test_a_page_about_gpus_says_once_how_much_ran_on_them(number, kinds, tmp_path):
    made = built(tmp_path, *kinds)
    for page, said in SAID.items():
        html = made.page(page)
        assert hardware_said(html) == said[number]
        assert html.index("</h1>") < html.index("hx-hardware") < html.index("hx-run__copy")
        assert re.search(r'href="[./]*source/demo/add\.py\.html">demo/add</a>', html)
    assert "hx-hardware" not in made.page("cpus/index.html")


def test_a_page_without_evidence_says_that_nothing_ran_at_its_top_and_at_each_block(tmp_path):
    html = built(tmp_path).page("index.html")
    assert hardware_said(html)[0][-1] == "not-run: GPU: not run yet"
    assert html.count('<span class="hx-run__not-run">Not run yet</span></summary>') == 2


@pytest.mark.parametrize(("date", "current", "said"), [
    ("2026-01-01", False, ["Ran on CPU, 2026-02-03", "Changed since it ran on GPU"]),
    ("2026-01-01", True, ["Ran on CPU, 2026-02-03", "Ran on GPU, 2026-01-01"]),
    ("2026-02-03", True, ["Ran on CPU and GPU, 2026-02-03"]),
])
def test_the_badge_has_the_last_current_run_of_each_kind_of_hardware(date, current, said, tmp_path):
    root = lay(tmp_path, {})
    source = Snippets(root / "snippets").hash("demo/add.py")
    runs = {"cpu-a": ("2026-01-02", source), "cpu-b": ("2026-02-03", source), "cpu-c": ("2026-03-04", "sha256:old"),
            "gpu-a": (date, source if current else "sha256:old")}
    for name, (date, of) in runs.items():
        found = Evidence(Hardware(name[:3], f"Demo {name}", 2, 1), {"demo/add.py": run(date)._replace(source=of)})
        write(root, {f"snippets/evidence/{file_name(found.hardware)}": dump_evidence(found)})
    badge = re.search(r"<summary[^>]*>(.*?)</summary>", build(root).page("index.html"))[1]
    found = re.findall(r'<span class="[a-z_-]+">(.*?)</span>', badge)
    assert [re.sub("<[^>]+>", "", each) for each in found] == said


def test_a_figure_of_code_that_has_changed_says_so_and_one_of_a_current_run_does_not(tmp_path):
    root = lay(tmp_path, {"docs/en/index.md": PAGE + "\nIt is `{evidence} demo/add > sum`.\n"})
    source = Snippets(root / "snippets").hash("demo/add.py")
    demo = Hardware("cpu", "Demo", 2, 1)
    for of, said in ((source, "It is 3."), ("sha256:old", 'title="Changed since it ran on 2026-01-02">3</abbr>.')):
        ran = run("2026-01-02")._replace(source=of, output="sum: 3")
        write(root, {"snippets/evidence/cpu-demo.json": dump_evidence(Evidence(demo, {"demo/add.py": ran}))})
        assert said in build(root).page("index.html")


def test_a_record_that_is_signed_names_the_signer(tmp_path):
    root = lay(tmp_path, {})
    ran = run("2026-01-02")._replace(source=Snippets(root / "snippets").hash("demo/add.py"))
    found = Evidence(Hardware("cpu", "Demo", 2, 1), {"demo/add.py": ran})
    write(root, {"snippets/evidence/cpu-demo.json": dump_evidence(found)})
    assert "Signed by" not in build(root).page("index.html")
    sign(root, ["cpu-demo.json"])
    assert f" · Signed by {SIGNER}</li>" in build(root).page("index.html")
