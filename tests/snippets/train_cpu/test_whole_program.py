"""The program trains in fp32 weights, in bf16 where the CPU has it, and saves what it trained."""

from pathlib import Path

import pytest
import torch
from transformers import AutoModelForCausalLM

from snippets.train_cpu import whole_program as snippet

pytestmark = pytest.mark.needs(device="cpu")


@pytest.mark.parametrize("name", ["avx512_bf16", "amx_bf16", "avx512_f"])
def test_bf16_is_used_where_the_cpu_has_instructions_for_it(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.cpu, "get_capabilities", lambda: {name: True})
    assert snippet.has_bf16() == name.endswith("bf16")


@pytest.mark.parametrize("bf16", [False, True])
def test_the_program_trains_fp32_weights_on_the_cpu_and_saves_them(
    bf16: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(snippet, "has_bf16", lambda: bf16)
    before = AutoModelForCausalLM.from_pretrained(snippet.save_checkpoint(tmp_path / "checkpoint"), dtype=torch.float32)
    dtypes: set[torch.dtype] = set()

    def load(*args: object, **options: object) -> torch.nn.Module:
        model = original(*args, **options)
        model.lm_head.register_forward_hook(lambda module, inputs, output: dtypes.add(output.dtype))
        return model

    original = AutoModelForCausalLM.from_pretrained
    with monkeypatch.context() as patch:
        patch.setattr(snippet.AutoModelForCausalLM, "from_pretrained", load)
        trainer = snippet.train(str(tmp_path / "checkpoint"), snippet.TEXTS, str(tmp_path / "out"), max_steps=2)
    assert dtypes == {torch.bfloat16 if bf16 else torch.float32}
    assert {sample["input_ids"][-1] for sample in trainer.train_dataset} == {before.config.vocab_size - 1}
    after = AutoModelForCausalLM.from_pretrained(tmp_path / "out")
    assert after.dtype == torch.float32
    assert after.device.type == "cpu"
    trained = after.state_dict()
    assert all(not torch.equal(weight, trained[name]) for name, weight in before.state_dict().items())


def test_the_end_of_the_file_trains_on_the_lines_of_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "texts.txt").write_text("one\ntwo\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(snippet, "train", lambda *arguments: seen.append(arguments))
    seen: list[tuple[object, ...]] = []
    snippet.program()
    assert seen == [("Qwen/Qwen3-0.6B", ["one", "two"], "out")]
