"""Linear layers keep one byte or half a byte a weight, the output layer is left alone, the logits stay close."""

from pathlib import Path
from unittest.mock import Mock

import bitsandbytes as bnb
import pytest
import torch
from _infer_one import device, prompt
from torch import nn
from torch.utils._python_dispatch import TorchDispatchMode
from transformers import AutoModelForCausalLM, PreTrainedModel
from transformers.quantizers.auto import AUTO_QUANTIZER_MAPPING

from snippets._shared._llama import LLAMA_8B
from snippets.infer_one import bitsandbytes_quantization as snippet

CONFIGURATIONS = snippet.CONFIGURATIONS


@pytest.fixture(scope="module")
def quantized(tmp_path_factory: pytest.TempPathFactory) -> dict[str, PreTrainedModel]:
    checkpoint: Path = tmp_path_factory.mktemp("checkpoint")
    snippet.large_enough_model().save_pretrained(checkpoint)
    return {name: snippet.load(str(checkpoint), config, device().type) for name, config in CONFIGURATIONS.items()}


@pytest.mark.parametrize(("name", "share"), [("8-bit", 4), ("4-bit", 8)])
def test_the_weights_take_a_quarter_or_an_eighth(
    quantized: dict[str, PreTrainedModel], name: str, share: int
) -> None:
    assert share * snippet.linear_bytes(quantized[name]) == snippet.linear_bytes(snippet.large_enough_model())


@pytest.mark.parametrize(("name", "kind"), [("8-bit", bnb.nn.Linear8bitLt), ("4-bit", bnb.nn.Linear4bit)])
def test_the_layers_are_bitsandbytes_own_and_the_output_layer_is_not(
    quantized: dict[str, PreTrainedModel], name: str, kind: type[nn.Module]
) -> None:
    model = quantized[name]
    names = [name for name, module in model.named_modules() if isinstance(module, nn.Linear)]
    assert [name for name in names if type(model.get_submodule(name)) is not kind] == ["lm_head"]
    assert len(names) == 4 * 7 + 1
    assert model.model.layers[0].mlp.up_proj.weight.dtype in (torch.int8, torch.uint8)


@pytest.mark.parametrize(("name", "least", "most"), [("8-bit", 0.001, 0.05), ("4-bit", 0.05, 0.3)])
def test_the_logits_are_close_and_not_the_same(
    quantized: dict[str, PreTrainedModel], name: str, least: float, most: float
) -> None:
    with torch.inference_mode():
        logits = snippet.large_enough_model()(**prompt()).logits
        assert least < snippet.relative_error(quantized[name](**prompt()).logits.float(), logits) < most


def test_four_bits_are_nf4() -> None:
    assert CONFIGURATIONS["4-bit"].bnb_4bit_quant_type == "nf4"


class Products(TorchDispatchMode):
    """The names of bitsandbytes' operators that ran inside a `with` block, with the types of what they were given."""

    def __init__(self) -> None:
        super().__init__()
        self.types: dict[str, list[torch.dtype]] = {}

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        if func.namespace == "bitsandbytes":
            types = [arg.dtype for arg in args if isinstance(arg, torch.Tensor)]
            self.types[func._schema.name.removeprefix("bitsandbytes::")] = types
        return func(*args, **(kwargs or {}))


@pytest.mark.claim(
    "perf_infer_gpu_one#quantization",
    "bitsandbytes/autograd/_functions.py::MatMul8bitLt.forward",
)
def test_eight_bits_multiply_in_int8_and_four_bits_never_quantize_the_activations(
    quantized: dict[str, PreTrainedModel],
) -> None:
    ran = {}
    for name, model in quantized.items():
        with torch.inference_mode(), Products() as products:
            model(**prompt())
        ran[name] = products.types
    assert "int8_vectorwise_quant" in ran["8-bit"]  # what quantizes the activations
    activations, *factors = ran["8-bit"]["int8_mixed_scaled_mm"][:3]
    assert activations == torch.float32  # for the columns with outliers alone
    assert factors == [torch.int8, torch.int8]
    assert not any("int8" in operator for operator in ran["4-bit"])


@pytest.mark.parametrize("name", ["8-bit", "4-bit"])
@pytest.mark.claim("perf_infer_gpu_one#static-cache", "transformers/generation/utils.py#L2461-L2473")
def test_generate_does_not_compile_a_quantized_model(quantized: dict[str, PreTrainedModel], name: str) -> None:
    assert not quantized[name].hf_quantizer.is_compileable


@pytest.mark.claim("perf_infer_gpu_one#static-cache", "transformers/quantizers/base.py::HfQuantizer.is_compileable")
def test_what_generate_compiles_is_what_the_page_names() -> None:
    compiled = {name for name, kind in AUTO_QUANTIZER_MAPPING.items() if kind.is_compileable.fget(Mock(spec=kind))}
    assert {"torchao", "fp8", "compressed-tensors", "gguf"} <= compiled
    assert not compiled & {"bitsandbytes_4bit", "bitsandbytes_8bit", "gptq", "awq", "hqq", "mxfp4"}


@pytest.mark.parametrize("name", ["8-bit", "4-bit"])
@pytest.mark.claim(
    "perf_infer_gpu_one#quantization",
    "transformers/quantizers/quantizer_bnb_8bit.py::Bnb8BitHfQuantizer.validate_environment",
    "transformers/quantizers/quantizer_bnb_4bit.py::Bnb4BitHfQuantizer.validate_environment",
)
def test_offloaded_layers_are_an_error(name: str, tmp_path: Path) -> None:
    snippet.large_enough_model().save_pretrained(tmp_path)
    with pytest.raises(ValueError, match="Some modules are dispatched on the CPU or the disk"):
        snippet.load(str(tmp_path), CONFIGURATIONS[name], {"model": "cpu", "lm_head": "disk"})


def test_scales_and_what_stays_unquantized_are_three_quarters_of_a_byte_per_parameter_of_an_8b_model(
    tmp_path: Path,
) -> None:
    snippet.large_enough_model().save_pretrained(tmp_path)
    loaded = snippet.load(str(tmp_path), CONFIGURATIONS["4-bit"], device().type)  # not yet packed for a CPU's kernel
    state = loaded.model.layers[0].mlp.up_proj.weight.quant_state
    assert (state.blocksize, state.absmax.dtype) == (64, torch.float32)
    with torch.device("meta"):
        model = AutoModelForCausalLM.from_config(LLAMA_8B)
    sizes = {name: weight.numel() for name, weight in model.named_parameters()}
    linear = sum(size for name, size in sizes.items() if "_proj" in name)
    per_weight = 1 / 2 + state.absmax.element_size() / state.blocksize
    assert round(per_weight, 2) == 0.56
    assert round((per_weight * linear + 2 * (sum(sizes.values()) - linear)) / sum(sizes.values()), 2) == 0.75
