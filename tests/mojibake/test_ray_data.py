"""Ray Data gives what one process gives, goes on where it was broken off, and says which files it cannot read."""

import json
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from hexapla.mojibake import Corpus, repair
from hexapla.mojibake.command.ray_data import RayJob, Repairer
from hexapla.mojibake.encodings.encoding_chain import EncodingChain, Layer, garble_text

CP1252 = EncodingChain((Layer("cp1252"),))
needs_ray = pytest.mark.skipif(find_spec("ray") is None, reason="ray is not installed (extra [ray])")


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder that the models are kept in, as the command keeps them: making one takes ten seconds, in each worker."""
    return tmp_path_factory.mktemp("models")


def test_a_batch_is_repaired_row_by_row(page: str, draft: str, models: Path) -> None:
    batch = {"id": [1, 2], "text": [garble_text(draft, CP1252), draft]}
    out = Repairer(RayJob((page,), cache=models))(batch)
    assert out["id"] == [1, 2]
    assert out["garbled"] == [True, False]
    assert out["text"][0] == repair(garble_text(draft, CP1252), Corpus((page,), models)).text
    assert out["text"][1] == draft


@pytest.fixture(scope="module")
def local_ray() -> Iterator[None]:
    """A Ray of two cores of its own, whatever other cluster this machine runs."""
    import ray

    ray.init(address="local", num_cpus=2, include_dashboard=False, log_to_driver=False)
    yield
    ray.shutdown()


def rows_of(folder: Path) -> list[dict[str, Any]]:
    if folder.suffix == ".jsonl":
        parts = [part.read_text("utf-8") for part in folder.glob("*.json")]
        return [json.loads(line) for part in parts for line in part.splitlines()]
    import pyarrow.parquet

    return [row for part in folder.glob("*.parquet") for row in pyarrow.parquet.read_table(part).to_pylist()]


def write_rows(path: Path, rows: list[dict[str, Any]]) -> None:
    if path.suffix == ".jsonl":
        path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
        return
    import pyarrow.parquet

    pyarrow.parquet.write_table(pyarrow.Table.from_pylist(rows), path)


@needs_ray
def test_two_workers_give_what_one_process_gives_and_go_on_where_they_were(
        local_ray: None, tmp_path: Path, page: str, draft: str, models: Path) -> None:
    from hexapla.mojibake.command.ray_data import repair_files

    rows = [{"id": number, "text": garble_text(draft, CP1252) + str(number)} for number in range(6)]
    rows.append({"id": 6, "text": draft})
    first, second = tmp_path / "first.jsonl", tmp_path / "second.parquet"
    write_rows(first, rows)
    write_rows(second, rows[:2])
    job, out = RayJob((page,), cache=models), tmp_path / "out"
    assert repair_files([first], out, job, workers=2) == [first]
    broken_off = out / f"{second.name}.part"
    broken_off.mkdir()
    write_rows(broken_off / "half.parquet", rows)
    assert repair_files([first, second], out, job, workers=2) == [second]
    assert repair_files([first, second], out, job, workers=2) == []
    alone = Repairer(job)
    columns = alone({name: [row[name] for row in rows] for name in rows[0]})
    expected = [dict(zip(columns, values, strict=True)) for values in zip(*columns.values(), strict=True)]
    assert sorted(rows_of(out / first.name), key=lambda row: row["id"]) == expected
    assert sorted(rows_of(out / second.name), key=lambda row: row["id"]) == expected[:2]


@needs_ray
def test_a_file_of_another_kind_is_a_sentence(tmp_path: Path) -> None:
    from hexapla.mojibake.command.ray_data import repair_files

    with pytest.raises(ValueError, match=r"neither \.jsonl nor \.parquet"):
        repair_files([tmp_path / "crawl.csv"], tmp_path / "out", RayJob())
