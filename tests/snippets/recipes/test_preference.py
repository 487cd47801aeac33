"""SFT learns the answers alone, DPO prefers the better answer without a second model, GRPO is led by the reward."""

import json
import re
from pathlib import Path

import pytest
import torch
from transformers import AutoModelForCausalLM, AutoTokenizer

from snippets.recipes import preference as snippet

pytestmark = pytest.mark.env("trl")

ROWS = {method: snippet.example(method)[:16] for method in snippet.COLUMNS}
QUIET = {"logging_steps": 1, "disable_tqdm": True}


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> str:
    torch.set_num_threads(1)
    return snippet.make_checkpoint(tmp_path_factory.mktemp("base"))


def test_sft_learns_the_answers_alone(base: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    trainer = snippet.train("sft", base, ROWS["sft"], str(tmp_path), max_steps=1, max_length=512, **QUIET)
    assert trainer.args.max_length == 512
    adapter = trainer.model.peft_config["default"]
    assert adapter.lora_alpha / adapter.r == 2
    tokenizer = AutoTokenizer.from_pretrained(base)
    labels = [label for row in trainer.train_dataset for label in row["labels"] if label != -100]
    learned = tokenizer.decode(labels)
    answers = [row["messages"][-1]["content"] for row in ROWS["sft"]]
    assert sorted(learned.split("<|end|>")[:-1]) == sorted(answers)
    first = [label for label in trainer.train_dataset[0]["labels"] if label != -100]
    assert f"The first sample teaches: {tokenizer.decode(first)}\n" in capsys.readouterr().out


def test_dpo_prefers_the_better_answer_and_holds_one_model(base: str, tmp_path: Path) -> None:
    options = {"max_steps": 12, "learning_rate": 5e-3, "beta": 0.2, **QUIET}
    trainer = snippet.train("dpo", base, ROWS["dpo"], str(tmp_path), **options)
    assert trainer.args.beta == 0.2
    margins = [entry["rewards/margins"] for entry in trainer.state.log_history if "rewards/margins" in entry]
    assert margins[-1] > margins[0] + 0.1
    assert trainer.ref_model is None
    whole = snippet.dpo(
        AutoModelForCausalLM.from_pretrained(base), ROWS["dpo"], {"output_dir": str(tmp_path), "use_cpu": True},
        processing_class=AutoTokenizer.from_pretrained(base),
    )  # fmt: skip
    assert sum(p.numel() for p in whole.ref_model.parameters()) == sum(p.numel() for p in whole.model.parameters())


def test_grpo_is_led_by_the_reward(base: str, tmp_path: Path) -> None:
    answers = [[{"role": "assistant", "content": text}] for text in ("B3 is full.", "no")]
    assert snippet.word_overlap(answers, ["B3 is empty.", "B3"]) == [2 / 3, 0]
    trainer = snippet.train("grpo", base, ROWS["grpo"], str(tmp_path), max_steps=2, max_completion_length=16, **QUIET)
    assert trainer.args.max_completion_length == 16
    assert trainer.state.global_step == 2 and trainer.ref_model is None
    assert any("rewards/word_overlap/mean" in entry for entry in trainer.state.log_history)


def test_a_run_goes_on_from_its_last_whole_checkpoint(base: str, tmp_path: Path) -> None:
    steps = {"lr_scheduler_type": "constant", "save_steps": 2, **QUIET}
    first = snippet.train("dpo", base, ROWS["dpo"], str(tmp_path), max_steps=2, **steps)
    assert len([entry for entry in first.state.log_history if "loss" in entry]) == 2
    (tmp_path / "checkpoint-9").mkdir()  # What a kill in the middle of writing leaves.
    again = snippet.train("dpo", base, ROWS["dpo"], str(tmp_path), max_steps=4, **steps)
    assert [entry["step"] for entry in again.state.log_history if "loss" in entry] == [1, 2, 3, 4]
    assert again.state.log_history[0] == first.state.log_history[0]


def test_dpo_trains_on_the_pairs_of_the_file_and_each_method_in_a_folder_of_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pairs = tmp_path / "pairs.jsonl"
    pairs.write_text("\n".join(json.dumps(row | {"source": "a"}) for row in ROWS["dpo"]), "utf-8")
    calls = []
    monkeypatch.setattr(snippet, "train", lambda *call, **more: calls.append((call, more)))
    command = [str(tmp_path), "--method", "dpo", "--model", "some/model", "--data", str(pairs)]
    snippet.run(command)
    snippet.run([*command, "--epochs", "1", "--lr", "1e-6"])
    call = ("dpo", "some/model", ROWS["dpo"], str(tmp_path / "dpo"))
    assert calls == [
        (call, {"num_train_epochs": 3}),
        (call, {"num_train_epochs": 1, "learning_rate": 1e-6}),
    ]


@pytest.mark.parametrize(
    ("method", "line", "said"),
    [
        ("dpo", '{"messages": []}', "needs prompt, chosen, rejected: KeyError('prompt')"),
        ("dpo", '{"prompt": [], "chosen": []}', "needs prompt, chosen, rejected: KeyError('rejected')"),
        ("grpo", '{"prompt": []}', "needs messages: KeyError('messages')"),
        ("sft", "[]", "needs messages: TypeError("),
        ("sft", '{"messages": ', "needs messages: JSONDecodeError("),
    ],
)
def test_a_row_of_another_form_is_an_error_with_its_line(method: str, line: str, said: str, tmp_path: Path) -> None:
    file = tmp_path / "rows.jsonl"
    file.write_text(f"{json.dumps(ROWS[method][0])}\n{line}\n", "utf-8")
    with pytest.raises(SystemExit, match=re.escape(f"{file}:2 is no row for --method {method}, which {said}")):
        snippet.run([str(tmp_path / "out"), "--method", method, "--data", str(file)])
    assert not (tmp_path / "out").exists()
