"""The two garbled pages that the project started from, where they are there."""

import difflib
import os
from pathlib import Path

import pytest
from hexapla.mojibake import Corpus, repair

SHARED = Path(os.environ.get("HEXAPLA_SHARED", Path(__file__).parents[2].parent / "shared"))
SEEDS = SHARED / "seeds"
needs_seeds = pytest.mark.skipif(not SEEDS.is_dir(), reason=f"no seed documents at {SEEDS}; set HEXAPLA_SHARED")


@pytest.fixture(scope="module")
def pages() -> Corpus:
    folders = [SHARED / "corpora" / name / "zh" for name in ("fastapi-docs", "hf-course")]
    found = [path for folder in folders for path in sorted(folder.rglob("*.md*"))]
    return Corpus(path.read_text("utf-8") for path in found)


@needs_seeds
def test_the_cp1254_page_is_diagnosed_and_reads_right(pages: Corpus) -> None:
    garbled = (SEEDS / "zh-perf_train_gpu_one.mojibake-cp1254.txt").read_text("utf-8")
    repaired = repair(garbled, pages, guess=True)
    assert repaired.diagnosis.steps == ("utf-8 -> cp1254", "dropped 81 8d 8e 8f 90 9d 9e ad")
    assert repaired.changed == 5911
    assert len(repaired.uncertain) < 0.08 * repaired.changed
    assert "# 在单个GPU上进行高效训练的方法和工具" in repaired.text


@needs_seeds
def test_the_latin1_page_comes_near_its_clean_version(pages: Corpus) -> None:
    garbled = (SEEDS / "zh-performance.mojibake-latin1.txt").read_text("utf-8")
    clean = (SEEDS / "zh-performance.txt").read_text("utf-8")
    repaired = repair(garbled, pages, guess=True)
    assert repaired.diagnosis.inserted == ", every 45 bytes"
    assert abs(repaired.text.count(",") - clean.count(",")) <= 1
    blocks = difflib.SequenceMatcher(None, clean, repaired.text, autojunk=False).get_matching_blocks()
    right = sum(1 for at, _, size in blocks for character in clean[at:at + size] if character >= "\x80")
    assert right > 0.7 * repaired.changed
