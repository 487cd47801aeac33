"""One command fine-tunes from an empty folder; killed and run again, it reaches the same loss to the bit."""

import json
import os
import signal
import subprocess
import sys
import time
import weakref
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest
import torch
from finetune_8b import PeakMemory, training_step
from transformers import AutoModelForCausalLM, AutoTokenizer, LlamaForCausalLM, Qwen2Config

from snippets.recipes import sft as snippet

DATA = snippet.DATA.read_text("utf-8").splitlines()[:48]
GOOD = '{"messages": [{"role": "user", "content": "2 + 2?"}, {"role": "assistant", "content": "4"}]}'


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> str:
    return snippet.make_checkpoint(tmp_path_factory.mktemp("base"))


def arguments(folder: Path, *more: str) -> list[str]:
    """The command of a short run into `folder`."""
    data = folder.parent / "chats.jsonl"
    data.write_text("\n".join(DATA), "utf-8")
    short = ["--data", str(data), "--epochs", "4", "--lr", "1e-2", "--save-steps", "4", "--method", "lora"]
    return [str(folder), *short, *more]


def run(folder: Path, *more: str) -> tuple[float, float]:
    return snippet.run(snippet.read_options(arguments(folder, *more)))


def kill_after(folder: Path, checkpoint: str, number: int = signal.SIGKILL, *more: str) -> int:
    """Start the program, signal it as soon as it begins to write a checkpoint, and return its exit status."""
    command = [sys.executable, str(Path(snippet.__file__)), *arguments(folder, *more)]
    environment = os.environ | {"OMP_NUM_THREADS": "1"}
    with subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        while process.poll() is None and not (folder / checkpoint).exists():
            time.sleep(0.002)
        process.send_signal(number)
        return process.wait()


def test_a_run_that_was_killed_goes_on_and_reaches_the_same_loss(
    base: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    whole = run(tmp_path / "whole", "--model", base)
    assert whole[1] < whole[0]
    assert kill_after(tmp_path / "killed", "checkpoint-8", signal.SIGKILL, "--model", base) == -signal.SIGKILL
    assert not (tmp_path / "killed/adapter").exists()
    capfd.readouterr()
    assert run(tmp_path / "killed", "--model", base)[1] == whole[1]
    assert "Going on from" in capfd.readouterr().out
    adapters = [(tmp_path / name / "adapter/adapter_model.safetensors").read_bytes() for name in ("whole", "killed")]
    assert adapters[0] == adapters[1]
    merged = AutoModelForCausalLM.from_pretrained(tmp_path / "whole/merged", dtype=torch.float32)
    assert loss_of(merged, tmp_path / "whole") == pytest.approx(whole[1], rel=0.05)


def test_a_signal_to_end_saves_a_checkpoint_and_leaves_the_rest_to_the_next_run(tmp_path: Path) -> None:
    assert kill_after(tmp_path / "out", "checkpoint-4", signal.SIGTERM, "--epochs", "200") == 1
    assert not (tmp_path / "out/adapter").exists()
    assert int(snippet.last_checkpoint(tmp_path / "out").rpartition("-")[2]) >= 4


def loss_of(model: torch.nn.Module, folder: Path) -> float:
    """The loss of the held-out conversations, computed by the merged model from its folder."""
    tokenizer = AutoTokenizer.from_pretrained(folder / "merged")
    samples = snippet.tokenize(snippet.read_conversations(folder.parent / "chats.jsonl"), tokenizer, 512)[::10]
    losses, tokens = 0.0, 0
    for sample in samples:
        ids, labels = (torch.tensor([sample[name]]) for name in ("input_ids", "labels"))
        count = int((labels[:, 1:] != -100).sum())
        losses += model(input_ids=ids, labels=labels).loss.item() * count
        tokens += count
    return losses / tokens


def test_only_the_last_answer_is_learned(base: str) -> None:
    tokenizer = AutoTokenizer.from_pretrained(base)
    turns = [("user", "A?"), ("assistant", "B."), ("user", "C?"), ("assistant", "D.")]
    messages = [{"role": role, "content": text} for role, text in turns]
    (sample,) = snippet.tokenize([("file:1", messages)], tokenizer, 64)
    learned = [token for token, label in zip(*sample.values(), strict=True) if label != -100]
    assert learned == [label for label in sample["labels"] if label != -100]
    assert tokenizer.decode(learned) == "D.<|end|>"


def test_samples_that_are_too_long_are_skipped_if_that_was_asked_for(base: str) -> None:
    tokenizer = AutoTokenizer.from_pretrained(base)
    long = [{"role": "user", "content": "word " * 99}, {"role": "assistant", "content": "Yes."}]
    short = json.loads(GOOD)["messages"]
    assert len(snippet.tokenize([("file:1", long), ("file:2", short)], tokenizer, 64, skip_long=True)) == 1


@pytest.mark.parametrize(
    ("rows", "more", "message"),
    [
        ([GOOD, GOOD[:-9]], [], r"No conversation in 1 of 2 lines: .*chats.jsonl:2 \(.* column"),
        ([GOOD, '{"text": "2 + 2"}'], [], r"chats.jsonl:2 \(no 'messages'\)"),
        ([GOOD, "[]"], [], r"chats.jsonl:2 \(list indices"),
        ([GOOD, GOOD.replace('"assistant"', '"user"')], [], r"chats.jsonl:2 \(the last message is no answer\)"),
        ([GOOD, '{"messages": []}'], [], r"chats.jsonl:2 \(the last message is no answer\)"),
        ([GOOD, GOOD.replace('"user"', '"human"')], [], r"chats.jsonl:2 \(unknown role 'human'\)"),
        ([GOOD, GOOD.replace('"4"', "null")], [], r"chats.jsonl:2 \(assistant without content\)"),
        ([GOOD, GOOD.replace('"4"', '" "')], [], r"chats.jsonl:2 \(assistant without content\)"),
        ([GOOD, GOOD.replace('"2 + 2?"', "null")], [], r"chats.jsonl:2 \(user without content\)"),
        (["[", GOOD, "{}", ""], [], r"No conversation in 2 of 3 lines: .*chats.jsonl:1 \(.*\), .*chats.jsonl:3 \(no"),
        (["[]", *["{}"] * 6], [], r"No conversation in 7 of 7 lines: .*:1 \(.*, .*:5 \(no 'messages'\), \.\.\.$"),
        ([GOOD, GOOD], ["--data", "no-such-file"], "--data no-such-file: No such file"),
        ([GOOD, " ", ""], [], "--data .*chats.jsonl: fewer than two samples"),
        ([GOOD, GOOD], ["--window", "8", "--skip-long"], "--data .*chats.jsonl: fewer than two samples"),
        ([GOOD, GOOD], ["--window", "8"], r"chats.jsonl:1: \d+ tokens, and --window is 8: raise it, or"),
        ([GOOD, GOOD], ["--model", "no/such-folder-here"], "--model no/such-folder-here: "),
    ],
)
def test_bad_input_is_one_sentence_with_its_place(
    rows: list[str], more: list[str], message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    command = arguments(tmp_path / "out", *more)
    (tmp_path / "chats.jsonl").write_text("\n".join(rows), "utf-8")
    with pytest.raises(SystemExit, match=message) as raised:
        snippet.run(snippet.read_options(command))
    assert "\n" not in str(raised.value)


def test_a_call_of_a_tool_stands_for_its_text_and_a_blank_line_is_no_row(tmp_path: Path) -> None:
    call = GOOD.replace('"content": "4"', '"content": null, "tool_calls": [{}]')
    (tmp_path / "chats.jsonl").write_text(f"\n{call}\n \n{GOOD}\n\n", "utf-8")
    places = [place for place, _ in snippet.read_conversations(tmp_path / "chats.jsonl")]
    assert [place.rpartition(":")[2] for place in places] == ["2", "4"]


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (["--data", str(snippet.DATA)], "out has checkpoints of other samples: pass the same --data"),
        (["--lr", "0.1"], "out was started with --lr 0.01: pass the same, or another folder$"),
        (["--seed", "1"], "out was started with --seed 42: pass the same, or another folder$"),
        (["--batch", "4"], "out was started with --batch 8: pass the same, or another folder$"),
        (["--epochs", "9", "--model", "BASE"], "out was started with --model '' --epochs 2.6: pass the same, or"),
    ],
)
def test_a_checkpoint_of_another_start_is_an_error_that_leaves_it_alone(
    more: list[str], said: str, base: str, checkpoints: Path
) -> None:
    before = sorted(checkpoints.rglob("*"))
    command = arguments(checkpoints, "--epochs", "2.6", *[base if each == "BASE" else each for each in more])
    with pytest.raises(SystemExit, match=said):
        snippet.run(snippet.read_options(command))
    assert sorted(checkpoints.rglob("*")) == before


def test_checkpoints_of_an_older_program_say_nothing_of_their_start(tmp_path: Path) -> None:
    (tmp_path / "checkpoint-8").mkdir()
    snippet.check_start([], snippet.read_options([str(tmp_path)]))
    assert [path.name for path in tmp_path.iterdir()] == ["checkpoint-8"]


def test_a_head_with_a_bias_is_an_error_before_the_first_step(
    base: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    load = snippet.load_model

    def load_with_bias(*where: str) -> torch.nn.Module:
        model = load(*where)
        head = model.get_base_model().lm_head
        head.bias = torch.nn.Parameter(torch.ones(head.out_features, dtype=torch.bfloat16))
        return model

    monkeypatch.setattr(snippet, "load_model", load_with_bias)
    with pytest.raises(SystemExit, match=r"--model .*: The head has an adapter or changes its logits"):
        run(tmp_path / "out", "--model", base)
    assert not [*(tmp_path / "out").glob("checkpoint-*")]


def test_a_tokenizer_without_a_chat_template_is_an_error_that_names_the_flag(base: str, tmp_path: Path) -> None:
    tokenizer = AutoTokenizer.from_pretrained(base)
    template, tokenizer.chat_template = tokenizer.chat_template, None
    conversations = [("file:1", json.loads(GOOD)["messages"])]
    with pytest.raises(SystemExit, match="--chat-template FILE"):
        snippet.tokenize(conversations, tokenizer, 64)
    tokenizer.chat_template = "{{ messages | length }}" + template
    with pytest.raises(SystemExit, match="file:1: the template changes the prompt"):
        snippet.tokenize(conversations, tokenizer, 64)


def half(path: Path) -> None:
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


@pytest.mark.parametrize(
    ("name", "spoil"),
    [
        ("trainer_state.json", Path.unlink),
        ("trainer_state.json", half),
        ("rng_state.pth", Path.unlink),
        ("adapter_model.safetensors", half),
        ("optimizer.pt", half),
    ],
)
def test_a_checkpoint_half_written_is_left_out(
    name: str, spoil: Callable[[Path], None], checkpoints: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    kept = (checkpoints / "checkpoint-8" / name).read_bytes()
    spoil(checkpoints / "checkpoint-8" / name)
    assert snippet.last_checkpoint(checkpoints) == str(checkpoints / "checkpoint-4")
    assert "checkpoint-8 is incomplete and left out" in capsys.readouterr().out
    (checkpoints / "checkpoint-8" / name).write_bytes(kept)
    assert snippet.last_checkpoint(checkpoints) == str(checkpoints / "checkpoint-8")


@pytest.fixture(scope="module")
def checkpoints(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("run") / "out"
    run(folder, "--epochs", "2.6")
    return folder


def test_flash_attention_replaces_the_default_and_gets_the_lengths_of_the_samples(
    base: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    chosen: list[str] = []
    batches: list[set[str]] = []
    original = snippet.chunked_loss

    def seen(model: torch.nn.Module, batch: dict, *rest: object) -> torch.Tensor:
        batches.append(set(batch))
        return original(model, batch, *rest)

    monkeypatch.setattr(LlamaForCausalLM, "set_attn_implementation", lambda self, name: chosen.append(name))
    monkeypatch.setattr("chunked_loss.chunked_loss", seen)
    run(tmp_path / "plain", "--model", base, "--epochs", "1")
    assert not chosen and batches and not any("cu_seq_lens_q" in batch for batch in batches)
    batches.clear()
    run(tmp_path / "flash", "--model", base, "--epochs", "1", "--flash")
    assert chosen == ["flash_attention_2"]
    assert batches and all({"cu_seq_lens_q", "max_length_q"} <= batch for batch in batches)


def test_what_is_expected_counts_the_weights_and_the_operations_of_full_windows(base: str) -> None:
    options = snippet.read_options(["out", "--method", "lora", "--batch", "2", "--window", "64"])
    config = snippet.AutoConfig.from_pretrained(base)
    peak, flops = snippet.expect(config, options)
    model = snippet.load_model(base, "lora", "cpu")
    assert peak > sum(p.nbytes for p in model.parameters())
    assert flops == 2 * snippet.training(config, 2, 64)


def test_a_configuration_need_not_name_the_size_of_a_head(base: str) -> None:
    options = snippet.read_options(["out", "--method", "lora", "--batch", "2", "--window", "64"])
    names = ("vocab_size", "hidden_size", "intermediate_size", "num_hidden_layers")
    heads = ("num_attention_heads", "num_key_value_heads")
    llama = snippet.AutoConfig.from_pretrained(base)
    qwen = Qwen2Config(**{name: getattr(llama, name) for name in names + heads})
    assert snippet.expect(qwen, options)[1] == snippet.expect(llama, options)[1]


@pytest.mark.parametrize("method", ["lora", "qlora"])
def test_a_step_keeps_the_activations_that_are_expected(method: str, base: str) -> None:
    batch = partial(snippet.packed, lengths=[128] * 4)
    step = {"batch": batch, "loss_of": snippet.chunked_loss, "optimizer_for": torch.optim.AdamW}
    config = snippet.AutoConfig.from_pretrained(base)
    expected = snippet.simulate(getattr(snippet, f"meta_{method}")(config), **step)
    memory = PeakMemory()
    training_step(memory, lambda: snippet.load_model(base, method, "cpu"), **step)
    assert memory.peak()["activations"] == pytest.approx(expected["activations"], rel=0.1)


def test_the_trained_model_is_gone_when_the_one_to_merge_is_loaded(
    base: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    load, load_adapter = snippet.load_model, snippet.PeftModel.from_pretrained
    trained: list[weakref.ref[torch.nn.Module]] = []

    def load_watched(*where: str) -> torch.nn.Module:
        model = load(*where)
        trained.append(weakref.ref(model))
        return model

    def load_alone(*where: object) -> torch.nn.Module:
        assert [model() for model in trained] == [None]
        return load_adapter(*where)

    monkeypatch.setattr(snippet, "load_model", load_watched)
    monkeypatch.setattr(snippet.PeftModel, "from_pretrained", load_alone)
    run(tmp_path / "out", "--model", base, "--epochs", "1")
    assert (tmp_path / "out/merged").exists()


def test_the_merged_folder_is_whole_or_not_there(base: str, checkpoints: Path) -> None:
    options = snippet.read_options(arguments(checkpoints))
    tokenizer, merged = AutoTokenizer.from_pretrained(base), checkpoints / "merged"
    (merged / "tokenizer_config.json").unlink()
    snippet.merge(base, tokenizer, options)
    assert (merged / "tokenizer_config.json").exists()
    snippet.shutil.rmtree(merged)
    with pytest.raises(AttributeError):  # As if it were killed between the weights and the tokenizer.
        snippet.merge(base, None, options)
    assert not merged.exists()
