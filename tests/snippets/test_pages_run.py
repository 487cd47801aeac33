"""A reader who pastes a page's blocks in order gets no error but those that the page tells of."""

from importlib.util import find_spec
from pathlib import Path

import pytest
import torch
from _tiny_chat import make_checkpoint
from hexapla.config.project import load_project
from hexapla.pages import excerpt, parse

ROOT = Path(__file__).parents[2]
SNIPPETS = ROOT / "snippets"
# What a page tells of: blocks that raise on a machine without a GPU.
WITHOUT_GPU = {
    "train_one/tf32.py:trainer": "requires Ampere",
}
WITHOUT_PACKAGE = {} if find_spec("flash_attn") else {"train_one/flash_attention.py:choose": "FlashAttention2"}
# The checkpoints that pages load: a folder of this name comes before the hub.
CHECKPOINTS = ("Qwen/Qwen2.5-7B-Instruct", "Qwen/Qwen3-0.6B", "meta-llama/Llama-3.1-8B-Instruct")
# A section that simulates a whole model for half a minute; the snippet's own run has it.
LONG = {"memory/techniques_llama_3b.py:show"}


def blocks(page: str) -> list[tuple[str, str]]:
    """The Python sections that an English page shows, in order: their names and their code."""
    text = (load_project(ROOT).docs / "en" / page).read_text("utf-8")
    shown = [include for include in parse(text).includes if include.path.endswith(".py")]
    sections = [(f"{include.path}:{include.section}", include) for include in shown]
    return [
        (name, excerpt((SNIPPETS / include.path).read_text("utf-8"), include.section).text)
        for name, include in sections if name not in LONG
    ]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    "page", ["perf_train_gpu_one.md", "train_memory.md", "low_precision.md", "train_optimizers.md", "train_speed.md",
             "perf_train_cpu.md", "debugging.md", "model_memory_anatomy.md", "perf_infer_gpu_one.md", "serve_8b.md",
             "big_models.md"]
)
def test_the_blocks_of_a_page_run_in_order(page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for checkpoint in CHECKPOINTS:
        make_checkpoint(Path(checkpoint))
    Path("texts.txt").write_text("One text.\nAnother one.\n", "utf-8")
    expected = WITHOUT_PACKAGE | ({} if torch.accelerator.is_available() else WITHOUT_GPU)
    names: dict[str, object] = {"__name__": "page", "__file__": "page.py"}
    shown = blocks(page)
    assert shown
    for name, code in shown:
        if name in expected:
            with pytest.raises((ImportError, ValueError, RuntimeError), match=expected[name]):
                exec(compile(code, name, "exec"), names)
        else:
            exec(compile(code, name, "exec"), names)
