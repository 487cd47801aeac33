"""The program runs the stage of its file on every rank, splits weights while they load in stage 3, saves a model."""

from functools import partial
from pathlib import Path

import pytest
import torch
from _deepspeed import on_ranks
from _tiny_texts import save_checkpoint
from transformers import AutoModelForCausalLM, AutoTokenizer

from snippets.deepspeed import train as snippet

pytestmark = [pytest.mark.needs("deepspeed"), pytest.mark.needs(devices=2)]


@pytest.mark.parametrize("stage", [2, 3])
def test_the_program_saves_what_all_ranks_trained(stage: int, tmp_path: Path) -> None:
    before = AutoModelForCausalLM.from_pretrained(save_checkpoint(tmp_path / "checkpoint"))
    weights = before.num_parameters()
    held = weights if stage < 3 else weights // 2
    assert on_ranks(partial(snippet.outcome, str(tmp_path), stage), 2) == [(stage, 4, held)] * 2
    after = AutoModelForCausalLM.from_pretrained(tmp_path / "out")
    assert after.dtype == torch.bfloat16
    trained = after.state_dict()
    matrices = {name: weight for name, weight in before.state_dict().items() if weight.dim() > 1}
    changed = [not torch.equal(weight, trained[name]) for name, weight in matrices.items()]
    assert all(changed)
    assert AutoTokenizer.from_pretrained(tmp_path / "out").eos_token == "<|end|>"


def split_while_loading(folder: str) -> bool:
    """Whether the weights that `from_pretrained` gives `Trainer` are split already."""
    loaded = []
    original = snippet.Trainer.__init__

    def watch(trainer: snippet.Trainer, model: torch.nn.Module, *rest: object, **options: object) -> None:
        loaded.append(all(parameter.numel() == 0 for parameter in model.parameters()))
        original(trainer, model, *rest, **options)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(snippet.Trainer, "__init__", watch)
        snippet.train_on_rank(folder, stage=3)
    return loaded[0]


def test_stage_3_splits_the_weights_while_they_load(tmp_path: Path) -> None:
    save_checkpoint(tmp_path / "checkpoint")
    assert on_ranks(partial(split_while_loading, str(tmp_path)), 2) == [True, True]


def test_the_end_of_the_file_trains_on_the_lines_of_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "texts.txt").write_text("one\ntwo\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(snippet, "train", lambda *arguments: seen.append(arguments))
    seen: list[tuple[object, ...]] = []
    snippet.program()
    assert seen == [("Qwen/Qwen3-8B", ["one", "two"], "out", "stage3.json")]
