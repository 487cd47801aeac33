"""The command on files: what it says, what it writes, and what it leaves alone."""

import json
import os
import stat
from pathlib import Path

import pytest
from hexapla.cli import make_parser
from hexapla.cli.repair import clean_texts, options_of
from hexapla.config.project import load_project
from hexapla.mojibake.command.file_repair import (
    FileError,
    RepairOptions,
    RepairOutcome,
    read_source,
    repair_files,
    write_repaired,
)
from hexapla.mojibake.encodings.encoding_chain import EncodingChain, Layer, garble_text
from hexapla.mojibake.repairer import repair

CP1252 = EncodingChain((Layer("cp1252"),))


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project for all tests of this file: its `.hexapla` keeps the models, and making one takes two seconds."""
    return tmp_path_factory.mktemp("project")


def call(project: Path, *words: str, clean: tuple[str, ...] = ()) -> RepairOutcome:
    options = options_of(make_parser("repair").parse_args(["repair", *words]))
    return repair_files(options, lambda: clean, project)


@pytest.fixture
def garbled(tmp_path: Path, draft: str) -> Path:
    path = tmp_path / "garbled.md"
    path.write_text(garble_text(draft + "靝 龍 齝 龏 靏\n", CP1252), "utf-8")
    return path


def test_check_names_garbled_files_and_what_to_run(project: Path, tmp_path: Path, garbled: Path, page: str) -> None:
    (tmp_path / "clean.md").write_text(page, "utf-8")
    outcome = call(project, str(tmp_path), "--check")
    assert outcome.status == 1
    assert outcome.output == f"{garbled}: garbled; run: hexapla repair {garbled}"


def test_a_clean_folder_is_status_0(project: Path, tmp_path: Path, page: str) -> None:
    (tmp_path / "clean.md").write_text(page, "utf-8")
    assert call(project, str(tmp_path), "--check").status == 0
    assert "none garbled" in call(project, str(tmp_path)).output


def test_json_is_as_the_design_says(project: Path, garbled: Path, page: str) -> None:
    outcome = call(project, str(garbled), "--format", "json", clean=(page,))
    (found,) = json.loads(outcome.output)["files"]
    assert found["garbled"] is True
    assert found["diagnosis"]["steps"] == ["utf-8 -> cp1252", "dropped 81 8d 8f 90 9d"]
    assert found["changed"] > 0
    assert found["uncertain"]
    assert 0.0 < found["expected"] < 1.0
    for item in found["uncertain"]:
        assert set(item) == {"line", "column", "text", "confidence", "alternatives"}
        assert found["text"].split("\n")[item["line"] - 1][item["column"] - 1] == "〓"


def test_write_refuses_what_is_uncertain_until_told(project: Path, garbled: Path, page: str) -> None:
    before = garbled.read_bytes()
    outcome = call(project, str(garbled), "--write", clean=(page,))
    assert outcome.status == 2
    assert "--mark" in outcome.errors[0] and "--guess" in outcome.errors[0]
    assert garbled.read_bytes() == before
    call(project, str(garbled), "--write", "--mark", clean=(page,))
    assert "〓" in garbled.read_text("utf-8")


@pytest.mark.parametrize(("words", "status"), [
    ((), 1), (("--guess",), 1), (("--write", "--mark"), 1), (("--write", "--guess"), 0),
])
def test_status_1_says_that_something_is_left_to_do(
        project: Path, garbled: Path, page: str, words: tuple[str, ...], status: int) -> None:
    assert call(project, str(garbled), *words, clean=(page,)).status == status


def test_a_garbled_page_with_nothing_uncertain_is_left_until_it_is_written(project: Path, garbled: Path) -> None:
    garbled.write_text("été, été, été".encode().decode("latin-1"), "utf-8")
    assert call(project, str(garbled)).status == 1
    assert call(project, str(garbled), "--write").status == 0
    assert call(project, str(garbled)).status == 0


def test_write_keeps_the_garbled_file_its_mode_and_line_endings(
        project: Path, tmp_path: Path, garbled: Path, page: str) -> None:
    before = garble_text("# 内存\r\n\r\n训练\r\n内存限制\r\n", CP1252).encode("utf-8")
    garbled.write_bytes(before)
    garbled.chmod(0o640)
    outcome = call(project, str(garbled), "--write", "--guess", clean=(page,))
    assert outcome.output.endswith("the garbled text is in garbled.md.garbled")
    assert (tmp_path / "garbled.md.garbled").read_bytes() == before
    assert garbled.read_bytes().count(b"\r\n") == 4
    assert stat.S_IMODE(garbled.stat().st_mode) == 0o640
    again = call(project, str(garbled), "--write", "--guess", clean=(page,))
    assert again.status == 0
    assert "none garbled" in again.output


def test_no_keep_leaves_no_second_file(project: Path, tmp_path: Path, garbled: Path, page: str) -> None:
    call(project, str(garbled), "--write", "--guess", "--no-keep", clean=(page,))
    assert [path.name for path in tmp_path.iterdir() if path.is_file()] == ["garbled.md"]


def test_a_lower_threshold_leaves_less_uncertain(garbled: Path, page: str) -> None:
    text = garbled.read_text("utf-8")
    assert len(repair(text, (page,), threshold=0.2).uncertain) < len(repair(text, (page,)).uncertain)


def test_a_folder_of_clean_pages_takes_the_place_of_the_docs_tree(
        project: Path, tmp_path: Path, garbled: Path, page: str) -> None:
    (tmp_path / "clean").mkdir()
    (tmp_path / "clean/page.md").write_text(page, "utf-8")

    def docs_tree() -> tuple[str, ...]:
        pytest.fail("the docs tree was read")

    options = RepairOptions((garbled,), corpus=(tmp_path / "clean",), format="json")
    outcome = repair_files(options, docs_tree, project)
    assert outcome.output == call(project, str(garbled), "--format", "json", clean=(page,)).output


def test_several_processes_give_what_one_gives(project: Path, tmp_path: Path, garbled: Path, page: str) -> None:
    (tmp_path / "other.md").write_text(garbled.read_text("utf-8") * 2, "utf-8")
    one = call(project, str(tmp_path), "--format", "json", "--jobs", "1", clean=(page,))
    two = call(project, str(tmp_path), "--format", "json", "--jobs", "2", clean=(page,))
    assert one.output == two.output


@pytest.mark.parametrize(("data", "says"), [
    (b"\x00\x01\x02", "binary"),
    ("内存".encode("gbk"), "not UTF-8"),
    ("内存".encode("utf-16"), "not UTF-8"),
])
def test_a_file_that_is_no_utf8_text_is_a_sentence(project: Path, tmp_path: Path, data: bytes, says: str) -> None:
    path = tmp_path / "bad.md"
    path.write_bytes(data)
    outcome = call(project, str(path))
    assert outcome.status == 2
    assert says in outcome.errors[0]
    assert path.read_bytes() == data


def test_an_empty_file_is_clean(project: Path, tmp_path: Path) -> None:
    path = tmp_path / "empty.md"
    path.touch()
    assert call(project, str(path)).status == 0


def test_a_missing_path_is_a_sentence(project: Path, tmp_path: Path) -> None:
    outcome = call(project, str(tmp_path / "nowhere.md"))
    assert outcome.status == 2
    assert "no such file" in outcome.errors[0]


def test_a_file_that_changed_meanwhile_is_not_written(tmp_path: Path) -> None:
    path = tmp_path / "busy.md"
    path.write_text("old", "utf-8")
    source = read_source(path)
    path.write_text("newer", "utf-8")
    with pytest.raises(FileError, match="changed while"):
        write_repaired(source, "repaired", True)
    assert path.read_text("utf-8") == "newer"


def test_a_full_disk_leaves_the_file_as_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "page.md"
    path.write_text("old", "utf-8")
    source = read_source(path)

    def full(handle: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(FileError, match="No space left"):
        write_repaired(source, "repaired", True)
    assert path.read_text("utf-8") == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_an_older_garbled_copy_is_not_overwritten(tmp_path: Path) -> None:
    path = tmp_path / "page.md"
    path.write_text("old", "utf-8")
    (tmp_path / "page.md.garbled").write_text("oldest", "utf-8")
    with pytest.raises(FileError, match="--no-keep"):
        write_repaired(read_source(path), "repaired", True)
    assert (tmp_path / "page.md.garbled").read_text("utf-8") == "oldest"


def test_a_read_only_file_is_not_replaced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "page.md"
    path.write_text("old", "utf-8")
    monkeypatch.setattr(os, "access", lambda *_: False)
    with pytest.raises(FileError, match="read-only"):
        write_repaired(read_source(path), "repaired", True)
    assert path.read_text("utf-8") == "old"


def test_one_very_long_line_is_waved_through(project: Path, tmp_path: Path) -> None:
    path = tmp_path / "long.md"
    path.write_text("训练模型的内存。" * 300_000, "utf-8")
    assert call(project, str(path), "--check").status == 0


def test_the_clean_texts_of_a_project_are_its_pages_and_its_terms_in_the_languages_that_are_written(
        tmp_path: Path) -> None:
    (tmp_path / "mkdocs.yml").write_text(
        "plugins:\n"
        "  - i18n: {languages: [{locale: en, name: English, default: true}, {locale: zh, name: 中文},"
        " {locale: zh-Hant, name: 繁體}]}\n"
        "  - hexapla: {derived: {zh-Hant: zh}}\n", "utf-8")
    (tmp_path / "docs/zh").mkdir(parents=True)
    (tmp_path / "docs/zh/page.md").write_text("页面\n", "utf-8")
    (tmp_path / "docs/glossary.yml").write_text(
        "- {term: checkpoint, zh: 检查点, zh-Hant: 檢查點}\n- {term: GPU, treatment: keep, zh: GPU}\n", "utf-8")
    assert [text for text in clean_texts(load_project(tmp_path)) if text] == ["页面\n", "检查点\n"]
    assert list(clean_texts(None)) == []
