"""Drafts put into pages: whole sections, marked as a machine's, nothing that a model invents."""

import argparse
import json

import pytest
from hexapla import cli
from hexapla.cli.translated_tree import translated_tree
from hexapla.drafts.draft_run import drafting_of
from hexapla.drafts.local_model import LocalDrafter
from hexapla.errors import ConfigError
from hexapla.section_judge import tree_judge
from hexapla.translation.records.draft_inputs import DraftMaterial
from hexapla.translation.tracking import Sync, sync_tree, tree_status

from tests.site.project import write

PAGES = {
    "mkdocs.yml": "site_name: Demo\nplugins:\n  - i18n:\n      docs_structure: folder\n      languages:\n"
                  "        - {locale: en, name: English, default: true}\n        - {locale: zh, name: 中文}\n"
                  "  - hexapla: {}\nmarkdown_extensions: [attr_list, pymdownx.superfences]\n",
    "docs/en/page.md": "# Page {#page}\n\nOne.\n\n## First {#first}\n\nSet `x` to 2.\n\n```python\nx = 2\n```\n\n"
                       "## Second {#second}\n\nDone.\n",
    "docs/zh/page.md": "# 页面 {#page}\n\n一。\n",
}


@pytest.fixture
def root(tmp_path):
    """A tree that lacks two sections in Chinese."""
    return write(tmp_path, PAGES)


def run(root, translate):
    """Draft the whole tree with a function in the place of a model; the text of the page then, and what was made."""
    chosen = argparse.Namespace(
        root=root, layout=None, source_layout=None, source=None, languages=None, anchors=None, framework=None,
        source_repo=None,
    )
    tree = translated_tree(chosen)
    drafting = drafting_of(tree, "zh", DraftMaterial({}), LocalDrafter(translate, {}, "en", "zh"), tree_judge(tree, ()))
    made = list(drafting.make_drafts())
    return (root / "docs/zh/page.md").read_text(encoding="utf-8"), made, translated_tree(chosen)


def well(messages):
    """A model that answers in Chinese characters and keeps every placeholder."""
    words = {"First": "第一", "Second": "第二", "Set [[0]] to [[1]].": "把 [[0]] 设为 [[1]]。", "Done.": "完成。"}
    return [words[message] for message in messages]


def states(tree):
    return {each.id: str(each.state) for page in tree_status(tree) for each in page.sections}


def test_missing_sections_are_drafted_and_marked(root):
    text, made, tree = run(root, well)
    assert text == (
        "# 页面 {#page}\n\n一。\n\n## 第一 {#first}\n\n把 `x` 设为 2。\n\n```python\nx = 2\n```\n\n"
        "## 第二 {#second}\n\n完成。\n"
    )
    assert made[0].refusals == ()
    assert states(tree) == {"page": "unrecorded", "first": "draft", "second": "draft"}


def test_a_page_that_a_person_saves_while_the_model_answers_is_left_and_named(root):
    saved = PAGES["docs/zh/page.md"] + "\n## 第一 {#first}\n\n人写的。\n"

    def answer(messages):
        (root / "docs/zh/page.md").write_text(saved, encoding="utf-8")
        return well(messages)

    text, made, tree = run(root, answer)
    assert text == saved
    assert "docs/zh/page.md: was changed while this ran" in str(made[0].refusals[-1])
    assert "draft" not in states(tree).values()


def test_a_section_that_a_person_records_while_the_model_answers_is_left_and_named(root):
    write(root, {"docs/zh/page.md": PAGES["docs/zh/page.md"] + "\n## 第二 {#second}\n\n做了。\n"})
    names = ("layout", "source_layout", "source", "languages", "anchors", "framework", "source_repo")
    options = argparse.Namespace(root=root, **dict.fromkeys(names))
    sync_tree(translated_tree(options), Sync(["page#second"], "zh", write=True))
    write(root, {"docs/en/page.md": PAGES["docs/en/page.md"].replace("Done.", "Ended.")})

    def answer(messages):
        sync_tree(translated_tree(options), Sync(["page#second"], "zh", write=True))
        return ["第二" if each == "Second" else "完成。" if each == "Ended." else well([each])[0] for each in messages]

    before = (root / "docs/zh/page.md").read_text(encoding="utf-8")
    text, made, tree = run(root, answer)
    assert text == before
    assert "the record of page#second: was changed while this ran" in str(made[0].refusals[-1])
    assert states(tree)["second"] == "current"


def test_a_draft_that_was_read_is_current(root):
    _, _, tree = run(root, well)
    sync_tree(tree, Sync(["page#first"], "zh", write=True, reviewed=True))
    _, _, tree = run(root, well)
    assert states(tree)["first"] == "current"


@pytest.mark.parametrize(
    "answer",
    ["", "[[0]]", "x <script>alert(1)</script>", "[x](javascript:alert(1))", "a\n\nb", "{{ x }}\u202e", "[[5]]"],
)
def test_a_hostile_model_changes_nothing(root, answer):
    text, made, tree = run(root, lambda messages: [answer] * len(messages))
    assert text == PAGES["docs/zh/page.md"]
    assert made[0].plan.records == {}
    assert made[0].refusals
    assert states(tree)["first"] == "missing"


def test_one_bad_answer_costs_its_section_alone(root):
    text, made, _ = run(root, lambda messages: ["" if "Done" in text else well([text])[0] for text in messages])
    assert "## 第一 {#first}" in text and "{#second}" not in text
    assert any("docs/en/page.md:15" in str(refusal) for refusal in made[0].refusals)


def tiny_model(folder, kind):
    """A random model of a few thousand parameters, with a tokenizer of single characters."""
    import torch
    from tokenizers import Tokenizer, models, pre_tokenizers
    from transformers import (
        LlamaConfig,
        LlamaForCausalLM,
        PreTrainedTokenizerFast,
        T5Config,
        T5ForConditionalGeneration,
    )

    words = ["<pad>", "</s>", "<unk>", *map(chr, range(32, 127)), "第", "一"]
    tokenizer = Tokenizer(models.WordLevel({word: number for number, word in enumerate(words)}, unk_token="<unk>"))
    tokenizer.pre_tokenizer = pre_tokenizers.Split("", "isolated")
    fast = PreTrainedTokenizerFast(tokenizer_object=tokenizer, pad_token="<pad>", eos_token="</s>", unk_token="<unk>")
    torch.manual_seed(0)
    if kind == "chat":
        fast.chat_template = "{% for message in messages %}{{ message['content'] }}{% endfor %}"
        model = LlamaForCausalLM(LlamaConfig(
            vocab_size=len(words), hidden_size=16, intermediate_size=16, num_hidden_layers=1, num_attention_heads=2,
            pad_token_id=0, eos_token_id=1,
        ))
    else:
        model = T5ForConditionalGeneration(T5Config(
            vocab_size=len(words), d_model=16, d_kv=8, d_ff=16, num_layers=1, num_heads=2,
            pad_token_id=0, eos_token_id=1, decoder_start_token_id=0,
        ))
    model.save_pretrained(folder)
    fast.save_pretrained(folder)


@pytest.mark.parametrize("kind", ["seq2seq", "chat"])
def test_a_real_model_of_random_weights_is_asked_and_not_believed(root, tmp_path_factory, kind, capsys):
    pytest.importorskip("transformers", reason="transformers is not installed: pip install -e '.[snippets]'")
    folder = tmp_path_factory.mktemp(kind)
    tiny_model(folder, kind)
    status = cli.main(["draft", "--root", str(root), "--language", "zh", "--model", str(folder), "--write"])
    assert status == 1
    assert "docs/en/page.md:5" in capsys.readouterr().out
    assert (root / "docs/zh/page.md").read_text(encoding="utf-8") == PAGES["docs/zh/page.md"]


@pytest.mark.parametrize("broken", [None, "{}", json.dumps({"model_type": "nothing-that-is"})])
def test_a_folder_that_is_no_model_is_said(root, tmp_path_factory, broken, capsys):
    pytest.importorskip("transformers", reason="transformers is not installed: pip install -e '.[snippets]'")
    folder = tmp_path_factory.mktemp("model")
    if broken is not None:
        (folder / "config.json").write_text(broken, encoding="utf-8")
    assert cli.main(["draft", "--root", str(root), "--language", "zh", "--model", str(folder), "--write"]) == 2
    assert f"--model {folder}: " in capsys.readouterr().err


def test_a_page_that_cannot_be_read_is_not_written_over(root):
    (root / "docs/zh/page.md").write_bytes("# 页面 {#page}\n".encode("gbk"))
    with pytest.raises(ConfigError, match=r"docs/zh/page.md: this page is no UTF-8 text"):
        run(root, well)


def test_a_language_that_is_not_there_is_said_before_a_model_is_loaded(root, capsys):
    assert cli.main(["draft", "--root", str(root), "--language", "xx", "--model", "nowhere"]) == 2
    assert "'xx' is no language that is translated here" in capsys.readouterr().err
