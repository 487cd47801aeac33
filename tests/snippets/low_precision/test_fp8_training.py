"""FP8 layers keep their weights' type, leave out what kernels cannot take, and learn as bf16 does."""

import pytest
import torch
from torch import nn

from snippets.low_precision import fp8_training as snippet


def converted(model: nn.Module) -> set[str]:
    return {name for name, module in model.named_modules() if type(module).__name__ == "Float8Linear"}


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float32])
def test_all_layers_but_the_head_are_converted_and_weights_stay(dtype: torch.dtype) -> None:
    model = snippet.to_fp8(snippet.tiny_model(dtype))
    assert len(converted(model)) == 2 * 7
    assert "lm_head" not in converted(model)
    assert {parameter.dtype for parameter in model.parameters()} == {dtype}


def test_a_layer_of_an_odd_size_is_left_out() -> None:
    model = nn.Sequential(nn.Linear(32, 30), nn.Linear(30, 32), nn.Linear(32, 32))
    assert [snippet.suitable(layer, str(index)) for index, layer in enumerate(model)] == [False, False, True]


@pytest.mark.parametrize("recipe", ["tensorwise", "rowwise", "rowwise_with_gw_hp"])
def test_it_learns_as_bf16_does(recipe: str) -> None:
    plain = snippet.losses(snippet.tiny_model())
    found = snippet.losses(snippet.to_fp8(snippet.tiny_model(), recipe))
    assert found[-1] < found[0] - 0.5
    assert abs(found[-1] - plain[-1]) < 0.1
    assert found != plain


def test_a_recipe_without_a_name_is_an_error() -> None:
    with pytest.raises(AssertionError, match="recipe_name fp8 not in valid names"):
        snippet.to_fp8(snippet.tiny_model(), "fp8")
