"""Each technique lowers the kind of memory that it is for, and no other."""

from collections import Counter

import pytest
from torch._subclasses.fake_tensor import FakeTensorMode
from transformers import BertConfig, BertForMaskedLM, PreTrainedModel

from snippets.memory import techniques as snippet

pytestmark = pytest.mark.needs(device="cpu")


def bert() -> PreTrainedModel:
    sizes = {"hidden_size": 128, "intermediate_size": 512, "num_attention_heads": 4, "num_hidden_layers": 1}
    return BertForMaskedLM(BertConfig(vocab_size=500, attention_probs_dropout_prob=0.0, **sizes))


@pytest.fixture(scope="module")
def table() -> dict[str, Counter[str]]:
    return snippet.techniques(bert, rows=8, length=64)


def test_all_hold_the_same_weights(table: dict[str, Counter[str]]) -> None:
    weights = 4 * sum(parameter.numel() for parameter in bert().parameters())
    assert {peak["weights"] for peak in table.values()} == {weights}


def test_the_optimizers_keep_less_state(table: dict[str, Counter[str]]) -> None:
    plain = table["AdamW in fp32"]
    assert plain["optimizer"] == 2 * plain["weights"]
    for name, share in (("8-bit AdamW", 0.27), ("checkpointing, 8-bit AdamW", 0.27), ("Adafactor", 0.02)):
        assert table[name]["optimizer"] < share * plain["optimizer"]
        if "checkpointing" not in name:  # AdamW counts its steps, four bytes a tensor.
            assert table[name]["activations"] == pytest.approx(plain["activations"], rel=1e-3)


def test_the_others_keep_fewer_activations(table: dict[str, Counter[str]]) -> None:
    plain = table["AdamW in fp32"]
    for name, share in (("accumulation, 4 pieces", 0.6), ("checkpointing", 0.75), ("bf16 autocast", 0.9)):
        assert table[name]["optimizer"] == plain["optimizer"]
        assert table[name]["activations"] < share * plain["activations"]


def test_the_sum_falls(table: dict[str, Counter[str]]) -> None:
    plain = table.pop("AdamW in fp32").total()
    assert all(peak.total() < plain for peak in table.values())


def test_bert_large_has_its_parameters() -> None:
    with FakeTensorMode():
        assert sum(parameter.numel() for parameter in snippet.bert_large().parameters()) == 335_174_458
