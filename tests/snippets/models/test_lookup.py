"""What the lookup says of a kind, a configuration, a damaged one and one that nobody knows."""

import json
from pathlib import Path

import pytest
import yaml
from _building import build
from _cells import Cell, Table, TableError, TypeRecord, dump_table, parse_table, read_table
from _explanations import conflicts, unexplained_cells
from _names import find_kind, read_patterns
from _texts import condition
from _traits import TRAITS, decide_traits, traits_of

from snippets.models import lookup as snippet

pytestmark = pytest.mark.needs(device="cpu")

FOLDER = Path(__file__).parents[2] / "cases" / "models"
CASES = yaml.safe_load((FOLDER / "traits.yml").read_text(encoding="utf-8"))
NAMES = yaml.safe_load((FOLDER / "names.yml").read_text(encoding="utf-8"))
METHODS = {"sdpa": {"section": "train_speed#attention", "measure": "logits", "tolerance": 1e-4}}


def record(result: str, *traits: str, **fields: object) -> TypeRecord:
    return TypeRecord("SomeForCausalLM", "decoder", "2026-11-27", traits=traits, cells={"sdpa": Cell(result, **fields)})


TABLE = Table({"transformers": "5.23.0"}, METHODS, {
    "plain": record("works", difference=1e-7),
    "capped": record("raises", "attention-soft-cap", message="ValueError: no"),
    "capped too": record("differs", "attention-soft-cap", difference=0.3),
    "broken": TypeRecord("BrokenForCausalLM", "decoder", "2026-11-27", failure="TypeError: no"),
})


def told(name: str, capsys: pytest.CaptureFixture[str]) -> str:
    snippet.answer(name, TABLE)
    return capsys.readouterr().out


@pytest.mark.parametrize("case", CASES, ids=[case["name"] for case in CASES])
def test_traits_are_read_from_settings(case: dict) -> None:
    decided = decide_traits(case["settings"])
    assert {name for name, holds in decided.items() if holds} == set(case["traits"])
    assert {name for name, holds in decided.items() if not holds} >= set(case.get("lacks", ()))


def test_traits_of_settings_that_are_not_given_are_left_open() -> None:
    assert decide_traits({"hidden_size": 8}) == {}


@pytest.mark.parametrize(("kind", "first"), [
    ("bert", True), ("esm", True), ("llama", False), ("qwen3_moe", False), ("mixtral", False), ("mamba", False),
])
def test_whether_the_first_label_counts_is_read_from_the_loss(kind: str, first: bool) -> None:
    subject = build(kind)
    assert ("unshifted-loss" in traits_of(subject.config.to_dict(), subject.model)) == first


@pytest.mark.parametrize(("kind", "own"), [("gpt_neo", True), ("led", True), ("cpmant", True), ("gpt2", False)])
def test_who_makes_the_causal_mask_is_read_from_the_modules(kind: str, own: bool) -> None:
    subject = build(kind)
    assert ("own-causal-mask" in traits_of(subject.config.to_dict(), subject.model)) == own


@pytest.mark.parametrize(("kind", "both"), [("paligemma", True), ("bert", True), ("llama", False), ("t5gemma", False)])
def test_who_sees_later_tokens_is_read_from_a_forward_pass(kind: str, both: bool) -> None:
    subject = build(kind)
    assert ("both-directions" in traits_of(subject.config.to_dict(), subject.model)) == both


def test_each_trait_has_a_name_of_its_own() -> None:
    assert len({each.name for each in TRAITS}) == len(TRAITS)


def test_a_kind_has_its_cells_and_the_trait_that_explains_them(capsys: pytest.CaptureFixture[str]) -> None:
    said = told("capped", capsys)
    assert "raises [works for 0 of 2 kinds with attention-soft-cap]  train_speed#attention" in said
    assert "ValueError: no" in said
    assert "FlashAttention, which has an argument for the cap" in said


def test_what_fails_for_a_trait_that_the_configuration_lacks_was_not_tried(
        tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "config.json").write_text(json.dumps({"model_type": "capped", "attn_logit_softcapping": None}))
    said = told(str(tmp_path), capsys)
    assert "Traits of it that your configuration lacks\n  attention-soft-cap" in said
    assert "not-tried (raises with attention-soft-cap)  train_speed#attention" in said


def test_a_trait_that_the_tried_model_lacks_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "config.json").write_text(json.dumps({"model_type": "plain", "attn_logit_softcapping": 30.0}))
    assert "works [but works for 0 of 2 kinds with attention-soft-cap]" in told(str(tmp_path), capsys)


def test_names_of_checkpoints_are_read_as_kinds() -> None:
    kinds = read_table().types
    found = {each["name"]: find_kind(each["name"], kinds) for each in NAMES}
    assert found == {each["name"]: each["kind"] for each in NAMES}
    assert {kind for kind in read_patterns()[2].values() if kind} <= set(kinds)
    assert {kind: find_kind(kind, kinds) for kind in kinds} == {kind: kind for kind in kinds}


def test_a_kind_that_is_read_from_a_name_is_said_to_be_so(capsys: pytest.CaptureFixture[str]) -> None:
    assert told("someone/Plain-7B-Instruct", capsys).startswith("someone/Plain-7B-Instruct is read as plain;")


@pytest.mark.parametrize(("settings", "said"), [
    ({"model_type": "plain", "num_key_value_heads": 1}, "not with this configuration"),
    ({"model_type": "plain", "text_config": {"num_key_value_heads": 1}}, "not with this configuration"),
    ({"model_type": "plain", "num_key_value_heads": 8}, "works"),
    ({"model_type": "plain"}, "works"),
    ({"model_type": "unheard-of", "num_key_value_heads": 1}, "works for 1 of 1"),
])
def test_what_ranks_must_divide_is_said_of_a_configuration(
        settings: dict, said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    table = Table({}, {"tensor-parallelism": {"section": "parallelism#tensor-parallelism"}}, {
        "plain": TypeRecord("SomeForCausalLM", "decoder", "2026-11-27", cells={"tensor-parallelism": Cell("works")})})
    (tmp_path / "config.json").write_text(json.dumps(settings))
    snippet.answer(str(tmp_path), table)
    line, *after = capsys.readouterr().out.partition("Tensor parallelism")[2].splitlines()
    assert line.strip().startswith(said)
    heads = settings.get("text_config", settings).get("num_key_value_heads")
    assert [each.strip() for each in after] == ([condition("tensor-parallelism", heads)] if heads else [])


@pytest.mark.parametrize(("text", "said"), [
    ('{"model_type": "unheard-of", "kv_lora_rank": 8}', "latent-attention"),
    ('{"model_type": "broken"}', "could not make a tiny broken: TypeError: no"),
    ('{"model_type": "plain", "auto_map": {"AutoModel": "evil.py"}}', "which was not run"),
    ('{"num_attention_heads": "many"}', "names no model_type"),
    ('{"model_type": "plain", "layer_types": [', "only its model_type was read"),
])
def test_what_can_be_read_is_said(text: str, said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "config.json").write_text(text)
    assert said in told(str(tmp_path / "config.json"), capsys)


@pytest.mark.parametrize("text", ["", "[1, 2]", "\x00\xff"])
def test_nothing_to_read_is_an_error_that_says_so(text: str, tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text(text)
    with pytest.raises(snippet.LookupFailure):
        snippet.read_question(str(tmp_path), TABLE)


def test_a_name_that_is_nowhere_says_what_to_do() -> None:
    with pytest.raises(snippet.LookupFailure, match=r"download its config\.json"):
        snippet.read_question("meta-llama/Llama-3.1-8B", TABLE)
    with pytest.raises(snippet.LookupFailure, match=r"\(plain\?\)"):
        snippet.read_question("Plain2", TABLE)


def test_a_table_is_read_as_it_was_written() -> None:
    assert parse_table(dump_table(TABLE)) == TABLE


def test_a_cell_changed_by_hand_is_refused() -> None:
    with pytest.raises(TableError, match="changed by hand"):
        parse_table(dump_table(TABLE).replace('"raises"', '"works"'))


def test_kinds_alike_with_unequal_results_are_listed() -> None:
    types = {"one": record("works", "tied-head"), "other": record("raises", "tied-head")}
    table = Table({}, METHODS, types)
    assert list(conflicts(table)) == [("sdpa", ["one"], ["other"])]
    assert list(unexplained_cells(table)) == [("other", "sdpa")]
    assert not list(unexplained_cells(TABLE))


def test_a_trait_of_one_kind_explains_nothing() -> None:
    table = Table({}, METHODS, {"plain": record("works"), "capped": record("raises", "attention-soft-cap")})
    assert list(unexplained_cells(table)) == [("capped", "sdpa")]
