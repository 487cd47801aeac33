"""QLoRA stores 4 bits per frozen weight, trains its matrices, and what is merged is what was trained or is not."""

from collections.abc import Iterator
from pathlib import Path

import bitsandbytes as bnb
import pytest
import torch
from _peft import batches, device, logits, relative_difference, tiny_model
from peft import PeftModel, prepare_model_for_kbit_training
from torch.utils._python_dispatch import TorchDispatchMode
from transformers import MixtralConfig, MixtralForCausalLM

from snippets.peft import qlora as snippet


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("qlora")
    tiny_model().save_pretrained(path / "checkpoint")
    return path


@pytest.fixture(scope="module")
def trained(folder: Path) -> Iterator[PeftModel]:
    model = snippet.load_for_qlora(str(folder / "checkpoint"), device().type)
    snippet.train(model, steps=20)
    model.save_pretrained(str(folder / "adapter"))
    return model


def test_all_layers_but_the_head_are_quantized(trained: PeftModel) -> None:
    layers = [module for module in trained.modules() if isinstance(module, bnb.nn.Linear4bit)]
    assert len(layers) == 4 * 7
    assert snippet.weight_bits(trained) == pytest.approx(4.127, abs=0.02)


def test_what_is_not_quantized_is_cast_to_fp32(trained: PeftModel) -> None:
    base = trained.get_base_model()
    assert base.model.embed_tokens.weight.dtype == base.lm_head.weight.dtype == torch.float32
    assert base.is_activation_checkpointing


def test_the_adapter_alone_learns(folder: Path) -> None:
    model = snippet.load_for_qlora(str(folder / "checkpoint"), device().type)
    loss = model(**batches()[0]).loss
    loss.backward()
    assert {name.split(".")[-3] for name, p in model.named_parameters() if p.grad is not None} == {"lora_A", "lora_B"}
    snippet.train(model, steps=20)
    assert model(**batches()[0]).loss < loss - 0.1


def test_merging_is_exact_into_the_dequantized_weights_alone(trained: PeftModel, folder: Path) -> None:
    wanted = logits(trained)
    adapter, checkpoint = str(folder / "adapter"), str(folder / "checkpoint")
    merged = snippet.merge_as_trained(checkpoint, adapter, device().type)
    assert relative_difference(logits(merged), wanted) < 0.02
    assert relative_difference(logits(snippet.merge_into_checkpoint(checkpoint, adapter)), wanted) > 0.05


def test_merging_into_four_bits_warns_and_rounds(folder: Path, trained: PeftModel) -> None:
    with pytest.warns(UserWarning, match="rounding errors"):
        merged = snippet.merge_into_4_bits(str(folder / "checkpoint"), str(folder / "adapter"))
    assert 0.05 < relative_difference(logits(merged), logits(trained)) < 0.5


@pytest.mark.skipif(device().type != "cpu", reason="is about CPUs")
@pytest.mark.claim("peft#qlora", "bitsandbytes/nn/modules.py::Linear4bit.forward",
                   "bitsandbytes/autograd/_functions.py::matmul_4bit")
@pytest.mark.parametrize("evaluated", [False, True])
def test_after_a_pass_in_evaluation_mode_a_cpu_trains_and_merges_wrongly_if_it_has_avx512_bf16(
    folder: Path, trained: PeftModel, evaluated: bool
) -> None:
    wrong = evaluated and bnb.functional.has_avx512bf16()
    least, most = (0.5, 2.0) if wrong else (0.0, 1e-6)
    gradients = []
    for evaluate in (False, evaluated):
        model = PeftModel.from_pretrained(
            snippet.load_in_4bit(str(folder / "checkpoint"), "cpu"), str(folder / "adapter"), is_trainable=True
        )
        if evaluate:
            logits(model)
        model.train()(**batches()[0]).loss.backward()
        gradients.append(torch.cat([p.grad.flatten() for p in model.parameters() if p.requires_grad]))
    assert least <= relative_difference(gradients[1], gradients[0]) <= most
    merged = relative_difference(logits(model.merge_and_unload()), logits(trained))
    assert (merged > 0.5) == wrong


def test_without_the_keyword_torch_warns_of_a_reentrant_checkpoint(folder: Path) -> None:
    model = prepare_model_for_kbit_training(snippet.load_in_4bit(str(folder / "checkpoint"), device().type))
    with pytest.warns(UserWarning, match="use_reentrant parameter should be passed explicitly"):
        model.train()(**batches()[0])


@pytest.mark.claim("peft#qlora", "peft/utils/other.py::prepare_model_for_kbit_training")
def test_the_experts_of_a_mixture_are_not_quantized_but_cast_to_fp32(tmp_path: Path) -> None:
    sizes = {"hidden_size": 64, "intermediate_size": 64, "num_hidden_layers": 1, "num_local_experts": 4}
    heads = {"num_attention_heads": 4, "num_key_value_heads": 2}
    MixtralForCausalLM(MixtralConfig(vocab_size=256, **sizes, **heads)).bfloat16().save_pretrained(tmp_path)
    model = snippet.load_in_4bit(str(tmp_path), device().type)
    layer = model.model.layers[0]
    assert isinstance(layer.self_attn.q_proj, bnb.nn.Linear4bit)
    assert {p.dtype for p in layer.mlp.experts.parameters()} == {torch.bfloat16}
    model = prepare_model_for_kbit_training(model, gradient_checkpointing_kwargs={"use_reentrant": False})
    assert {p.dtype for p in layer.mlp.experts.parameters()} == {torch.float32}


class AttentionTypes(TorchDispatchMode):
    """The types of the queries that an attention kernel is given."""

    def __init__(self) -> None:
        super().__init__()
        self.types: set[torch.dtype] = set()

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        if "scaled_dot_product" in func.overloadpacket.__name__:
            self.types.add(args[0].dtype)
        return func(*args, **(kwargs or {}))


@pytest.mark.parametrize(("autocast", "dtype"), [(False, torch.float32), (True, torch.bfloat16)])
def test_without_autocast_attention_computes_in_fp32(folder: Path, autocast: bool, dtype: torch.dtype) -> None:
    model = snippet.load_for_qlora(str(folder / "checkpoint"), device().type)
    with torch.autocast(device().type, dtype=torch.bfloat16, enabled=autocast), AttentionTypes() as attention:
        model(**batches()[0])
    assert attention.types == {dtype}
