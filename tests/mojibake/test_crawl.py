"""Ray Data gives what one process gives, goes on where it was broken off, and says which files it cannot read."""

import json
from importlib.util import find_spec
from pathlib import Path

import pytest
from hexapla.mojibake import Corpus, repair
from hexapla.mojibake.channel import Channel, Layer, garble
from hexapla.mojibake.crawl import Job, Repairer

CP1252 = Channel((Layer("cp1252"),))
needs_ray = pytest.mark.skipif(find_spec("ray") is None, reason="ray is not installed (extra [ray])")


def test_a_batch_is_repaired_row_by_row(page: str, draft: str) -> None:
    batch = {"id": [1, 2], "text": [garble(draft, CP1252), draft]}
    out = Repairer(Job((page,)))(batch)
    assert out["id"] == [1, 2]
    assert out["garbled"] == [True, False]
    assert out["text"][0] == repair(garble(draft, CP1252), Corpus((page,))).text
    assert out["text"][1] == draft


@needs_ray
def test_two_workers_give_what_one_process_gives_and_a_second_run_does_nothing(
        tmp_path: Path, page: str, draft: str) -> None:
    import ray
    from hexapla.mojibake.crawl import repair_files

    texts = [garble(draft, CP1252) + str(number) for number in range(6)] + [draft]
    source = tmp_path / "crawl.jsonl"
    source.write_text("".join(json.dumps({"text": text}) + "\n" for text in texts), "utf-8")
    ray.init(num_cpus=2, include_dashboard=False, ignore_reinit_error=True, log_to_driver=False)
    try:
        assert repair_files([source], tmp_path / "out", Job((page,)), workers=2) == [source]
        assert repair_files([source], tmp_path / "out", Job((page,)), workers=2) == []
    finally:
        ray.shutdown()
    lines = [line for part in (tmp_path / "out" / "crawl.jsonl").glob("*.json")
             for line in part.read_text("utf-8").splitlines()]
    corpus = Corpus((page,))
    assert sorted(json.loads(line)["text"] for line in lines) == sorted(repair(text, corpus).text for text in texts)


@needs_ray
def test_a_file_of_another_kind_is_a_sentence(tmp_path: Path) -> None:
    from hexapla.mojibake.crawl import repair_files

    with pytest.raises(ValueError, match=r"neither \.jsonl nor \.parquet"):
        repair_files([tmp_path / "crawl.csv"], tmp_path / "out", Job())
