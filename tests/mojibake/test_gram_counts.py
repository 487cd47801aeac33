"""Counts that come with the program: beside those of pages nothing is lost, kept the same, damaged they are told."""

from itertools import pairwise

import numpy as np
import pytest
from hexapla.errors import ConfigError
from hexapla.mojibake import Corpus, repair
from hexapla.mojibake.encodings.encoding_chain import C1, SOFT_HYPHEN, EncodingChain, Layer, garble_text
from hexapla.mojibake.model.gram_counts import Counts, combine_grams, in_vocabulary, vocabulary_of
from hexapla.mojibake.model.model_store import count_all, load_counts
from hexapla.mojibake.model.models import MODELS
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmarks.mojibake.train import pruned, save_counts, text_of

TEXTS = st.lists(st.text("训练模型ab 1\n。", min_size=1, max_size=30), min_size=1, max_size=4)


def counts_of(texts):
    vocabulary = vocabulary_of(texts)
    return Counts(vocabulary, count_all(texts, {}, vocabulary))


def same(ones, others):
    pairs = [pair for one, other in zip(ones, others, strict=True) for pair in zip(one, other, strict=True)]
    return all(np.array_equal(one, other) for one, other in pairs)


@settings(max_examples=60, deadline=None)
@given(TEXTS, TEXTS)
def test_counts_side_by_side_add_up_to_the_counts_of_all_texts(ones, others):
    everything = counts_of([*ones, *others])
    parts = [
        in_vocabulary(part.grams, part.vocabulary, everything.vocabulary) for part in map(counts_of, (ones, others))
    ]
    none = [gram._replace(running=gram.running + gram.pages, pages=0.0 * gram.pages) for gram in combine_grams(*parts)]
    assert same(none, everything.grams)


@settings(max_examples=40, deadline=None)
@given(texts=TEXTS)
def test_kept_counts_come_back(texts, tmp_path_factory):
    path = tmp_path_factory.mktemp("counts") / "zh.npz"
    counts = counts_of(texts)
    save_counts(path, counts)
    kept = load_counts(path)
    assert kept.vocabulary.characters == counts.vocabulary.characters
    assert same(kept.grams, counts.grams)


def test_what_is_pruned_stands_less_often_and_leaves_no_gap():
    counts = counts_of(["训练模型训练模型训练", "模型"])
    kept = pruned(counts.grams, (1, 1, 2, 2, 2, 2))
    assert [len(gram.token) for gram in kept] < [len(gram.token) for gram in counts.grams]
    for shorter, gram in pairwise(kept):
        assert gram.context.max(initial=0) < len(shorter.token)
        assert gram.suffix.max(initial=0) < len(shorter.token)
    assert min(gram.running.min(initial=2) for gram in kept[2:]) == 2


@pytest.mark.parametrize(("name", "data", "text"), [
    ("page.md", "# 模型\n", "# 模型\n"),
    ("notebook.ipynb", '{"cells": [{"cell_type": "markdown", "source": ["训练\\n", "模型"]},'
                       ' {"cell_type": "code", "source": ["# 代码"]}]}', "训练\n模型"),
    ("page.po", 'msgid "a"\nmsgstr "完成"\n\n#, fuzzy\nmsgid "b"\nmsgstr "旧"\n\nmsgid "c"\nmsgstr ""\n', "完成"),
    ("picture.svg", "<svg>模型</svg>", ""),
])
def test_the_texts_of_pages_notebooks_and_finished_translations_are_counted(tmp_path, name, data, text):
    (tmp_path / name).write_text(data, "utf-8")
    assert text_of(tmp_path / name) == text


@pytest.mark.parametrize("damage", [lambda data: data[:1000], lambda data: b"damaged", lambda data: b""])
def test_damaged_counts_are_told_in_one_sentence(tmp_path, damage):
    path = tmp_path / "ko.npz"
    path.write_bytes(damage((MODELS / "ko.npz").read_bytes()))
    with pytest.raises(ConfigError, match=r"ko.npz: is no model .*; install hexapla again"):
        Corpus(shipped=tmp_path).model("ko")


@pytest.mark.parametrize(("language", "text"), [
    ("zh", "模型的参数和梯度都保存在显存里，训练需要的内存比推理大得多。优化器还要为每个参数保存两个状态，所以显存很快"
           "就会用完。可以减小批次，也可以使用梯度检查点，用更多的计算换取更少的内存。"),
    ("zh-Hant", "模型的參數和梯度都保存在記憶體裡，訓練需要的記憶體比推論大得多。最佳化器還要為每個參數保存兩個狀態，"
                "所以記憶體很快就會用完。可以減小批次，也可以使用梯度檢查點，用更多的計算換取更少的記憶體。"),
    ("ja", "モデルのパラメータと勾配はメモリに保存されるので、学習には推論よりも多くのメモリが必要です。オプティマイザ"
           "ーはパラメータごとに2つの状態を保存するため、メモリはすぐに足りなくなります。"),
    ("ko", "모델의 매개변수와 기울기는 메모리에 저장되므로 학습에는 추론보다 더 많은 메모리가 필요합니다. 옵티마이저는 "
           "매개변수마다 두 개의 상태를 저장하므로 메모리가 금방 부족해집니다."),
])
def test_a_page_alone_comes_back_for_the_most_part(language, text):
    broken = garble_text(text + "\n", EncodingChain((Layer("latin-1", lost=(*C1, SOFT_HYPHEN)),)))
    with_models, without = (repair(broken, Corpus(shipped=folder), guess=True).text for folder in (MODELS, None))
    right = [sum(a == b for a, b in zip(text, found, strict=False)) / len(text) for found in (with_models, without)]
    assert right[0] >= 0.75, with_models
    assert right[0] > right[1] or right[1] == 1.0
