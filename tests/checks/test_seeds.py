"""The documents that the project started from, as exam cases: what was lost in them is found."""

from collections import Counter
from pathlib import Path

import pytest
from hexapla.cache import Cache
from hexapla.checks.engine import tree_check
from hexapla.checks.engine.checker import Checker
from hexapla.config import discovery

SEEDS = Path(__file__).parents[3] / "shared" / "seeds"
pytestmark = pytest.mark.skipif(not SEEDS.is_dir(), reason="the seeds (../shared/seeds) are not on this machine")
TARGETS = [
    "perf_train_gpu_one", "perf_train_gpu_many", "perf_train_cpu", "perf_train_cpu_many", "perf_train_tpu_tf",
    "perf_hardware", "hpo_train", "perf_infer_cpu", "perf_infer_gpu_one", "perf_infer_gpu_many", "tf_xla", "big_models",
    "debugging",
]


def findings(root, source, translation, language):
    """What is found in one of the documents beside another, in the tree they come from."""
    for folder, name in (("en", source), (language, translation)):
        file = root / "docs/source" / folder / "performance.md"
        file.parent.mkdir(parents=True)
        file.write_bytes((SEEDS / name).read_bytes())
    for name in TARGETS:
        (root / f"docs/source/en/{name}.md").write_text(f"# {name}\n")
    (root / "docs/source/en/_toctree.yml").write_text("")
    place = discovery.detect_layout(root)
    assert place.anchors == "doc-builder"
    checker = Checker(tree_check.tree_of(place, ()), Cache(None))
    return tree_check.check(checker, [f"docs/source/{language}/performance.md"]).findings


def test_the_scraped_page_lost_its_links_and_headings(tmp_path):
    found = findings(tmp_path, "ja-performance.txt", "ja-performance.scraped.txt", "ja")
    counted = Counter(item.rule for item in found)
    assert counted["link-missing"] == 13
    assert any(item.rule == "heading-count" and "found 0 headings, the source has 5" in item.message for item in found)


def test_the_link_for_several_gpus_leads_to_the_page_for_one(tmp_path):
    found = findings(tmp_path, "ja-performance.txt", "zh-performance.txt", "zh")
    assert [(item.line, item.message) for item in found if item.rule.startswith("link-")] == [
        (49, "this link leads to 'perf_infer_gpu_one', the source's to 'perf_infer_gpu_many'")
    ]
