"""The terms that engineers search for are found by their names in each language, and in English in all of them."""

from typing import TYPE_CHECKING

import pytest

from tests.guide.guide import EVERY_TERM
from tests.site.test_search_browser import FOLDERS

pytest.importorskip("playwright", reason="playwright is not installed: pip install -e '.[test]'")

from benchmarks.search.box import ask, open_box

if TYPE_CHECKING:
    from playwright.sync_api import Browser

# A page that explains each; it has to be among the first five.
PAGES = {
    "all-gather": "communication", "all-reduce": "fsdp2", "reduce-scatter": "fsdp2",
    "column-wise parallel": "parallelism", "row-wise parallel": "parallelism",
    "device mesh": "parallelism", "HSDP": "fsdp2", "speculative decoding": "perf_infer_gpu_one",
    "draft model": "perf_infer_gpu_one", "packing": "packing", "tile quantization": "perf_train_gpu_one",
    "Pareto front": "hpo_train", "latency": "serving", "throughput": "serving", "memory-bound": "serving",
    "compute-bound": "serving", "prefill": "serving", "CUDA graph": "engines", "eager mode": "train_speed",
}


@pytest.mark.parametrize("language", FOLDERS)
def test_a_term_is_found_by_each_of_its_names(language: str, site_url: str, browser: "Browser") -> None:
    tab = open_box(browser, f"{site_url}/{FOLDERS[language]}")
    terms = {each.term: each for each in EVERY_TERM}
    missed = []
    for name, page in PAGES.items():
        written = {name, terms[name].renderings.get(language, name), *terms[name].also.get(language, ())}
        for query in sorted(written):
            first = [path.removeprefix(FOLDERS[language]).strip("/") for path in ask(tab, query)[:5]]
            if page not in first:
                missed.append(f"{query}: {page} is not in {first}")
    tab.close()
    assert not missed, "\n".join(missed)
